package import Audit
package import AuthorizationCore
package import Primitives

/// Reads and writes within one change.
package protocol ConfigurationTransaction: ConfigurationReader, UserTransaction {
    func put(_ tenant: Tenant) throws
    /// Deletes all the tenant's data except its audit log.
    func remove(tenant: TenantID) throws
    func put(_ client: Client, in tenant: TenantID) throws
    func put(_ resourceServer: ResourceServer, in tenant: TenantID) throws
    func put(_ role: Role, in tenant: TenantID) throws
    func put(_ connection: LoginConnection, in tenant: TenantID) throws
    /// Also deletes its consents, refresh tokens with the access tokens of the same authorizations, and unfinished
    /// requests.
    func remove(client: ClientID, from tenant: TenantID, now: Timestamp) throws
    /// Also revokes users' permissions for the API, and deletes consents, refresh tokens with the access tokens of the
    /// same authorizations, and requests that gave no tokens yet. Returns the stored form of each request's
    /// `auth_req_id`.
    func remove(resourceServer: String, from tenant: TenantID, now: Timestamp) throws -> [[UInt8]]
    /// Revokes users' permissions for an API, except the scopes in `kept`.
    func withdraw(permissionsOf resourceServer: String, keeping kept: Set<String>, in tenant: TenantID) throws
    /// Also revokes the role from its members.
    func remove(role: RoleID, from tenant: TenantID) throws
    func remove(connection name: String, from tenant: TenantID) throws

    /// Keeps the user's metadata and activity, but notes a password change.
    func put(_ user: User, passwordHash: String?, in tenant: TenantID) throws
    /// Remembers an `apply` file's password. Changes no password.
    func put(appliedPasswordHash hash: String, of user: UserID, in tenant: TenantID) throws
    /// Does nothing if the user does not exist.
    func put(_ metadata: UserMetadata, of user: UserID, in tenant: TenantID) throws
    /// Replaces only the user's roles.
    func put(roles: [RoleID], of user: UserID, in tenant: TenantID, now: Timestamp) throws
    /// True if decisions of the user are kept for receipts.
    func keepsDecisions(of user: UserID, in tenant: TenantID, now: Timestamp) throws -> Bool
    /// Deletes all the user's data. False if unknown.
    func remove(user: UserID, from tenant: TenantID) throws -> Bool

    func put(_ document: TenantDocument, in tenant: TenantID) throws
    /// False if unknown.
    func remove(document kind: TenantDocument.Kind, _ id: String, from tenant: TenantID) throws -> Bool

    /// Does nothing if the tenant has a key: subscriptions are bound to it.
    func put(_ key: WebPushKey) throws
    func put(_ key: SigningKey) throws
    /// Stores a certificate for a key without one.
    func certify(_ key: SigningKey) throws
    func record(_ event: AuditEvent) throws
}
