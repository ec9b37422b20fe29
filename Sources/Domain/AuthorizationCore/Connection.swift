package import Primitives

/// A place where users prove who they are (Auth0: connection).
package struct LoginConnection: Sendable, Equatable {
    /// The name of the database where nothing else was configured, as Auth0 calls it.
    package static let defaultDatabaseName = "Username-Password-Authentication"

    package enum Kind: Sendable, Equatable {
        /// Users with a password, kept here.
        case database(allowsSignUp: Bool)
        case upstream(UpstreamProvider)
    }

    /// Value of `connection` in a request: a–z, 0–9 and hyphens. For upstream connections also the first part of `sub`.
    package let name: String
    /// Shown on the login page.
    package var displayName: String
    package var kind: Kind
    /// Clients it may be used for; nil is all of them.
    package var enabledClients: Set<ClientID>?
    /// Members that nothing here depends on, stored to be returned.
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
}
