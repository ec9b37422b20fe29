package import JOSE
import OAuthWire
package import Primitives

/// Immutable snapshot of the whole configuration: replaced as a whole when it changes, so that requests read it
/// without locks or queries.
package final class ConfigurationSnapshot: Sendable {
    private let byHost: [String: TenantConfiguration]
    /// Tenants by host without a port. Nil for a name that several hosts share.
    private let byName: [String: TenantConfiguration?]
    package let tenants: [TenantConfiguration]

    package init(tenants: [TenantConfiguration]) {
        self.tenants = tenants
        var byHost: [String: TenantConfiguration] = [:]
        for entry in tenants {
            for host in entry.tenant.hosts { byHost[host] = entry.called(on: host) }
        }
        self.byHost = byHost
        byName = Dictionary(
            byHost.map { (Tenant.name(ofAuthority: $0.key), Optional($0.value)) }, uniquingKeysWith: { _, _ in nil })
    }

    /// Tenant that a Host header names, under that name.
    package func tenant(host: String) -> TenantConfiguration? {
        byHost[host] ?? byHost[Tenant.normalized(authority: host)]
    }

    /// Tenant that a Host header names with `port` in place of its own port. At `port` the same server asks for
    /// certificates (RFC 8705 clause 5).
    package func tenant(host: String, alternatePort port: UInt16) -> TenantConfiguration? {
        let authority = Tenant.normalized(authority: host)
        let name = Tenant.name(ofAuthority: authority)
        return authority == Tenant.normalized(authority: "\(name):\(port)") ? byName[name] ?? nil : nil
    }

    /// A tenant under its own name.
    package func tenant(id: TenantID) -> TenantConfiguration? { tenants.first { $0.tenant.id == id } }

    /// Tenant under `host`, or under its own name if `host` is not one of its hosts any more.
    package func tenant(id: TenantID, host: String?) -> TenantConfiguration? {
        if let host, let called = byHost[host], called.tenant.id == id { return called }
        return tenant(id: id)
    }
}

