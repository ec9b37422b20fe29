package import AuthorizationCore

/// A tenant's whole configuration, as stored.
package struct StoredTenant: Sendable {
    package var tenant: Tenant
    package var clients: [Client]
    package var resourceServers: [ResourceServer]
    package var roles: [Role]
    /// With sealed secrets.
    package var connections: [LoginConnection]
    /// Private halves sealed. Includes revoked keys.
    package var signingKeys: [SigningKey]
    package var webPushKey: WebPushKey?

    package init(
        tenant: Tenant, clients: [Client] = [], resourceServers: [ResourceServer] = [], roles: [Role] = [],
        connections: [LoginConnection] = [], signingKeys: [SigningKey] = [], webPushKey: WebPushKey? = nil
    ) {
        self.tenant = tenant
        self.clients = clients
        self.resourceServers = resourceServers
        self.roles = roles
        self.connections = connections
        self.signingKeys = signingKeys
        self.webPushKey = webPushKey
    }
}
