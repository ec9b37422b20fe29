import AuthorizationCore
import Flows
import HTTPModel
import JOSE
import OAuthWire
import Primitives

/// `/userinfo` (OIDC Core 5.3).
struct UserInfoEndpoint: Sendable {
    let flow: FetchUserInfo

    @Sendable func claims(_ context: EndpointCall) async throws -> Response {
        let claims = try await flow.claims(
            for: try Self.token(context.request), with: context.request.clientCertificate,
            configuration: context.configuration,
            now: context.now)
        return Response.json(JSONWriter.bytes(.object(claims)))
    }

    /// The client that the token is said to be of. Its signature is not looked at here: a token that says something
    /// false opens nothing, and whoever may read that refusal learns nothing from it.
    @Sendable static func client(_ request: Request) -> ClientID? {
        let claims = (try? token(request)).flatMap { try? JWS(parsing: $0) }?.unverifiedClaims
        return ((claims?["azp"] ?? claims?["client_id"])?.stringValue).map { ClientID($0) }
    }

    /// From the header, or from the form that was posted (RFC 6750 clauses 2.1 and 2.2), never from both. In a URL it
    /// would be logged.
    private static func token(_ request: Request) throws -> String {
        guard try Parameters(query: request.query)["access_token"] == nil else {
            throw OAuthError(.invalidRequest, "Send the access token in the Authorization header, not in the URL")
        }
        var posted: String?
        if request.method == .post, request.fields.mediaType == "application/x-www-form-urlencoded" {
            posted = try Parameters(form: request.body)["access_token"]
        }
        guard request.fields["Authorization"] != nil else {
            guard let posted else { throw MissingAccessToken() }
            return posted
        }
        guard posted == nil else {
            throw OAuthError(
                .invalidRequest, "Send the access token in the Authorization header or in the body, not in both")
        }
        guard let token = request.authorization(scheme: "Bearer") else { throw MissingAccessToken() }
        return token
    }
}
