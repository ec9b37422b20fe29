public import OAuthWire

/// Where a page's form goes and what it carries unseen. Forms are always sent with POST.
public struct PageForm: Sendable, Equatable {
    public var action: PageURL
    /// The token that shows that the form was sent from our page.
    public var csrf: String
    /// What else comes back unchanged, such as `state`.
    public var hidden: [HiddenField]

    public init(action: PageURL, csrf: String, hidden: [HiddenField] = []) {
        self.action = action
        self.csrf = csrf
        self.hidden = hidden
    }
}

public struct HiddenField: Sendable, Equatable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// What a person typed, to be shown again, and what is wrong with it.
public struct FieldInput: Sendable, Equatable {
    public var value: String
    public var problem: LocalizedText?

    public init(_ value: String = "", problem: LocalizedText? = nil) {
        self.value = value
        self.problem = problem
    }
}

/// The names of the fields that forms send.
public enum FieldName {
    public static let csrf = "csrf"
    public static let state = "state"
    /// Log in: an e-mail address or a user name.
    public static let username = "username"
    public static let email = "email"
    /// Sign up: the person's name.
    public static let name = "name"
    public static let password = "password"
    /// Reset: the new password a second time.
    public static let passwordAgain = "password_again"
    /// Multi-factor: six digits.
    public static let code = "code"
    /// Consent: ``allow`` or ``deny``. Log out: ``deny`` stays.
    public static let decision = "decision"
    /// Select account: ``current`` or ``another``.
    public static let account = "account"

    public static let allow = "allow"
    public static let deny = "deny"
    public static let current = "current"
    public static let another = "another"
}
