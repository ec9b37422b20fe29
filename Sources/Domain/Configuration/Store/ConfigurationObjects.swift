package import AuthorizationCore

/// A part of a tenant's configuration that can be read by itself.
package enum ConfigurationPart: Sendable, Hashable {
    /// The tenant's own row.
    case tenant
    /// All objects of a kind.
    case kind(TenantDocument.Kind)
    case object(TenantDocument.Kind, id: String)
    /// Signing keys, and the key for push services.
    case keys
    /// Every tenant's row, to compare hosts.
    case everyTenant
}

/// Parts of a tenant's configuration in one snapshot.
package struct ConfigurationObjects: Sendable {
    package let id: TenantID
    /// Version of the configuration that has them.
    package let version: Int64
    /// Nil for a tenant that is unknown, was changed by somebody else, or was not read.
    package var tenant: Tenant?
    /// Sorted by kind and id. Secrets sealed. A row that somebody else changed is left out.
    package var documents: [TenantDocument] = []
    /// Private halves sealed. Includes revoked keys.
    package var signingKeys: [SigningKey] = []
    package var webPushKey: WebPushKey?
    /// Sealed key of the tenant's refresh tokens. Nil if it uses the installation's (`RefreshTokenKey`).
    package var refreshTokenKey: [UInt8]?
    package var everyTenant: [Tenant] = []

    package init(id: TenantID, version: Int64) {
        self.id = id
        self.version = version
    }
}
