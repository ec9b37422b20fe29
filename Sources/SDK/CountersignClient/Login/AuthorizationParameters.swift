import OAuthWire
import Primitives

/// Parameters of a login (OIDC Core 3.1.2.1).
public struct AuthorizationParameters: Sendable {
    /// Pages that the server must or must not show.
    public enum Prompt: String, Sendable, CaseIterable {
        /// No page. A missing login or consent is an error.
        case none
        /// The login page, even if the person is logged in.
        case login
        /// The page on which the person agrees to the client's access, even if they did before.
        case consent
        /// A choice of the account, even if the person is logged in.
        case selectAccount = "select_account"
    }

    /// Requested scopes. `openid` adds an ID token, `offline_access` a refresh token.
    public var scope: [String]
    /// Identifier of the API that the access token is for. Nil means the tenant's default.
    public var audience: String?
    /// The connection to log in with, such as `github`. Nil lets the person choose.
    public var connection: String?
    /// Pages to show. `none` must be the only element.
    public var prompt: [Prompt] = []
    /// Maximum time since the last authentication, in whole seconds. After it the person authenticates again.
    public var maxAge: Duration?
    /// The person who logs in, such as an e-mail address.
    public var loginHint: String?
    /// The page to start with. `signup` means the sign-up page.
    public var screenHint: String?
    /// Languages of the pages in order of preference.
    public var uiLocales: [String] = []
    /// Authentication context classes in order of preference (`acr_values`). `IDToken.contextClass` has the result.
    public var contextClasses: [String] = []
    /// Parameters without a property here. Parameters that the flow sets are refused.
    public var extra: [String: String] = [:]

    public init(scope: [String] = ["openid", "profile", "email"], audience: String? = nil, connection: String? = nil) {
        self.scope = scope
        self.audience = audience
        self.connection = connection
    }

    /// The request's parameters, after the checks that need no server.
    func form() throws(CountersignError) -> FormFields {
        var form = FormFields()
        do throws(OAuthError) {
            form.append("scope", try ScopeSet(parsing: scope.joined(separator: " ")).description)
        } catch {
            throw CountersignError(error)
        }
        guard prompt.count < 2 || !prompt.contains(.none) else {
            throw .invalidRequest("prompt none must be the only value (OIDC Core 3.1.2.1)")
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
