/// A user of a tenant, as a client or an operator names one.
package enum UserReference: Sendable, Hashable {
    case id(UserID)
    /// The only user with this verified address. An address that is not verified names nobody, since anybody can sign up
    /// with another's.
    case email(EmailAddress)
    /// The only user with this verified number (E.164).
    case phoneNumber(String)

    /// The id, if that is how the user is named.
    package var id: UserID? { if case .id(let id) = self { id } else { nil } }
}
