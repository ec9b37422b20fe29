package import Audit
package import AuthorizationCore
package import Primitives

/// What may be read and written within one change.
package protocol ConfigurationTransaction: ConfigurationReader, UserTransaction {
    func put(_ tenant: Tenant) throws
    /// With all that is the tenant's own but its part of the audit log.
    func remove(tenant: TenantID) throws
    func put(_ client: Client, in tenant: TenantID) throws
    func put(_ resourceServer: ResourceServer, in tenant: TenantID) throws
    func put(_ role: Role, in tenant: TenantID) throws
    func put(_ connection: LoginConnection, in tenant: TenantID) throws
    /// Also ends what users allowed it: consents, refresh tokens with the access tokens that came of the same
    /// authorizations, and what is under way.
    func remove(client: ClientID, from tenant: TenantID, now: Timestamp) throws
    /// Also takes the permissions for it from users, and ends what they allowed clients there: consents, refresh tokens
    /// with the access tokens that came of the same authorizations, and the requests that gave no tokens yet. Returns the
    /// What is kept of the `auth_req_id` of each of those.
    func remove(resourceServer: String, from tenant: TenantID, now: Timestamp) throws -> [[UInt8]]
    /// Takes from users the permissions of an API, but those for the scopes in `kept`.
    func withdraw(permissionsOf resourceServer: String, keeping kept: Set<String>, in tenant: TenantID) throws
    /// Also takes it from everybody who has it.
    func remove(role: RoleID, from tenant: TenantID) throws
    func remove(connection name: String, from tenant: TenantID) throws

    /// A user's metadata and activity stay as they are, except that another password is noted.
    func put(_ user: User, passwordHash: String?, in tenant: TenantID) throws
    /// Remembers what a file of `apply` said. Changes no password.
    func put(appliedPasswordHash hash: String, of user: UserID, in tenant: TenantID) throws
    /// Nothing happens where there is no such user.
    func put(_ metadata: UserMetadata, of user: UserID, in tenant: TenantID) throws
    /// Replaces the roles of a user and nothing else.
    func put(roles: [RoleID], of user: UserID, in tenant: TenantID, now: Timestamp) throws
    /// With all that is the user's. False where there was none.
    func remove(user: UserID, from tenant: TenantID) throws -> Bool

    func put(_ document: TenantDocument, in tenant: TenantID) throws
    /// False where there was none.
    func remove(document kind: TenantDocument.Kind, _ id: String, from tenant: TenantID) throws -> Bool

    func put(_ key: SigningKey) throws
    /// Keeps the certificate of a key that has none.
    func certify(_ key: SigningKey) throws
    func record(_ event: AuditEvent) throws
}
