package import AuthorizationCore
import Primitives

/// Attempts to prove who one is that are refused, because too many failed before.
package struct UserBlock: Sendable, Equatable {
    /// The account's e-mail address or, where it has none, another name of it.
    package let identifier: String
    /// The name of the connection that the account belongs to.
    package let connection: String
    /// Passwords or one-time passwords.
    package let secret: AttemptKey.Secret
    /// The peer's address, the last one of a blocked IPv6 network; nil where nobody gets in from anywhere.
    package let address: String?

    package init(identifier: String, connection: String, secret: AttemptKey.Secret, address: String?) {
        self.identifier = identifier
        self.connection = connection
        self.secret = secret
        self.address = address
    }
}
