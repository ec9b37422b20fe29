package import AuthorizationCore
package import Primitives

/// A link that does one thing for one user, once.
package struct UserTicket: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Sets a password.
        case password = "password-change"
        /// Proves an e-mail address.
        case email = "email-verification"
        /// Enrols a phone.
        case enrollment
    }

    package let kind: Kind
    /// SHA-256 of the secret that the link holds.
    package let hash: [UInt8]
    package let user: UserID
    /// The user's address when the ticket was made.
    package let email: EmailAddress?
    /// True if only that address gets the link, so that using it proves the address.
    package let provesEmail: Bool
    /// Final redirect of the browser.
    package let resultURL: String?
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// True if it enrols a first phone and no other.
    package let isForFirstDevice: Bool

    package init(
        kind: Kind, hash: [UInt8], user: UserID, email: EmailAddress?, provesEmail: Bool, resultURL: String?,
        createdAt: Timestamp, expiresAt: Timestamp, isForFirstDevice: Bool = false
    ) {
        self.kind = kind
        self.hash = hash
        self.user = user
        self.email = email
        self.provesEmail = provesEmail
        self.resultURL = resultURL
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.isForFirstDevice = isForFirstDevice
    }
}
