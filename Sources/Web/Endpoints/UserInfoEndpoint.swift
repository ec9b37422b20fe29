import AuthorizationCore
import Flows
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import Routing

/// `/userinfo` (OIDC Core 5.3).
struct UserInfoEndpoint: Sendable {
    let flow: FetchUserInfo

    var routes: [Route] {
        [
            Route(
                EndpointPath.userInfo, .bearer, scripts: .registered(client: Self.client),
                [.get: (.userInfo("userinfo"), claims), .post: (.userInfo("userinfo_by_post"), claims)])
        ]
    }

    @Sendable func claims(_ call: EndpointCall) async throws -> Response {
        let claims = try await flow.claims(
            for: try Self.token(call.request), with: call.request.clientCertificate, context: call.context)
        return Response.json(JSONWriter.bytes(.object(claims)))
    }

    /// Client that the token names. The signature is not checked here: a forged token gets a refusal, from which its
    /// reader learns nothing.
    @Sendable static func client(_ request: Request) -> ClientID? {
        let claims = (try? token(request)).flatMap { try? JWS(parsing: $0) }?.unverifiedClaims
        return ((claims?["azp"] ?? claims?["client_id"])?.stringValue).map { ClientID($0) }
    }

    /// Access token of the header or of the posted form (RFC 6750 clauses 2.1 and 2.2), never of both. A token in a URL
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
        guard let token = request.authorization() else { throw MissingAccessToken() }
        return token
    }
}
