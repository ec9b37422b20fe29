package import HTTPModel
import OAuthWire
import Primitives

extension CountersignClient {
    /// A token of the client itself for an API (RFC 6749 clause 4.4), for programs that manage a server.
    package func ownToken(for audience: String) async throws(CountersignError) -> String {
        var form = FormFields()
        form.append("grant_type", GrantType.clientCredentials.rawValue)
        form.append("audience", audience)
        let response = try await post(form, to: try await provider.metadata().tokenEndpoint)
        guard response.status == 200 else { throw ErrorAnswer(response).commonError }
        return try redeemed(response).answer.accessToken
    }

    /// Sends a request to the server by the client's transport.
    package func call(_ request: ClientRequest) async throws(CountersignError) -> ClientResponse {
        try await send(request)
    }

    /// Fetches what needs no proof, with the head at once and the body as it arrives.
    package func stream(from url: String) async throws(CountersignError) -> StreamingResponse {
        do throws(HTTPClientError) {
            return try await environment.transport.stream(ClientRequest(method: .get, url: url, timeout: nil))
        } catch {
            throw CountersignError(error)
        }
    }
}