/// One tenant's part of the configuration.
package final class TenantConfiguration: Sendable {
    package let tenant: Tenant
    private let registered: [ClientID: RegisteredClient]
    /// Origins of all clients, as browsers spell them.
    private let scriptOrigins: Set<String>
    package let resourceServers: [String: ResourceServer]
    package let roles: [RoleID: Role]
    package let apps: AssociatedApps
    /// Never empty: without configured connections, the default database.
    package let connections: [LoginConnection]
    package let keys: KeyRing
    package let pushServices: PushServices
    package let mail: MailSettings
    package let detailsCheckLimit: DetailsCheckLimit

    package init(
        tenant: Tenant, clients: [Client], resourceServers: [ResourceServer], roles: [Role],
        connections: [LoginConnection] = [], keys: KeyRing, pushServices: PushServices = PushServices(),
        mail: MailSettings = MailSettings(),
        detailsCheckLimit: DetailsCheckLimit = DetailsCheckLimit()
    ) {
        self.tenant = tenant
        registered = Dictionary(clients.map { ($0.id, RegisteredClient($0, of: tenant.id)) }, uniquingKeysWith: { $1 })
        scriptOrigins = registered.values.reduce(into: []) { $0.formUnion($1.scriptOrigins) }
        self.resourceServers = Dictionary(
            (resourceServers + [.management(of: tenant)]).map { ($0.identifier, $0) }, uniquingKeysWith: { $1 })
        apps = AssociatedApps(of: clients)
        self.roles = Dictionary(roles.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        self.connections = connections.isEmpty ? [.defaultDatabase] : connections
        self.keys = keys
        self.pushServices = pushServices
        self.mail = mail
        self.detailsCheckLimit = detailsCheckLimit
    }

    private init(_ other: TenantConfiguration, as tenant: Tenant) {
        self.tenant = tenant
        registered = other.registered
        scriptOrigins = other.scriptOrigins
        resourceServers = other.resourceServers
        roles = other.roles
        apps = other.apps
        connections = other.connections
        keys = other.keys
        pushServices = other.pushServices
        mail = other.mail
        detailsCheckLimit = other.detailsCheckLimit
    }

    fileprivate func called(on host: String) -> TenantConfiguration {
        host == tenant.hosts.first ? self : TenantConfiguration(self, as: tenant.called(on: host))
    }

    /// In no order.
    package var clients: [Client] { registered.values.map(\.client) }

    package func client(_ id: ClientID) -> Client? { registered[id]?.client }

    /// Client without a copy, for lookups many thousand times a second.
    package func registered(_ id: ClientID) -> RegisteredClient? { registered[id] }

    /// True if scripts of the origin, as a browser spells it, may read answers to the client. Without a known client,
    /// true if any client registered the origin.
    package func allowsScripts(of origin: String, calling client: ClientID?) -> Bool {
        (client.flatMap { registered[$0]?.scriptOrigins } ?? scriptOrigins).contains(origin)
    }

    /// Scopes of an API that the user has directly or by roles.
    package func permissions(of user: User, at resourceServer: String) -> Set<String> {
        let held = [user.permissions] + user.roles.compactMap { roles[$0]?.permissions }
        return Set(held.joined().filter { $0.resourceServer == resourceServer }.map(\.scope))
    }
}

/// A client that all requests share, because a copy of a `Client` costs more than most polls (decision 0008).
package final class RegisteredClient: Sendable {
    package let client: Client
    package let identity: ClientIdentity
    /// Hashes of the secrets that are valid now.
    package let secrets: [Digest256]
    package let isPublic: Bool
    package let usesSecret: Bool
    package let usesCertificate: Bool
    /// Origins as browsers spell them.
    fileprivate let scriptOrigins: Set<String>

    package init(_ client: Client, of tenant: TenantID) {
        self.client = client
        identity = ClientIdentity(client: client.id, tenant: tenant)
        secrets = client.secretHashes.map { Digest256($0) }
        isPublic = client.isPublic
        usesSecret = client.usesSecret
        usesCertificate = client.usesCertificate
        scriptOrigins = Set(client.scriptOrigins.map(\.description))
    }
}

package struct ClientIdentity: Sendable, Hashable {
    let client: ClientID
    let tenant: TenantID
}

/// A tenant's keys, ready to sign.
package struct KeyRing: Sendable {
    private let signers: [JWSAlgorithm: any Signer]
    /// Keys that verify: next, current and previous.
    package let published: JWKSet
    /// Answer of the JWKS endpoint, certificates included.
    package let document: JSONValue
    /// Key for push services. Nil if it cannot be opened.
    package let webPush: (any Signer)?
    /// Key of refresh tokens. Nil for a tenant that uses the installation's (`RefreshTokenKey`).
    package let refreshTokens: SecretBytes?

    package init(
        current: [any Signer], published: [JWK], document: JSONValue? = nil, webPush: (any Signer)? = nil,
        refreshTokens: SecretBytes? = nil
    ) {
        signers = Dictionary(current.map { ($0.algorithm, $0) }, uniquingKeysWith: { $1 })
        self.published = JWKSet(keys: published)
        self.document = document ?? self.published.json
        self.webPush = webPush
        self.refreshTokens = refreshTokens
    }

    /// The current key of that algorithm.
    package func signer(for algorithm: JWSAlgorithm) -> (any Signer)? { signers[algorithm] }

    package var algorithms: [JWSAlgorithm] { JWSAlgorithm.allCases.filter { signers[$0] != nil } }
}

/// Source of the current snapshot.
package protocol ConfigurationSource: Sendable {
    var current: ConfigurationSnapshot { get }
}

/// Source that rebuilds the snapshot when it is told of a change.
package protocol RefreshableConfiguration: ConfigurationSource {
    /// Returns true if the snapshot changed.
    func refresh() async throws -> Bool
}
