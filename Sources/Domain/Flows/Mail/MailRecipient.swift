package import AuthorizationCore

/// Standing of a mail's address. It decides what the operator's mail server sends there: a tenant's own mail server sends
/// everything, but the operator answers for the operator's address.
package enum MailRecipient: String, Sendable, CaseIterable {
    /// Address of a user, who proved it, or for whom an administrator vouches.
    case verified
    /// Address of a user that may be a stranger's. By the operator's mail server, it gets the built-in text alone.
    case unverified
    /// Address that an administrator of the tenant named, and that is not the user's. Only a mail server of the tenant's
    /// own sends there.
    case foreign
    /// The same, named by the operator at the command line. It gets the built-in text alone.
    case named

    /// Standing of an address that is the user's or another.
    package init(_ address: EmailAddress, of user: User, isNamedByOperator: Bool) {
        if user.email == address {
            self = user.emailVerified ? .verified : .unverified
        } else {
            self = isNamedByOperator ? .named : .foreign
        }
    }

    package static let refusal =
        "an address that is not the user's gets mail only by a mail server of the tenant's own"
}
