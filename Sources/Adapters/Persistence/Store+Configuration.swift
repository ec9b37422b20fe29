public import Administration
import AuthorizationCore
import Flows
import JOSE
import OAuthWire
import Primitives
import SQL

extension Store: ConfigurationStore {
    public func configuration() async throws -> Configuration {
        try await database.read {
            Configuration(tenants: try StoredConfiguration(store: self, connection: $0).tenants())
        }
    }

    public func version() async throws -> Int64 {
        try await database.read { try $0.first("SELECT version FROM configuration") { try $0.int64(0) } ?? 0 }
    }

    public func change<Result: Sendable>(
        _ body: @escaping @Sendable (any ConfigurationTransaction) throws -> Result
    ) async throws -> Result {
        try await database.write { connection in
            let transaction = StoredConfiguration(store: self, connection: connection)
            let result = try body(transaction)
            if transaction.hasChanged { try connection.execute("UPDATE configuration SET version = version + 1") }
            return result
        }
    }
}

/// The configuration's tables within one transaction.
private final class StoredConfiguration: ConfigurationTransaction {
    private let store: Store
    private let connection: any Connection
    /// Users are not part of the directory, so a change of them leaves its version alone.
    private(set) var hasChanged = false

    init(store: Store, connection: any Connection) {
        self.store = store
        self.connection = connection
    }

    func tenants() throws -> [Configuration.TenantPart] {
        try connection.query("SELECT document FROM tenant ORDER BY id") { row in
            try StoredDocuments.tenant(JSONValue(stored: try row.text(0)))
        }.map(part)
    }

    private func part(_ tenant: Tenant) throws -> Configuration.TenantPart {
        var part = Configuration.TenantPart(tenant: tenant)
        part.clients = try connection.query(
            "SELECT document, secret_hashes FROM client WHERE tenant = \(tenant.id) ORDER BY id"
        ) { row in
            try StoredDocuments.client(
                JSONValue(stored: try row.text(0)), secretHashes: Self.split(try row.blob(1)))
        }
        part.resourceServers = try connection.query(
            "SELECT document FROM resource_server WHERE tenant = \(tenant.id) ORDER BY identifier"
        ) { try StoredDocuments.resourceServer(JSONValue(stored: try $0.text(0))) }
        part.roles = try connection.query("SELECT document FROM role WHERE tenant = \(tenant.id) ORDER BY id") { row in
            try StoredDocuments.role(JSONValue(stored: try row.text(0)))
        }
        part.connections = try connection.query(
            "SELECT document, sealed_secret FROM connection WHERE tenant = \(tenant.id) ORDER BY name"
        ) { row in
            try StoredDocuments.connection(JSONValue(stored: try row.text(0)), sealedSecret: try row.blob(1))
        }
        part.signingKeys = try connection.query(
            """
            SELECT id, algorithm, status, sealed_private_key, public_key, created_at, changed_at FROM signing_key
            WHERE tenant = \(tenant.id) ORDER BY created_at, id
            """
        ) { row in
            guard let algorithm = JWSAlgorithm(rawValue: try row.text(1)),
                let status = SigningKey.Status(rawValue: try row.text(2))
            else { throw CorruptRow(what: "signing_key") }
            return SigningKey(
                id: try row.id(0), tenant: tenant.id, algorithm: algorithm, status: status,
                sealedPrivateKey: try row.blob(3), publicKey: try JWK(JSONValue(stored: try row.text(4))),
                createdAt: try row.timestamp(5), changedAt: try row.timestamp(6))
        }
        return part
    }

