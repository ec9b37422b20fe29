package import Templates

/// A tenant's text for one kind of mail, by Auth0's names.
package struct MailTemplate: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case verifyEmail = "verify_email"
        case verifyEmailByCode = "verify_email_by_code"
        case authenticationByCode = "auth_email_by_code"
        case resetEmail = "reset_email"
        case resetEmailByCode = "reset_email_by_code"
        case welcome = "welcome_email"
        case blockedAccount = "blocked_account"
        case stolenCredentials = "stolen_credentials"
        case enrollment = "enrollment_email"
        case multiFactorCode = "mfa_oob_code"
        case invitation = "user_invitation"
        case changePassword = "change_password"
        case passwordReset = "password_reset"
        case asynchronousApproval = "async_approval"

        /// True if this server sends mails of the kind. Templates of others are only kept.
        package var isSent: Bool {
            switch self {
            case .verifyEmail, .resetEmail, .changePassword, .passwordReset, .blockedAccount, .enrollment,
                .asynchronousApproval:
                true
            case .verifyEmailByCode, .authenticationByCode, .resetEmailByCode, .welcome, .stolenCredentials,
                .multiFactorCode, .invitation:
                false
            }
        }

        /// True if a mail of the kind exists for its link, which a template has to show.
        package var needsLink: Bool { isSent && self != .blockedAccount }

        /// Scopes of the credential that mails of the kind carry, as a link or a code. The author of such a mail can
        /// have its reader pass the credential on. Kinds that this server does not send yet are included.
        package var scopes: Set<String> {
            switch self {
            case .verifyEmail, .verifyEmailByCode, .authenticationByCode, .resetEmail, .resetEmailByCode, .welcome,
                .multiFactorCode, .invitation, .changePassword, .passwordReset:
                ["create:user_tickets"]
            case .enrollment: ["create:guardian_enrollment_tickets"]
            case .blockedAccount, .stolenCredentials, .asynchronousApproval: []
            }
        }

        /// Scopes of all credentials in mails.
        package static let allScopes = allCases.reduce(into: Set<String>()) { $0.formUnion($1.scopes) }.sorted()
    }

    package enum Syntax: String, Sendable, CaseIterable { case liquid }

    /// Liquid of the HTML. Nil takes the built-in HTML.
    package let body: Template?
    package let subject: Template?
    /// An address, or a name and an address in angle brackets.
    package let from: Template?
    package let isEnabled: Bool

    package init(body: Template?, subject: Template?, from: Template?, isEnabled: Bool) {
        self.body = body
        self.subject = subject
        self.from = from
        self.isEnabled = isEnabled
    }
}
