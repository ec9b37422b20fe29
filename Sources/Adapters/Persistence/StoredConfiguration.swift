import AuthorizationCore
import Configuration
import Primitives
import SQL

/// Configuration tables within one transaction.
final class StoredConfiguration {
    let store: Store
    let connection: any Connection
    /// Users are not configuration: changing them leaves its version alone.
    private(set) var hasChanged = false

    /// False for a snapshot that is only read.
    let isChange: Bool
    var keptUsers = 0

    init(store: Store, connection: any Connection, isChange: Bool = false) {
        self.isChange = isChange
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

// MARK: objects

extension StoredConfiguration {
    func version() throws -> Int64 {
        let version = try connection.first("SELECT version FROM configuration") { try $0.int64(0) }
        guard let version else { throw CorruptRow(what: "configuration, which has no version") }
        return version
    }

    func objects(_ parts: Set<ConfigurationPart>, of tenant: TenantID?) throws -> [ConfigurationObjects] {
        guard let tenant else { return try tenants("1 = 1").map { try objects(parts, of: $0.id, $0) } }
        return [
            try objects(parts, of: tenant, parts.contains(.tenant) ? tenants("id = \(tenant)").first : nil)
        ]
    }

    private func objects(
        _ parts: Set<ConfigurationPart>, of id: TenantID, _ tenant: Tenant?
    ) throws -> ConfigurationObjects {
        var found = ConfigurationObjects(id: id, version: try version())
        found.tenant = tenant
        let conditions = parts.compactMap { part -> SQLFragment? in
            switch part {
            case .kind(let kind): "kind = \(kind.rawValue)"
            case .object(let kind, let id): "kind = \(kind.rawValue) AND id = \(id)"
            case .tenant, .keys, .everyTenant: nil
            }
        }
        if !conditions.isEmpty {
            found.documents = try documents("tenant = \(id) AND (\(SQLFragment.joined(conditions, by: " OR ")))")
        }
        if parts.contains(.keys) {
            found.signingKeys = try signingKeys(of: id)
            found.webPushKey = try webPushKey(of: id)
            found.refreshTokenKey = try refreshTokenKey(of: id)
        }
        if parts.contains(.everyTenant) { found.everyTenant = try tenants("1 = 1") }
        return found
    }

    /// A tenant whose own row, settings or connections were changed is left out as a whole: without one of them, it
    /// would demand less.
    private func tenants(_ condition: SQLFragment) throws -> [Tenant] {
        try connection.query(
            "SELECT \(raw: RowSeal.tenant.list.description), seal FROM tenant WHERE \(condition) ORDER BY id"
        ) { (try BoundRow($0, .tenant), try $0.text(1)) }.compactMap { row, document in
            guard try isIntact(row, .tenant) else { return nil }
            return try DocumentFields.stored(JSONValue(stored: document)) { Tenant($0) }
        }
    }

    private func documents(_ condition: SQLFragment) throws -> [TenantDocument] {
        try connection.query(
            """
            SELECT \(raw: RowSeal.object.list.description), seal, sealed FROM configuration_object
            WHERE \(condition) ORDER BY kind, id
            """
        ) { row -> TenantDocument? in
            guard try isIntact(BoundRow(row, .object), .object) else { return nil }
            guard let kind = TenantDocument.Kind(rawValue: try row.text(1)),
                let document = try JSONValue(stored: try row.text(3)).objectValue
            else { throw CorruptRow(what: "configuration_object") }
            return TenantDocument(
                kind, id: try row.text(2), document: document, sealedSecrets: try row.blob(6),
                secretHashes: Self.split(try row.blob(4)))
        }.compactMap(\.self)
    }

    /// Splits concatenated hashes of 32 bytes.
    private static func split(_ bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count - 31, by: 32).map { Array(bytes[$0..<$0 + 32]) }
    }
}
