package import AuthorizationCore
import Primitives

/// A user, with the facts that logins check.
package struct Account: Sendable, Equatable {
    package let user: User
    /// The encoded hash. Nil if the user has no password.
    package let passwordHash: String?
    /// Number of times that the user's access was ended.
    package let accessEndings: Int

    package init(user: User, passwordHash: String?, accessEndings: Int = 0) {
        self.user = user
        self.passwordHash = passwordHash
        self.accessEndings = accessEndings
    }
}

/// A user at an upstream provider.
package struct UpstreamIdentity: Sendable, Hashable {
    /// The connection's name.
    package let provider: String
    /// The provider's own identifier of the user.
    package let id: String

    package init(provider: String, id: String) {
        self.provider = provider
        self.id = id
    }

    /// The identity that a user was made of. Nil for users of the database.
    package init?(of user: User) {
        guard user.connection != LoginConnection.defaultDatabaseName else { return nil }
        self.init(provider: user.connection, id: String(user.id.rawValue.dropFirst(user.connection.count + 1)))
    }

    /// `provider|id`.
    package var userID: UserID { UserID("\(provider)|\(id)") }
}

/// Store port for reading accounts.
package protocol AccountReader: Sendable {
    /// The database's user of an e-mail address.
    func account(email: EmailAddress, tenant: TenantID) async throws -> Account?

    /// The database's user of a username in lower case.
    func account(username: String, tenant: TenantID) async throws -> Account?

    func account(_ user: UserID, tenant: TenantID) async throws -> Account?
}

extension AccountReader {
    /// The database's user of a name that was typed.
    func account(_ name: LoginName, tenant: TenantID) async throws -> Account? {
        switch name {
        case .email(let email): try await account(email: email, tenant: tenant)
        case .username(let name): try await account(username: name, tenant: tenant)
        }
    }
}
