/// Key from which a tenant's refresh tokens are made, if the tenant came from another installation. Others use a key that
/// is derived from the installation's own.
package enum RefreshTokenKey {
    package static let table = "refresh_token_key"

    package static func sealingContext(tenant: TenantID) -> String { "refresh-token-key/\(tenant)" }
}
