public import Primitives

/// Everything that is kept of a user: what administration shows.
public struct UserRecord: Sendable, Equatable {
    public var user: User
    public var metadata: UserMetadata
    public var activity: UserActivity
    /// The one the user was made of first, then those linked to it.
    public var identities: [UserIdentity]

    public init(user: User, metadata: UserMetadata, activity: UserActivity, identities: [UserIdentity]) {
        self.user = user
        self.metadata = metadata
        self.activity = activity
        self.identities = identities
    }
}

/// When and from where a user logged in with a browser. An approval of a request is no login.
public struct UserActivity: Sendable, Equatable {
    public var lastLogin: Timestamp?
    /// The peer's address at the last login.
    public var lastIP: String?
    public var loginsCount = 0
    public var lastPasswordReset: Timestamp?

    public init() {}
}

/// A user as one provider knows them.
public struct UserIdentity: Sendable, Hashable {
    /// The connection's name.
    public let connection: String
    /// What stands before the `|` of user ids: `auth0` for the database, else the connection's name.
    public let provider: String
    /// The provider's own identifier of the user.
    public let userID: String

    /// An account at an upstream provider.
    public init(provider: String, userID: String) {
        connection = provider
        self.provider = provider
        self.userID = userID
    }

    /// The identity that a user was made of.
    public init(of user: User) {
        connection = user.connection
        let text = user.id.rawValue
        if let bar = text.firstIndex(of: "|") {
            provider = String(text[..<bar])
            userID = String(text[text.index(after: bar)...])
        } else {
            provider = "auth0"
            userID = text
        }
    }
}
