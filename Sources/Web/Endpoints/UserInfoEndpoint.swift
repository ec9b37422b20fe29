import AuthorizationCore
import Flows
import HTTPModel
import OAuthWire
import Primitives

/// `/userinfo` (OIDC Core 5.3), which scripts of any origin may call: the token is all that opens it.
struct UserInfoEndpoint: Sendable {
    let flow: FetchUserInfo

    @Sendable func claims(_ context: RequestContext) async throws -> Response {
        let claims = try await flow.claims(
            for: try Self.token(context), with: context.request.clientCertificate, directory: context.directory,
            now: context.now)
        var response = Response.json(JSONWriter.bytes(.object(claims)))
        response.fields.append("Access-Control-Allow-Origin", "*")
        return response
    }

    /// What a browser asks before a script of another origin may send `Authorization` (Fetch Standard, CORS protocol).
    @Sendable func preflight(_ context: RequestContext) async throws -> Response {
        Response(
            status: 204,
            fields: [
                "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "GET, POST",
                "Access-Control-Allow-Headers": "Authorization, Content-Type", "Access-Control-Max-Age": "86400",
            ])
    }

    /// From the header, or from the form that was posted (RFC 6750 clauses 2.1 and 2.2), never from both. In a URL it
    /// would be logged.
    private static func token(_ context: RequestContext) throws -> String {
        let request = context.request
        guard try Parameters(query: request.query)["access_token"] == nil else {
            throw OAuthError(
                .invalidRequest, en: "Send the access token in the Authorization header, not in the URL",
                fr: "Envoyez le jeton d'accès dans l'en-tête Authorization, pas dans l'URL")
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
                .invalidRequest, en: "Send the access token in the Authorization header or in the body, not in both",
                fr: "Envoyez le jeton d'accès dans l'en-tête Authorization ou dans le corps, pas dans les deux")
        }
        guard let token = context.authorization(scheme: "Bearer") else { throw MissingAccessToken() }
        return token
    }
}
