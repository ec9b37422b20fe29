package import Localization

/// The target of a page's form and its hidden fields. Forms are always sent with POST.
package struct PageForm: Sendable, Equatable {
    package var action: PageURL
    /// Token that proves that the form was sent from our page.
    package var csrf: String
    /// Hidden fields that are sent back unchanged, such as `state`.
    package var hidden: [HiddenField]

    package init(action: PageURL, csrf: String, hidden: [HiddenField] = []) {
        self.action = action
        self.csrf = csrf
        self.hidden = hidden
    }
}

package struct HiddenField: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A typed value, which is shown again, and its problem.
package struct FieldInput: Sendable, Equatable {
    package var value: String
    package var problem: LocalizedText?

    package init(_ value: String = "", problem: LocalizedText? = nil) {
        self.value = value
        self.problem = problem
    }
}

package enum FieldName {
    package static let csrf = "csrf"
    package static let state = "state"
    /// Log in: an e-mail address or a user name.
    package static let username = "username"
    package static let email = "email"
    /// Sign up: the person's name.
    package static let name = "name"
    package static let password = "password"
    /// Reset: the new password a second time.
    package static let passwordAgain = "password_again"
    /// Answer of an authenticator, as JSON of the page's script.
    package static let passkey = "passkey"
    /// Multi-factor: a code.
    package static let code = "code"
    /// Consent and approval: ``allow`` or ``deny``. Log out: ``deny`` keeps the session.
    package static let decision = "decision"
    /// Approval: the number that the person picked.
    package static let pick = "pick"
    /// Approval: the person's words for a rejection.
    package static let reason = "reason"
    /// Approval: ``all`` if the person has read every part of a long request.
    package static let read = "read"
    /// Select account and approval: ``current`` or ``another``.
    package static let account = "account"

    package static let allow = "allow"
    package static let deny = "deny"
    /// Approval: a rejection of something that the person did not ask for.
    package static let report = "report"
    /// Passkeys: the person removes one, renames it, or lets it log in.
    package static let remove = "remove"
    package static let rename = "rename"
    package static let letLogIn = "use-for-login"
    package static let all = "all"
    package static let current = "current"
    package static let another = "another"
}
