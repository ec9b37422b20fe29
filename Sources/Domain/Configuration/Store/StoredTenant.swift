package import AuthorizationCore

/// A tenant's whole configuration, as stored.
package struct StoredTenant: Sendable {
    package var tenant: Tenant
    package var clients: [Client] = []
    package var resourceServers: [ResourceServer] = []
    package var roles: [Role] = []
    /// With sealed secrets.
    package var connections: [LoginConnection] = []
    /// Private halves sealed. Includes revoked keys.
    package var signingKeys: [SigningKey] = []
    package var webPushKey: WebPushKey?
    /// Sealed key of the tenant's refresh tokens. Nil if it uses the installation's (`RefreshTokenKey`).
    package var refreshTokenKey: [UInt8]?
    /// Documents of `serviceKinds`, by kind and id. Secrets sealed.
    package var documents: [TenantDocument] = []

    /// Kinds of documents that the server works with, not the Management API alone.
    package static let serviceKinds: [TenantDocument.Kind] = [
        .customDomain, .emailProvider, .emailTemplate, .guardianSetting, .pushProvider, .tenantSettings,
    ]

    /// Everything that a server reads.
    package static let parts = Set([.tenant, .keys] + kinds.map(ConfigurationPart.kind))
    static let kinds: [TenantDocument.Kind] = [.client, .connection, .role, .resourceServer] + serviceKinds
}

extension StoredTenant {
    /// Nil for a tenant that is unknown, or was changed by somebody else.
    package init?(_ read: ConfigurationObjects) throws {
        guard let tenant = read.tenant else { return nil }
        let draft = Draft(read, Self.parts)
        self.init(
            tenant: tenant, clients: try draft.all(Client.self), resourceServers: try draft.all(ResourceServer.self),
            roles: try draft.all(Role.self), connections: try draft.all(LoginConnection.self),
            signingKeys: read.signingKeys, webPushKey: read.webPushKey, refreshTokenKey: read.refreshTokenKey,
            documents: read.documents.filter { Self.serviceKinds.contains($0.kind) })
    }
}
