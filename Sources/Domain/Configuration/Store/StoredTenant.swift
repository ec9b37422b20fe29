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
    /// Documents of `serviceKinds`, by kind and id. Secrets sealed.
    package var documents: [TenantDocument]

    /// Kinds of documents that the server works with, not the Management API alone.
    package static let serviceKinds: [TenantDocument.Kind] = [
        .pushProvider, .guardianSetting, .emailProvider, .emailTemplate, .tenantSettings, .customDomain,
    ]

    package init(
        tenant: Tenant, clients: [Client] = [], resourceServers: [ResourceServer] = [], roles: [Role] = [],
        connections: [LoginConnection] = [], signingKeys: [SigningKey] = [], webPushKey: WebPushKey? = nil,
        documents: [TenantDocument] = []
    ) {
        self.tenant = tenant
        self.clients = clients
        self.resourceServers = resourceServers
        self.roles = roles
        self.connections = connections
        self.signingKeys = signingKeys
        self.webPushKey = webPushKey
        self.documents = documents
    }
}
