package import Audit
import AuthorizationCore
import GuardianWire
package import OAuthWire
import Primitives

extension RefusalLog {
    /// A backchannel authentication request that was refused.
    func start(_ request: Authenticated<Parameters>, _ error: OAuthError) async throws {
        var refusal = request.context.refusal(
            error.code == .tooManyRequests ? .rateLimited : .backchannelStartFailed, client: request.client.id)
        var body = JSONObject()
        for name in ["audience", "login_hint", "scope"] {
            if let value = request.message[name] { body[name] = .string(Self.beginning(value)) }
        }
        refusal.details["body"] = .object(body)
        if error.code != .unknownUserID, let hint = request.message["login_hint"] {
            refusal.user = (try? UserReference(LoginHint(parsing: hint), at: request.tenant))?.id
        }
        try await record(refusal, of: request.client.id.rawValue, error)
    }

    /// A poll for a request that the client does not have.
    func exchange(_ request: Authenticated<some Sendable>, consent: ConsentID, _ error: OAuthError) async throws {
        let refusal = request.context.refusal(.exchangeFailed, client: request.client.id, consent: consent)
        try await record(refusal, of: request.client.id.rawValue, error)
    }

    /// A refused request of an authenticated client whose flow records no refusals itself.
    package func request(
        _ request: Authenticated<Parameters>, as kind: AuditEvent.Kind, _ error: OAuthError
    ) async throws {
        guard !error.isNoted else { return }
        let refusal = request.context.refusal(kind, client: request.client.id)
        // Anybody can use the name of a public client.
        try await record(refusal, of: request.client.isPublic ? Self.anonymous : request.client.id.rawValue, error)
    }

    /// A refused request in the name of a client that did not authenticate.
    package func unproven(_ presented: ClientPresentation, as kind: AuditEvent.Kind, _ error: OAuthError) async throws {
        guard error.code == .invalidClient, let client = presented.claimedClient,
            presented.context.configuration.registered(client) != nil
        else { return }
        var refusal = presented.context.refusal(kind, client: client)
        refusal.details["client_authentication_error"] = .string(Self.beginning(error.detail ?? ""))
        try await record(refusal, of: Self.anonymous, error)
    }

    private func record(_ refusal: AuditRefusal, of subject: String, _ error: OAuthError) async throws {
        try await record(refusal, of: subject, message: error.description.text, code: error.code.rawValue)
    }

    /// A refused request of a known device or of a ticket's holder. The entry has the private detail.
    func device(_ refusal: AuditRefusal, of subject: String, _ failure: DeviceFailure) async throws {
        var refusal = refusal
        if let detail = failure.detail { refusal.details["failure_details"] = .string(Self.beginning(detail)) }
        try await record(refusal, of: subject, message: failure.message, code: failure.code.rawValue)
    }
}
