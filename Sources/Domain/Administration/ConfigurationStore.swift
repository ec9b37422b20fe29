package import AuthorizationCore
package import Primitives

/// Everything configured, as it is stored: what a server makes its configuration of.
package struct Configuration: Sendable {
    package struct TenantPart: Sendable {
        package var tenant: Tenant
        package var clients: [Client]
        package var resourceServers: [ResourceServer]
        package var roles: [Role]
        /// Their secrets sealed.
        package var connections: [LoginConnection]
        /// Private halves sealed; revoked ones included.
        package var signingKeys: [SigningKey]

        package init(
            tenant: Tenant, clients: [Client] = [], resourceServers: [ResourceServer] = [], roles: [Role] = [],
            connections: [LoginConnection] = [], signingKeys: [SigningKey] = []
        ) {
            self.tenant = tenant
            self.clients = clients
            self.resourceServers = resourceServers
            self.roles = roles
            self.connections = connections
            self.signingKeys = signingKeys
        }
    }

    package var tenants: [TenantPart]

    package init(tenants: [TenantPart]) { self.tenants = tenants }
}

/// What administration needs of a store.
package protocol ConfigurationStore: Sendable {
    /// Grows with every change, whichever process made it.
    func version() async throws -> Int64

    /// Reads at one snapshot, which holds every change that was acknowledged before.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ConfigurationReader) throws -> Result
    ) async throws -> Result

    /// One transaction: all of what `body` does, or nothing when it throws. `body` may run more than once.
    func change<Result: Sendable>(
        _ body: @escaping @Sendable (any ConfigurationTransaction) throws -> Result
    ) async throws -> Result
}

extension ConfigurationStore {
    package func configuration() async throws -> Configuration {
        try await read { Configuration(tenants: try $0.tenants()) }
    }
}

/// What may be read at one moment. Lists are in the order of their keys.
package protocol ConfigurationReader: UserReader {
    func tenants() throws -> [Configuration.TenantPart]
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

    /// The user with the encoded hash of the password.
    func user(_ id: UserID, in tenant: TenantID) throws -> (user: User, passwordHash: String?)?
    /// The hash of the password that a file of `apply` gave the user last. Nil means that none did.
    func appliedPasswordHash(of user: UserID, in tenant: TenantID) throws -> String?
    func user(email: String, in tenant: TenantID) throws -> UserID?
    /// A username of the database, in lower case.
    func user(username: String, in tenant: TenantID) throws -> UserID?
    /// Empty where there is no such user.
    func metadata(of user: UserID, in tenant: TenantID) throws -> UserMetadata
    /// Who has a role in the order of their ids: of those behind `after` at most `limit` after the first `skip`.
    func members(of role: RoleID, in tenant: TenantID, after: UserID?, skip: Int, limit: Int) throws -> [User]
    func memberCount(of role: RoleID, in tenant: TenantID) throws -> Int

    func documents(_ kind: TenantDocument.Kind, of tenant: TenantID) throws -> [TenantDocument]
    func document(_ kind: TenantDocument.Kind, _ id: String, of tenant: TenantID) throws -> TenantDocument?
}

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
