package import Primitives

/// Source that authenticates users (Auth0: connection).
package struct LoginConnection: Sendable, Equatable {
    /// Auth0's name for the default database.
    package static let defaultDatabaseName = "Username-Password-Authentication"

    package enum Kind: Sendable, Equatable {
        /// Users with a password that this server stores. An old server is called about people who have none here yet.
        /// With usernames, the login page asks for the address or the username.
        case database(allowsSignUp: Bool, hasUsernames: Bool = false, oldServer: OldServer? = nil)
        case upstream(UpstreamProvider)
    }

    /// Value of `connection` in a request: a–z, 0–9 and hyphens. For upstream connections also the first part of `sub`.
    package let name: String
    /// Shown on the login page.
    package var displayName: String
    package var kind: Kind
    /// Clients that may use the connection. Nil means all.
    package var enabledClients: Set<ClientID>?
    /// Members without effect, stored to be returned.
    package var additional: JSONObject = [:]

    package init(name: String, displayName: String, kind: Kind, enabledClients: Set<ClientID>? = nil) {
        self.name = name
        self.displayName = displayName
        self.kind = kind
        self.enabledClients = enabledClients
    }

    package static let defaultDatabase = LoginConnection(
        name: defaultDatabaseName, displayName: "E-mail", kind: .database(allowsSignUp: true))

    package func isEnabled(for client: ClientID) -> Bool { enabledClients?.contains(client) ?? true }

    package var isDatabase: Bool { if case .database = kind { true } else { false } }

    package var upstream: UpstreamProvider? { if case .upstream(let provider) = kind { provider } else { nil } }

    /// The server that the tenant's people are moved from. Nil means that nobody is moved.
    package var oldServer: OldServer? { if case .database(_, _, let server) = kind { server } else { nil } }

    /// True if people of the database log in by username, too, as its login page says.
    package var hasUsernames: Bool { if case .database(_, let names, _) = kind { names } else { false } }

    /// The secret by which this server proves itself elsewhere, sealed with `sealingContext(tenant:connection:)` of
    /// `UpstreamProvider`. Nil for a connection without one, which cannot be given any.
    package var sealedSecret: [UInt8]? {
        get { upstream?.sealedSecret ?? oldServer?.sealedSecret }
        set {
            guard let newValue else { return }
            switch kind {
            case .upstream(var provider):
                provider.sealedSecret = newValue
                kind = .upstream(provider)
            case .database(let allowsSignUp, let hasUsernames, var server):
                server?.sealedSecret = newValue
                kind = .database(allowsSignUp: allowsSignUp, hasUsernames: hasUsernames, oldServer: server)
            }
        }
    }

    /// True if both leave it to the same others, by the same secret, to say who a user is.
    package func trusts(asMuchAs other: LoginConnection) -> Bool {
        upstream == other.upstream && oldServer == other.oldServer
    }
}
