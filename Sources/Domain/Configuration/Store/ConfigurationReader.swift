package import AuthorizationCore

/// A consistent view for reading. Lists are sorted by key.
package protocol ConfigurationReader: UserReader {
    func tenants() throws -> [StoredTenant]
    func tenant(_ id: TenantID) throws -> Tenant?
    func clients(of tenant: TenantID) throws -> [Client]
    func client(_ id: ClientID, of tenant: TenantID) throws -> Client?
    func resourceServers(of tenant: TenantID) throws -> [ResourceServer]
    func resourceServer(_ identifier: String, of tenant: TenantID) throws -> ResourceServer?
    func roles(of tenant: TenantID) throws -> [Role]
    func role(_ id: RoleID, of tenant: TenantID) throws -> Role?
    func connections(of tenant: TenantID) throws -> [LoginConnection]
    func connection(_ name: String, of tenant: TenantID) throws -> LoginConnection?
    func signingKeys(of tenant: TenantID) throws -> [SigningKey]

    func user(_ id: UserID, in tenant: TenantID) throws -> (user: User, passwordHash: String?)?
    /// Hash of the password that an `apply` file last set. Nil means none.
    func appliedPasswordHash(of user: UserID, in tenant: TenantID) throws -> String?
    func user(email: EmailAddress, in tenant: TenantID) throws -> UserID?
    /// A database username, in lower case.
    func user(username: String, in tenant: TenantID) throws -> UserID?
    /// Empty for unknown users.
    func metadata(of user: UserID, in tenant: TenantID) throws -> UserMetadata
    /// Members of a role, sorted by id: at most `limit`, after `after` and the first `skip`.
    func members(of role: RoleID, in tenant: TenantID, after: UserID?, skip: Int, limit: Int) throws -> [User]
    func memberCount(of role: RoleID, in tenant: TenantID) throws -> Int

    func documents(_ kind: TenantDocument.Kind, of tenant: TenantID) throws -> [TenantDocument]
    func document(_ kind: TenantDocument.Kind, _ id: String, of tenant: TenantID) throws -> TenantDocument?
}
