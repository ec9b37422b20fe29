package import Audit
package import AuthorizationCore
import Configuration
package import Primitives
import SQL

/// Reason why a tenant is not moved. Nothing was changed.
package enum TenantMoveFailure: Error, Sendable, Equatable, CustomStringConvertible {
    case noTenant(TenantID)
    case tenantExists(TenantID)
    case hostTaken(String, by: TenantID)
    /// A row that somebody without the master key changed.
    case changedRow(String)
    /// A unique value that another tenant has.
    case taken(String)
    /// A row that no program of this version wrote.
    case unknownRow(String)

    package var description: String {
        switch self {
        case .noTenant(let tenant): "there is no tenant \(tenant)"
        case .tenantExists(let tenant): "there is a tenant \(tenant) already"
        case .hostTaken(let host, let tenant): "the tenant \(tenant) has the host \(host) already"
        case .changedRow(let place): "\(place) was changed by somebody without the master key"
        case .taken(let name): "an object of it is here already, in another tenant (\(name))"
        case .unknownRow(let what): "\(what): a row of another version of this program"
        }
    }
}

extension Store {
    /// Passes all rows that go along to `visit`, with the name of their table, on one snapshot. A running server is not
    /// delayed.
    /// - Parameters:
    ///   - old: opens sealed values.
    ///   - new: seals them for the file.
    ///   - tokenKey: key of the tenant's refresh tokens, if it uses the installation's.
    /// - Throws: `TenantMoveFailure`, `ClosedBox`, or an error of the store.
    package func exportTenant(
        _ tenant: TenantID, from old: any Sealer, to new: any Sealer, tokenKey: SecretBytes,
        _ visit: @escaping @Sendable (_ table: String, _ row: JSONObject) throws -> Void
    ) async throws {
        try await database.scan(within: .seconds(86_400)) { connection in
            guard try connection.exists("SELECT 1 FROM tenant WHERE id = \(tenant)") else {
                throw TenantMoveFailure.noTenant(tenant)
            }
            for moved in try MovedRows.all(of: tenant, connection) {
                var count = 0
                try connection.run(moved.selection) { row in
                    let values = try row.values(moved.table.columns.count)
                    let named = Dictionary(uniqueKeysWithValues: zip(moved.table.columns, values))
                    try requireIntact(named, moved, connection)
                    try visit(moved.table.name, try moved.row(named, from: old, to: new))
                    count += 1
                    return true
                }
                if moved.table.name == RefreshTokenKey.table, count == 0 {
                    let values: [String: SQLValue] = [
                        "tenant": tenant.sqlValue, "sealed_key": .blob(tokenKey.bytes),
                    ]
                    try visit(moved.table.name, try moved.row(values, from: nil, to: new))
                }
            }
        }
    }

    private func requireIntact(_ row: [String: SQLValue], _ moved: MovedRows, _ connection: any Connection) throws {
        guard let seal = moved.seal else { return }
        let values = seal.columns.map { row[$0] ?? .null }
        guard case .blob(let stored) = row["seal"],
            constantTimeEquals(
                stored, try rows.mac(seal.bytes(values + seal.parts(of: values, connection))))
        else { throw TenantMoveFailure.changedRow(seal.place(values)) }
    }

    /// Writes a tenant's rows, all or none, and seals them under this installation's key.
    /// - Parameters:
    ///   - old: opens the file's sealed values.
    ///   - new: seals them.
    ///   - isTrial: undoes everything at the end.
    ///   - rows: passes all rows of the file. May run more than once.
    /// - Throws: `TenantMoveFailure`, what `rows` throws, or an error of the store.
    package func importTenant(
        _ tenant: TenantID, from old: any Sealer, to new: any Sealer, isTrial: Bool, event: AuditEvent,
        _ rows: @escaping @Sendable (_ visit: (_ table: String, _ row: JSONObject) throws -> Void) throws -> Void
    ) async throws {
        do {
            try await changeStored { transaction in
                try transaction.importTenant(tenant, from: old, to: new, rows)
                try transaction.record(event)
                if isTrial { throw TakenBack() }
            }
        } catch is TakenBack {
            return
        } catch SQLError.constraint(.unique, let name) {
            throw TenantMoveFailure.taken(name)
        } catch SQLError.constraint(let kind, let name) {
            throw TenantMoveFailure.unknownRow("\(kind.rawValue) \(name)")
        }
    }
}

