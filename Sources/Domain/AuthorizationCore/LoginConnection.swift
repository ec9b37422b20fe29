package import Primitives

/// Source that authenticates users (Auth0: connection).
package struct LoginConnection: Sendable, Equatable {
    /// Auth0's name for the default database.
    package static let defaultDatabaseName = "Username-Password-Authentication"

    package enum Kind: Sendable, Equatable {
        /// Users with a password that this server stores.
        case database(allowsSignUp: Bool)
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
}
