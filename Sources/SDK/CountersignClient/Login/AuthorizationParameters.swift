import OAuthWire
import Primitives

/// What to ask for when a person logs in (OIDC Core 3.1.2.1).
public struct AuthorizationParameters: Sendable {
    /// What the server may, or must not, show.
    public enum Prompt: String, Sendable, CaseIterable {
        /// Nothing: who is not logged in, or has not consented, is an error.
        case none
        /// The login, also to who is logged in.
        case login
        case consent
        case selectAccount = "select_account"
    }

    /// `openid` brings an ID token, `offline_access` a refresh token.
    public var scope: [String]
    /// The identifier of the API that the access token is for.
    public var audience: String?
    /// Goes straight to one connection, such as `github`.
    public var connection: String?
    /// `none` stands alone.
    public var prompt: [Prompt] = []
    /// How long ago the person may have authenticated, in whole seconds; who did earlier authenticates again.
    public var maxAge: Duration?
    /// Whom the login is about, such as an e-mail address.
    public var loginHint: String?
    /// `signup` shows the sign-up first.
    public var screenHint: String?
    /// Languages for the pages, best first.
    public var uiLocales: [String] = []
    /// Authentication context classes, best first (`acr_values`). `IDToken.contextClass` tells which it was.
    public var contextClasses: [String] = []
    /// Parameters that have no property here. Those that the flow itself sets are refused.
    public var extra: [String: String] = [:]

    public init(
        scope: [String] = ["openid", "profile", "email"], audience: String? = nil, connection: String? = nil
    ) {
        self.scope = scope
        self.audience = audience
        self.connection = connection
    }

    /// The parameters, checked as far as that needs no server.
    func form() throws(CountersignError) -> FormFields {
        var form = FormFields()
        do throws(OAuthError) {
            form.append("scope", try ScopeSet(parsing: scope.joined(separator: " ")).description)
        } catch {
            throw CountersignError(error)
        }
        guard prompt.count < 2 || !prompt.contains(.none) else {
            throw .invalidRequest("prompt none stands alone (OIDC Core 3.1.2.1)")
        }
        var seconds: String?
        if let maxAge {
            seconds = String(maxAge.components.seconds)
            guard maxAge >= .zero, maxAge == .seconds(maxAge.components.seconds) else {
                throw .invalidRequest("maxAge must be whole seconds")
            }
        }
        let optional = [
            ("audience", audience), ("connection", connection), ("max_age", seconds), ("login_hint", loginHint),
            ("screen_hint", screenHint), ("prompt", joined(prompt.map(\.rawValue))),
            ("ui_locales", joined(uiLocales)), ("acr_values", joined(contextClasses)),
        ]
        for case (let name, let value?) in optional { form.append(name, value) }
        for (name, value) in extra.sorted(by: { $0.key < $1.key }) {
            guard !Self.reserved.contains(name), form[name] == nil else {
                throw .invalidRequest("the extra parameter \(name) is set by the flow or has a property of its own")
            }
            form.append(name, value)
        }
        return form
    }

    private static let reserved: Set<String> = [
        "response_type", "response_mode", "client_id", "client_secret", "redirect_uri", "state", "nonce",
        "code_challenge", "code_challenge_method", "request", "request_uri", "scope", "max_age",
    ]

    private func joined(_ values: [String]) -> String? { values.isEmpty ? nil : values.joined(separator: " ") }
}
