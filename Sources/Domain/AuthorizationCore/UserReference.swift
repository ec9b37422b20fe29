/// A user of a tenant, as named by a client or an operator.
package enum UserReference: Sendable, Hashable {
    case id(UserID)
    /// The only user with this verified address. An unverified address names nobody, because anybody can sign up with
    /// another's.
    case email(EmailAddress)
    /// The only user with this verified number (E.164).
    case phoneNumber(String)

    package var id: UserID? { if case .id(let id) = self { id } else { nil } }
}
