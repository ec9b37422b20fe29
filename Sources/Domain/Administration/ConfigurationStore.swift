public import AuthorizationCore
public import Primitives

/// Everything configured, as it is stored: what a server makes its directory of.
public struct Configuration: Sendable {
    public struct TenantPart: Sendable {
        public var tenant: Tenant
        public var clients: [Client]
        public var resourceServers: [ResourceServer]
        public var roles: [Role]
        /// Their secrets sealed.
        public var connections: [LoginConnection]
        /// Private halves sealed; revoked ones included.
        public var signingKeys: [SigningKey]

        public init(
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

    public var tenants: [TenantPart]

    public init(tenants: [TenantPart]) { self.tenants = tenants }
}

/// What administration needs of a store.
public protocol ConfigurationStore: Sendable {
    func configuration() async throws -> Configuration

    /// Grows with every change, whichever process made it.
    func version() async throws -> Int64

    /// One transaction: all of what `body` does, or nothing when it throws. `body` may run more than once.
    func change<Result: Sendable>(
        _ body: @escaping @Sendable (any ConfigurationTransaction) throws -> Result
    ) async throws -> Result
}

/// What may be read and written within one change.
public protocol ConfigurationTransaction {
    func tenants() throws -> [Configuration.TenantPart]
    func put(_ tenant: Tenant) throws
    func put(_ client: Client, in tenant: TenantID) throws
    func put(_ resourceServer: ResourceServer, in tenant: TenantID) throws
    func put(_ role: Role, in tenant: TenantID) throws
    func put(_ connection: LoginConnection, in tenant: TenantID) throws
    func remove(client: ClientID, from tenant: TenantID) throws
    func remove(resourceServer: String, from tenant: TenantID) throws
    func remove(role: RoleID, from tenant: TenantID) throws
    func remove(connection name: String, from tenant: TenantID) throws

    /// The user with the encoded hash of the password.
    func user(_ id: UserID, in tenant: TenantID) throws -> (user: User, passwordHash: String?)?
    func user(email: String, in tenant: TenantID) throws -> UserID?
    /// A username of the database, in lower case.
    func user(username: String, in tenant: TenantID) throws -> UserID?
    /// A user's metadata and activity stay as they are, except that another password is noted.
    func put(_ user: User, passwordHash: String?, in tenant: TenantID) throws
    /// Empty where there is no such user.
    func metadata(of user: UserID, in tenant: TenantID) throws -> UserMetadata
    /// Nothing happens where there is no such user.
    func put(_ metadata: UserMetadata, of user: UserID, in tenant: TenantID) throws

    func put(_ key: SigningKey) throws
    func record(_ event: AuditEvent) throws
}
