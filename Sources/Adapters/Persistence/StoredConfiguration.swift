import AuthorizationCore
import Configuration
import Flows
import Primitives
import SQL

/// Configuration tables within one transaction.
final class StoredConfiguration {
    let store: Store
    let connection: any Connection
    /// Users are not configuration: changing them leaves its version alone.
    private(set) var hasChanged = false

    init(store: Store, connection: any Connection) {
        self.store = store
        self.connection = connection
    }

    /// Runs a statement that changes the configuration. Returns the number of changed rows.
    @discardableResult
    func execute(_ statement: Statement) throws -> Int {
        defer { hasChanged = true }
        return try connection.execute(statement)
    }
}

extension StoredConfiguration: ConfigurationReader {
    func tenants() throws -> [StoredTenant] {
        try tenants("1 = 1").map { tenant in
            StoredTenant(
                tenant: tenant, clients: try clients(of: tenant.id),
                resourceServers: try resourceServers(of: tenant.id), roles: try roles(of: tenant.id),
                connections: try connections(of: tenant.id), signingKeys: try signingKeys(of: tenant.id),
                webPushKey: try webPushKey(of: tenant.id), documents: try serviceDocuments(of: tenant.id))
        }
    }

    func tenant(_ id: TenantID) throws -> Tenant? {
        try tenants("id = \(id)").first
    }

    /// A tenant whose own row, settings or connections were changed is left out as a whole: without one of them, it
    /// would demand less.
    private func tenants(_ condition: SQLFragment) throws -> [Tenant] {
        try connection.query(
            "SELECT \(raw: RowSeal.tenant.list.description), seal FROM tenant WHERE \(condition) ORDER BY id"
        ) { (try BoundRow($0, .tenant), try $0.text(1)) }.compactMap { row, document in
            guard try isIntact(row, .tenant) else { return nil }
            return try StoredDocuments.tenant(JSONValue(stored: document))
        }
    }

    func clients(of tenant: TenantID) throws -> [Client] { try clients("tenant = \(tenant)") }

    func client(_ id: ClientID, of tenant: TenantID) throws -> Client? {
        try clients("tenant = \(tenant) AND id = \(id)").first
    }

    private func clients(_ condition: SQLFragment) throws -> [Client] {
        try intact(.client, "\(condition) ORDER BY id") { row in
            try StoredDocuments.client(JSONValue(stored: try row.text(2)), secretHashes: Self.split(try row.blob(3)))
        }
    }

    func resourceServers(of tenant: TenantID) throws -> [ResourceServer] { try resourceServers("tenant = \(tenant)") }

    func resourceServer(_ identifier: String, of tenant: TenantID) throws -> ResourceServer? {
        try resourceServers("tenant = \(tenant) AND identifier = \(identifier)").first
    }

    private func resourceServers(_ condition: SQLFragment) throws -> [ResourceServer] {
        try intact(.resourceServer, "\(condition) ORDER BY identifier") { row in
            try StoredDocuments.resourceServer(JSONValue(stored: try row.text(2)))
        }
    }

    func roles(of tenant: TenantID) throws -> [Role] { try roles("tenant = \(tenant)") }

    func role(_ id: RoleID, of tenant: TenantID) throws -> Role? {
        try roles("tenant = \(tenant) AND id = \(id)").first
    }

    private func roles(_ condition: SQLFragment) throws -> [Role] {
        try intact(.role, "\(condition) ORDER BY id") { row in
            try StoredDocuments.role(JSONValue(stored: try row.text(2)))
        }
    }

    func connections(of tenant: TenantID) throws -> [LoginConnection] { try connections("tenant = \(tenant)") }

    func connection(_ name: String, of tenant: TenantID) throws -> LoginConnection? {
        try connections("tenant = \(tenant) AND name = \(name)").first
    }

    private func connections(_ condition: SQLFragment) throws -> [LoginConnection] {
        try connection.query("SELECT document, sealed_secret FROM connection WHERE \(condition) ORDER BY name") { row in
            try StoredDocuments.connection(JSONValue(stored: try row.text(0)), sealedSecret: try row.blob(1))
        }
    }

    func user(_ id: UserID, in tenant: TenantID) throws -> (user: User, passwordHash: String?)? {
        try Store.account(id, tenant: tenant, connection).map { ($0.user, $0.passwordHash) }
    }

    func appliedPasswordHash(of user: UserID, in tenant: TenantID) throws -> String? {
        try connection.query(
            #"SELECT applied_password_hash FROM "user" WHERE tenant = \#(tenant) AND id = \#(user)"#
        ) { try $0.optionalText(0) }.first ?? nil
    }

    func user(email: EmailAddress, in tenant: TenantID) throws -> UserID? {
        try Store.account(email: email, tenant: tenant, connection)?.user.id
    }

    func user(username: String, in tenant: TenantID) throws -> UserID? {
        try Store.owner(ofUsername: username, tenant: tenant, connection)
    }

    func metadata(of user: UserID, in tenant: TenantID) throws -> UserMetadata {
        try Store.metadata(of: user, tenant: tenant, connection)
    }

    func members(of role: RoleID, in tenant: TenantID, after: UserID?, skip: Int, limit: Int) throws -> [User] {
        try connection.query(
            """
            SELECT \(raw: User.columns.description) FROM "user"
            WHERE tenant = \(tenant) AND id IN (
                SELECT "user" FROM user_role
                WHERE tenant = \(tenant) AND role = \(role) AND "user" > \(after?.rawValue ?? "")
                ORDER BY "user" LIMIT \(limit) OFFSET \(skip)
            ) ORDER BY id
            """
        ) { try User($0) }
    }

    func memberCount(of role: RoleID, in tenant: TenantID) throws -> Int {
        try connection.first("SELECT count(*) FROM user_role WHERE tenant = \(tenant) AND role = \(role)") {
            try $0.int(0)
        } ?? 0
    }

    func documents(_ kind: TenantDocument.Kind, of tenant: TenantID) throws -> [TenantDocument] {
        try documents("tenant = \(tenant) AND kind = \(kind.rawValue)")
    }

    func document(_ kind: TenantDocument.Kind, _ id: String, of tenant: TenantID) throws -> TenantDocument? {
        try documents("tenant = \(tenant) AND kind = \(kind.rawValue) AND id = \(id)").first
    }

    private func serviceDocuments(of tenant: TenantID) throws -> [TenantDocument] {
        let kinds = JSONWriter.string(.array(StoredTenant.serviceKinds.map { .string($0.rawValue) }))
        return try documents("tenant = \(tenant) AND kind IN (SELECT value FROM json_each(\(kinds)))")
    }

    private func documents(_ condition: SQLFragment) throws -> [TenantDocument] {
        try connection.query(
            "SELECT id, document, sealed_secrets, kind FROM tenant_document WHERE \(condition) ORDER BY kind, id"
        ) { row in
            guard let document = try JSONValue(stored: try row.text(1)).objectValue,
                let kind = TenantDocument.Kind(rawValue: try row.text(3))
            else { throw CorruptRow(what: "tenant_document") }
            return TenantDocument(kind, id: try row.text(0), document: document, sealedSecrets: try row.blob(2))
        }
    }

    /// Splits concatenated hashes of 32 bytes.
    private static func split(_ bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count - 31, by: 32).map { Array(bytes[$0..<$0 + 32]) }
    }
}
