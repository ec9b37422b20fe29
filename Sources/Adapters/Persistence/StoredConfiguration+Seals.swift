import AuthorizationCore
import Primitives
import SQL

/// Seals of the configuration's rows.
extension StoredConfiguration {
    /// True if the seal fits. A row whose seal does not is noted.
    func isIntact(_ row: BoundRow, _ seal: RowSeal) throws -> Bool {
        let isIntact = try store.isIntact(row, seal, parts: seal.parts(of: row.values, connection))
        if !isIntact { _ = store.changed(row, seal) }
        return isIntact
    }

    private func row(_ seal: RowSeal, _ key: [SQLValue]) throws -> BoundRow? {
        let names = zip(seal.key, key).map { name, value -> SQLFragment in #""\#(raw: name)" = \#(value)"# }
        return try connection.first(
            """
            SELECT \(raw: seal.list.description), seal FROM \(raw: seal.table)
            WHERE \(SQLFragment.joined(names, by: " AND "))
            """
        ) { try BoundRow($0, seal) }
    }

    /// Seals a row that this transaction wrote whole.
    func bind(_ seal: RowSeal, _ key: any SQLBindable...) throws { try bind(seal, key.map(\.sqlValue)) }

    private func bind(_ seal: RowSeal, _ key: [SQLValue]) throws {
        guard let row = try row(seal, key) else { return }
        let parts = try seal.parts(of: row.values, connection)
        try seal.store(try store.rows.mac(seal.bytes(row.values + parts)), key, connection)
    }

    /// Changes a part of a row, and seals the row again. Throws `ChangedRow` if the row was not intact before, because
    /// a new seal would cover what somebody else wrote.
    func rebind<Result>(_ seal: RowSeal, _ key: any SQLBindable..., after change: () throws -> Result) throws -> Result
    {
        let key = key.map(\.sqlValue)
        if let row = try row(seal, key), try !isIntact(row, seal) { throw store.changed(row, seal) }
        let result = try change()
        try bind(seal, key)
        return result
    }

    /// Deletes the settings and connections of a tenant without a row, or whose seal does not fit, before it is written
    /// anew: nobody knows which of them somebody else wrote.
    func dropChangedParts(of tenant: TenantID) throws {
        if let row = try row(.tenant, [tenant.sqlValue]), try isIntact(row, .tenant) { return }
        if let part = RowSeal.tenant.part {
            try execute(
                """
                DELETE FROM \(raw: part.table.description)
                WHERE tenant = \(tenant) AND \(raw: part.condition)
                """)
        }
    }
}
