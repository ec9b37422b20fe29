package import AuthorizationCore
import Primitives

/// A block of authentication attempts after too many failures.
package struct UserBlock: Sendable, Equatable {
    /// The account's e-mail address or, without one, another name.
    package let identifier: String
    /// Name of the account's connection.
    package let connection: String
    /// Passwords or one-time passwords.
    package let secret: AttemptKey.Secret
    /// The peer's address, or the last of a blocked IPv6 network. Nil blocks every address.
    package let address: String?

    package init(identifier: String, connection: String, secret: AttemptKey.Secret, address: String?) {
        self.identifier = identifier
        self.connection = connection
        self.secret = secret
        self.address = address
    }
}