extension StoredConfiguration {
    fileprivate func importTenant(
        _ tenant: TenantID, from old: any Sealer, to new: any Sealer,
        _ rows: (_ visit: (_ table: String, _ row: JSONObject) throws -> Void) throws -> Void
    ) throws {
        guard try !connection.exists("SELECT 1 FROM tenant WHERE id = \(tenant)") else {
            throw TenantMoveFailure.tenantExists(tenant)
        }
        let tables = try MovedRows.all(of: tenant, connection)
        try rows { name, row in
            guard let moved = tables.first(where: { $0.table.name == name }) else {
                throw TenantMoveFailure.unknownRow(name)
            }
            var values = try moved.values(row, of: tenant, from: old, to: new)
            // The entry is in another installation's log. No number of this one is negative, and the order stays.
            if case .integer(let number) = values["audit_entry"], number >= 0 {
                values["audit_entry"] = .integer(number - MovedEntry.offset)
            }
            if let seal = moved.seal {
                // The tenant's own binds rows that are still to come.
                let bound = seal.bytes(seal.columns.map { values[$0] ?? .null })
                values["seal"] = .blob(seal.part == nil ? try store.rows.mac(bound) : [])
            }
            let columns = moved.table.columns.filter { values[$0] != nil }
            let insertion = moved.table.insertion(columns).with(columns.compactMap { values[$0] })
            if moved.seal == nil { try connection.perform(insertion) } else { try execute(insertion) }
            if name == "user_profile", case .text(let user) = values["user"] {
                let metadata = try Store.metadata(of: UserID(user), tenant: tenant, connection)
                try Store.put(metadata, of: UserID(user), tenant: tenant, connection)
            }
        }
        try bind(.tenant, tenant)
        guard let found = try objects([.tenant, .everyTenant], of: tenant).first, let own = found.tenant else {
            throw TenantMoveFailure.unknownRow("tenant")
        }
        for other in found.everyTenant where other.id != tenant {
            if let host = other.hosts.first(where: own.hosts.contains) {
                throw TenantMoveFailure.hostTaken(host, by: other.id)
            }
        }
    }
}

/// Decisions whose entry is in the audit log of the installation that their tenant came from.
enum MovedEntry {
    /// Taken from the number of such an entry, which is below it.
    static let offset: Int64 = 1 << 53
}

// MARK: rows as JSON

extension MovedRows {
    private static let (bytes, real, sealedBytes) = ("bytes", "real", "sealed")

    /// - Parameter old: opens sealed values. Nil means that they are open.
    fileprivate func row(_ values: [String: SQLValue], from old: (any Sealer)?, to new: any Sealer) throws -> JSONObject
    {
        var row: JSONObject = [:]
        for column in columns {
            let value = values[column] ?? .null
            if let sealed = sealed.first(where: { $0.column == column }), case .blob(let box) = value {
                row[column] = [Self.sealedBytes: .string(try move(box, sealed, values, from: old, to: new))]
                continue
            }
            let json: JSONValue =
                switch value {
                case .null: .null
                case .integer(let number): .number(JSONNumber(number))
                case .real(let number): [Self.real: JSONNumber(number).map { .number($0) } ?? .null]
                case .text(let text): .string(text)
                case .blob(let bytes): [Self.bytes: .string(Base64URL.encode(bytes))]
                }
            row[column] = json
        }
        return row
    }

    private func move(
        _ box: [UInt8], _ column: SealedColumn, _ values: [String: SQLValue], from old: (any Sealer)?,
        to new: any Sealer
    ) throws -> String {
        // An empty box seals nothing.
        if box.isEmpty { return "" }
        let context = try context(of: column, values)
        guard let old else { return Base64URL.encode(try new.seal(box, context: context)) }
        do {
            return Base64URL.encode(try new.seal(try old.open(box, context: context).bytes, context: context))
        } catch {
            let key = column.key.compactMap { if case .text(let text) = values[$0] { text } else { nil } }
            throw ClosedBox(place: ([table.name] + key).joined(separator: " "))
        }
    }

    /// - Throws: `TenantMoveFailure.unknownRow` unless the row has exactly the columns of this version.
    fileprivate func values(
        _ row: JSONObject, of tenant: TenantID, from old: any Sealer, to new: any Sealer
    ) throws -> [String: SQLValue] {
        let unknown = TenantMoveFailure.unknownRow(table.name)
        guard row.count == columns.count else { throw unknown }
        var values: [String: SQLValue] = [:]
        if let owner { values[owner] = tenant.sqlValue }
        var boxes: [(column: SealedColumn, box: [UInt8])] = []
        for column in columns {
            guard let value = row[column] else { throw unknown }
            if let sealed = sealed.first(where: { $0.column == column }), value != .null {
                guard let box = value[Self.sealedBytes]?.stringValue.flatMap({ Base64URL.decode($0) }) else {
                    throw unknown
                }
                boxes.append((sealed, box))
                continue
            }
            switch value {
            case .null: values[column] = .null
            case .string(let text): values[column] = .text(text)
            case .number(let number):
                guard let number = number.intValue else { throw unknown }
                values[column] = .integer(Int64(number))
            default:
                if let bytes = value[Self.bytes]?.stringValue.flatMap({ Base64URL.decode($0) }) {
                    values[column] = .blob(bytes)
                } else if case .number(let number) = value[Self.real] {
                    values[column] = .real(number.doubleValue)
                } else {
                    throw unknown
                }
            }
        }
        for (column, box) in boxes {
            let context = try context(of: column, values)
            values[column.column] = .blob(
                box.isEmpty ? [] : try new.seal(try old.open(box, context: context).bytes, context: context))
        }
        return values
    }
}
