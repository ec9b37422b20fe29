package import Audit
package import AuthorizationCore
import OAuthWire
import Primitives

/// Starts a client's request to the administrator who tries the client, without the client's secret.
package struct TryClient: Sendable {
    let start: StartBackchannelRequest
    let log: any AuditLog

    /// - Parameters:
    ///   - parameters: As of the client's own request. The person to ask is always the administrator.
    ///   - event: Entry of the audit log that names the administrator, to which the request is added.
    /// - Returns: the request. Nil if there is no such client.
    /// - Throws: `OAuthError` as for the client.
    package func start(
        _ client: ClientID, _ parameters: [(name: String, value: String)], to user: UserID, event: AuditEvent,
        _ context: RequestContext
    ) async throws -> ConsentID? {
        guard let registered = context.configuration.registered(client) else { return nil }
        let hint: JSONValue = [
            "format": "iss_sub", "iss": .string(context.tenant.issuer), "sub": .string(user.rawValue),
        ]
        let form = FormFields(parameters + [("login_hint", JSONWriter.string(hint))])
        let message = try Parameters(form: Array(form.encoded.utf8))
        let answer = try await start.start(Authenticated(trying: registered, message, context))
        let consent = AuthReqIDHash(of: answer.authReqID, start.vault.hashing).consentID
        var event = event
        event.consent = consent
        event.client = client
        try await log.record(event)
        return consent
    }
}
