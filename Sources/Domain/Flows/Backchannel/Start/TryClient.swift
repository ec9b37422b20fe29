package import AuthorizationCore
import OAuthWire
import Primitives

/// Starts a client's request to the administrator who tries the client, without the client's secret.
package struct TryClient: Sendable {
    let start: StartBackchannelRequest

    /// - Parameters:
    ///   - parameters: As of the client's own request. The person to ask is always the administrator.
    ///   - user: The administrator, whom the request's entry in the audit log names as its actor.
    /// - Returns: the request. Nil if there is no such client.
    /// - Throws: `OAuthError` as for the client.
    package func start(
        _ client: ClientID, _ parameters: [(name: String, value: String)], to user: UserID,
        _ context: RequestContext
    ) async throws -> ConsentID? {
        guard let registered = context.configuration.registered(client) else { return nil }
        let hint: JSONValue = [
            "format": "iss_sub", "iss": .string(context.tenant.issuer), "sub": .string(user.rawValue),
        ]
        let form = FormFields(parameters + [("login_hint", JSONWriter.string(hint))])
        let message = try Parameters(form: Array(form.encoded.utf8))
        let answer = try await start.start(Authenticated(user, trying: registered, message, context))
        return AuthReqIDHash(of: answer.authReqID, start.vault.hashing).consentID
    }
}
