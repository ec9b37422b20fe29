package import AuthorizationCore
package import Primitives
import Audit
import SQL

/// Sealed values of one table, as far as a bounded check read them.
package struct SealedValueCount: Sendable, Equatable {
    package let table: String
    package let checked: Int
    /// Table and key of each value that does not open, or of each row that somebody changed.
    package let unreadable: [String]
    /// True if rows were verified (`RowSeal`), and no values opened.
    package var isOfRows = false
}

/// Bounded reads by which an operator's check judges a database.
extension Store {
    /// Opens at most `limit` values of each sealed column, and verifies as many rows of each bound table.
    /// - Throws: `SQLError.timedOut` after `duration`.
    package func sealedValues(
        _ limit: Int, within duration: Duration, opening sealer: any Sealer & RowAuthenticator
    ) async throws -> [SealedValueCount] {
        try await database.scan(within: duration) { connection in
            let sealed = try SealedColumn.all.map { column in
                do {
                    let boxes = try column.boxes(connection, limit: limit)
                    let closed = boxes.filter { (try? sealer.open($0.sealed, context: $0.context)) == nil }
                    return SealedValueCount(
                        table: column.table, checked: boxes.count, unreadable: closed.map(column.place))
                } catch let unreadable as ClosedBox {
                    return SealedValueCount(table: column.table, checked: 1, unreadable: [unreadable.place])
                }
            }
            let bound = try RowSeal.all.map { seal in
                let found = try seal.stored(connection, limit: limit)
                let changed = try found.filter { _, row, parts in
                    !constantTimeEquals(row.stored, try sealer.mac(seal.bytes(row.values + parts)))
                }
                return SealedValueCount(
                    table: seal.table, checked: found.count, unreadable: changed.map { seal.place($0.row.values) },
                    isOfRows: true)
            }
            return sealed + bound
        }
    }

    /// First fault of the file's structure or schema. Nil means that there is none.
    /// - Throws: `SQLError.timedOut` after `duration`.
    package func structureFault(within duration: Duration) async throws -> String? {
        try await database.scan(within: duration) { connection in
            if let foreign = try Schema.foreignObject(connection) { return foreign }
            guard let check = connection.dialect.structureCheck else { return nil }
            let found = try connection.first(check) { try $0.text(0) }
            return found == "ok" ? nil : found ?? "no answer"
        }
    }

    /// Time of the last entry of the audit log. Nil means an empty log, or an unreadable entry.
    package func timeOfLastEntry() async throws -> Timestamp? {
        try await lastEntries(1).first?.entry?.at
    }

    /// Number of a tenant's devices that their push service refused since `earliest` and that did not register again.
    /// Tenants without one are left out.
    /// - Throws: `SQLError.timedOut` after `duration`.
    package func refusedPushes(since earliest: Timestamp, within duration: Duration) async throws -> [TenantID: Int] {
        let counts = try await database.scan(within: duration) { connection in
            try connection.query(
                "SELECT tenant, count(*) FROM device WHERE push_ended_at >= \(earliest) GROUP BY tenant"
            ) { (tenant: try $0.id(0, of: Tenant.self), count: try $0.int(1)) }
        }
        return Dictionary(uniqueKeysWithValues: counts.map { ($0.tenant, $0.count) })
    }

    /// Tenants with a user who has a password.
    /// - Throws: `SQLError.timedOut` after `duration`.
    package func tenantsWithPasswords(within duration: Duration) async throws -> Set<TenantID> {
        let found = try await database.scan(within: duration) { connection in
            try connection.query(
                """
                SELECT id FROM tenant WHERE EXISTS (
                    SELECT 1 FROM "user" WHERE "user".tenant = tenant.id AND password_hash IS NOT NULL)
                """
            ) { try $0.id(0, of: Tenant.self) }
        }
        return Set(found)
    }
}
