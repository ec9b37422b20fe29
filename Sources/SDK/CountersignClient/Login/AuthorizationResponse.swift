import PlatformFoundation
import Primitives

/// An authorization response (RFC 6749 clause 4.1.2, RFC 9207) that belongs to this login.
struct AuthorizationResponse {
    let code: String

    /// - Parameters:
    ///   - issuer: The server that the request was sent to.
    ///   - namesIssuer: True if that server includes its issuer in every response.
    init(callback: URL, to pending: PendingLogin, issuer: String, namesIssuer: Bool) throws(CountersignError) {
        let fields = try Self.fields(callback, of: pending)
        // Checked first: other parameters of a response to somebody else's request are not read.
        guard let state = fields["state"], constantTimeEquals(Array(state.utf8), Array(pending.state.utf8)) else {
            throw .stateMismatch
        }
        // Compared without normalisation (RFC 9207 clause 2.4).
        let named = fields["iss"]
        guard named == issuer || (named == nil && !namesIssuer) else { throw .issuerMismatch(named) }
        if let error = fields["error"] {
            throw CountersignError(authorization: error, description: fields["error_description"])
        }
        guard let code = fields["code"] else {
            throw .protocolViolation("the authorization response has neither a code nor an error")
        }
        self.code = code
    }

    /// The query's parameters. Repeated ones are refused.
    private static func fields(_ callback: URL, of pending: PendingLogin) throws(CountersignError) -> FormFields {
        // A query of the redirect URI is kept before the parameters (RFC 6749 clause 3.1.2).
        guard let expected = URL(string: pending.redirectURI), callback.scheme == expected.scheme,
            callback.host() == expected.host(), callback.port == expected.port,
            callback.path() == expected.path() || (callback.path() + expected.path() == "/")
        else { throw .protocolViolation("the browser returned to another address than \(pending.redirectURI)") }
        // Every script of a page can read the fragment, and only the query was requested (OAuth 2.0 Multiple Response
        // Types 2.1). Some servers send an empty or decorative fragment, which is ignored.
        let answers: Set = ["code", "error", "state", "access_token", "id_token", "response"]
        guard try !fields(callback.fragment(percentEncoded: true)).pairs.contains(where: { answers.contains($0.name) })
        else { throw .protocolViolation("the response came in the fragment, but was requested in the query") }
        return try fields(callback.query(percentEncoded: true))
    }

    private static func fields(_ text: String?) throws(CountersignError) -> FormFields {
        do throws(FormFields.Failure) {
            return try FormFields(parsing: Array((text ?? "").utf8))
        } catch {
            throw .protocolViolation("the authorization response cannot be read, or repeats a parameter")
        }
    }
}

extension CountersignError {
    /// RFC 6749 clause 4.1.2.1, OIDC Core 3.1.2.6.
    init(authorization code: String, description: String?) {
        let text = description ?? code
        self =
            switch code {
            case "access_denied": .accessDenied(text)
            case "login_required": .loginRequired
            case "consent_required": .consentRequired
            case "interaction_required", "account_selection_required": .interactionRequired
            case "unauthorized_client": .clientRejected(text)
            case "server_error", "temporarily_unavailable": .network(text)
            default: .authorizationFailed(code: code, description: text)
            }
    }
}
