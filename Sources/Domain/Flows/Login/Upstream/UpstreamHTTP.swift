import AuthorizationCore
import HTTPModel
import Primitives

/// Sends requests to providers, within limits. An answer that is no success, too large, too slow, no JSON or a redirect is
/// a failure.
struct UpstreamHTTP: Sendable {
    /// Bytes of an answer.
    static let limit = 1 << 20
    private static let timeout = Duration.seconds(10)

    let client: any OutgoingHTTPClient

    func get(
        _ url: EndpointURL, bearer: String? = nil, accept: String = "application/json"
    ) async throws(UpstreamFailure) -> JSONValue {
        let response = try await send(.get, url, bearer: bearer, accept: accept)
        guard response.status == 200 else { throw Self.status(response.status, url) }
        return try Self.json(response, url)
    }

    func send(
        _ method: HTTPMethod, _ url: EndpointURL, bearer: String? = nil, basic: String? = nil, accept: String,
        form: FormFields? = nil
    ) async throws(UpstreamFailure) -> ClientResponse {
        // GitHub refuses requests without a User-Agent.
        var fields: HTTPFields = ["Accept": accept, "User-Agent": "Countersign"]
        if let bearer { fields.set("Authorization", "Bearer \(bearer)") }
        if let basic { fields.set("Authorization", "Basic \(basic)") }
        if form != nil { fields.set("Content-Type", "application/x-www-form-urlencoded") }
        let request = ClientRequest(
            method: method, url: url.description, fields: fields, body: form.map { Array($0.encoded.utf8) },
            timeout: Self.timeout)
        let response: ClientResponse
        do throws(HTTPClientError) {
            response = try await client.send(request)
        } catch {
            throw .unavailable("\(url.withoutQuery): \(error)")
        }
        guard response.body.count <= Self.limit else {
            throw .unavailable("\(url.withoutQuery): \(HTTPClientError.tooLarge(limit: Self.limit))")
        }
        return response
    }

    static func json(_ response: ClientResponse, _ url: EndpointURL) throws(UpstreamFailure) -> JSONValue {
        guard let value = try? JSONReader.parse(response.body, depthLimit: 16) else {
            throw .unavailable("\(url.withoutQuery) did not answer JSON")
        }
        return value
    }

    static func status(_ status: Int, _ url: EndpointURL) -> UpstreamFailure {
        .unavailable("\(url.withoutQuery) answered with the status \(status)")
    }
}

extension EndpointURL {
    fileprivate var withoutQuery: Substring { description.prefix { $0 != "?" } }
}