    /// Hashes of 32 bytes each, one behind the other.
    private static func split(_ bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count - 31, by: 32).map { Array(bytes[$0..<$0 + 32]) }
    }

    private func execute(_ statement: Statement) throws {
        try connection.execute(statement)
        hasChanged = true
    }

    func put(_ tenant: Tenant) throws {
        try execute(
            """
            INSERT INTO tenant (id, document) VALUES (\(tenant.id), \(JSONWriter.string(.object(tenant.document))))
            ON CONFLICT (id) DO UPDATE SET document = excluded.document
            """)
    }

    func put(_ client: Client, in tenant: TenantID) throws {
        try execute(
            """
            INSERT INTO client (tenant, id, secret_hashes, document)
            VALUES (\(tenant), \(client.id), \(Array(client.secretHashes.joined())),
                \(JSONWriter.string(.object(client.document))))
            ON CONFLICT (tenant, id) DO UPDATE SET secret_hashes = excluded.secret_hashes, document = excluded.document
            """)
    }

    func put(_ resourceServer: ResourceServer, in tenant: TenantID) throws {
        try execute(
            """
            INSERT INTO resource_server (tenant, identifier, document)
            VALUES (\(tenant), \(resourceServer.identifier), \(JSONWriter.string(.object(resourceServer.document))))
            ON CONFLICT (tenant, identifier) DO UPDATE SET document = excluded.document
            """)
    }

    func put(_ role: Role, in tenant: TenantID) throws {
        try execute(
            """
            INSERT INTO role (tenant, id, document)
            VALUES (\(tenant), \(role.id), \(JSONWriter.string(.object(role.document))))
            ON CONFLICT (tenant, id) DO UPDATE SET document = excluded.document
            """)
    }

    func put(_ login: LoginConnection, in tenant: TenantID) throws {
        try execute(
            """
            INSERT INTO connection (tenant, name, sealed_secret, document)
            VALUES (\(tenant), \(login.name), \(login.upstream?.sealedSecret ?? []),
                \(JSONWriter.string(.object(login.document))))
            ON CONFLICT (tenant, name) DO UPDATE SET sealed_secret = excluded.sealed_secret,
                document = excluded.document
            """)
    }

    func remove(client: ClientID, from tenant: TenantID) throws {
        try execute("DELETE FROM client WHERE tenant = \(tenant) AND id = \(client)")
    }

    func remove(resourceServer: String, from tenant: TenantID) throws {
        try execute("DELETE FROM resource_server WHERE tenant = \(tenant) AND identifier = \(resourceServer)")
    }

    func remove(role: RoleID, from tenant: TenantID) throws {
        try execute("DELETE FROM role WHERE tenant = \(tenant) AND id = \(role)")
    }

    func remove(connection name: String, from tenant: TenantID) throws {
        try execute("DELETE FROM connection WHERE tenant = \(tenant) AND name = \(name)")
    }

    func user(_ id: UserID, in tenant: TenantID) throws -> (user: User, passwordHash: String?)? {
        try Store.account(id, tenant: tenant, connection).map { ($0.user, $0.passwordHash) }
    }

    func user(email: String, in tenant: TenantID) throws -> UserID? {
        try Store.account(email: email, tenant: tenant, connection)?.user.id
    }

    func put(_ user: User, passwordHash: String?, in tenant: TenantID) throws {
        try connection.execute(
            """
            INSERT INTO "user" \(Store.values(of: user, passwordHash: passwordHash, tenant: tenant))
            ON CONFLICT (tenant, id) DO UPDATE SET email = excluded.email, email_verified = excluded.email_verified,
                name = excluded.name, given_name = excluded.given_name, family_name = excluded.family_name,
                nickname = excluded.nickname, picture = excluded.picture, phone_number = excluded.phone_number,
                language = excluded.language, blocked = excluded.blocked, roles = excluded.roles,
                password_hash = excluded.password_hash, updated_at = excluded.updated_at
            """)
        if let identity = UpstreamIdentity(of: user) {
            try Store.add(identity, to: user.id, tenant: tenant, connection)
        }
    }

    func put(_ key: SigningKey) throws {
        try execute(
            """
            INSERT INTO signing_key (tenant, id, algorithm, status, public_key, sealed_private_key, created_at,
                changed_at)
            VALUES (\(key.tenant), \(key.id), \(key.algorithm.rawValue), \(key.status.rawValue),
                \(JSONWriter.string(key.publicKey.json)), \(key.sealedPrivateKey), \(key.createdAt), \(key.changedAt))
            ON CONFLICT (tenant, id) DO UPDATE SET status = excluded.status, changed_at = excluded.changed_at
            """)
    }

    func record(_ event: AuditEvent) throws { try store.append(event, connection) }
}
