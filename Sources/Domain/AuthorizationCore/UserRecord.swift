package import Primitives

/// Everything stored about a user, as administration shows it.
package struct UserRecord: Sendable, Equatable {
    package var user: User
    package var metadata: UserMetadata
    package var activity: UserActivity
    /// The user's original identity first, then linked ones.
    package var identities: [UserIdentity]

    package init(user: User, metadata: UserMetadata, activity: UserActivity, identities: [UserIdentity]) {
        self.user = user
        self.metadata = metadata
        self.activity = activity
        self.identities = identities
    }
}

/// Time and address of a user's logins in a browser. An approved request is no login.
package struct UserActivity: Sendable, Equatable {
    package var lastLogin: Timestamp?
    /// The peer's address at the last login.
    package var lastIP: String?
    package var loginsCount = 0
    package var lastPasswordReset: Timestamp?

    package init() {}
}

/// A user's account at one provider.
package struct UserIdentity: Sendable, Hashable {
    /// The connection's name.
    package let connection: String
    /// Part before the `|` of user ids: `auth0` for the database, otherwise the connection's name.
    package let provider: String
    /// The provider's own identifier of the user.
    package let userID: String

    /// An account at an upstream provider.
    package init(provider: String, userID: String) {
        connection = provider
        self.provider = provider
        self.userID = userID
    }

    /// The user's original identity.
    package init(of user: User) {
        connection = user.connection
        let parts = user.id.rawValue.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        provider = parts.count == 2 ? String(parts[0]) : "auth0"
        userID = String(parts[parts.count - 1])
    }
}
