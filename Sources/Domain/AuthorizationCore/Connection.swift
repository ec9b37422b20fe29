public import Primitives

/// A place where users prove who they are (Auth0: connection).
public struct LoginConnection: Sendable, Equatable {
    /// The name of the database where nothing else was configured, as Auth0 calls it.
    public static let defaultDatabaseName = "Username-Password-Authentication"

    public enum Kind: Sendable, Equatable {
        /// Users with a password, kept here.
        case database(allowsSignUp: Bool)
        case upstream(UpstreamProvider)
    }

    /// What `connection` in a request names: a–z, 0–9 and hyphens. For upstream ones also the first part of `sub`.
    public let name: String
    /// Shown on the login page.
    public var displayName: String
    public var kind: Kind
    /// Clients it may be used for; nil is all of them.
    public var enabledClients: Set<ClientID>?
    /// Members that nothing here depends on, stored to be returned.
    public var additional: JSONObject = [:]

    public init(name: String, displayName: String, kind: Kind, enabledClients: Set<ClientID>? = nil) {
        self.name = name
        self.displayName = displayName
        self.kind = kind
        self.enabledClients = enabledClients
    }

    public static let defaultDatabase = LoginConnection(
        name: defaultDatabaseName, displayName: "E-mail", kind: .database(allowsSignUp: true))

    public func isEnabled(for client: ClientID) -> Bool { enabledClients?.contains(client) ?? true }

    public var isDatabase: Bool { if case .database = kind { true } else { false } }

    public var upstream: UpstreamProvider? { if case .upstream(let provider) = kind { provider } else { nil } }
}
