import AuthorizationCore
import Flows
import Primitives
import SQL

/// Bound columns of one row, with the seal that is stored.
struct BoundRow {
    let values: [SQLValue]
    let stored: [UInt8]

    /// Reads the bound columns from column 0 on, and the seal behind them.
    init(_ row: borrowing Row, _ seal: RowSeal) throws {
        values = try seal.values(row)
        stored = try row.blob(seal.columns.count)
    }
}

extension Store {
    /// A statement whose first values are the bound ones, with their MAC as the value of its last parameter.
    func sealed(_ statement: Statement, _ seal: RowSeal) throws -> Statement {
        statement.adding(.blob(try rows.mac(seal.bytes(statement.values.prefix(seal.columns.count)))))
    }

    /// Throws `ChangedRow` if the seal does not fit.
    func requireIntact(_ row: borrowing Row, _ seal: RowSeal) throws {
        let bound = try BoundRow(row, seal)
        guard try isIntact(bound, seal) else { throw changed(bound, seal) }
    }

    /// True if the seal fits. Without a master key nothing is checked, and nothing is issued.
    func isIntact(_ row: BoundRow, _ seal: RowSeal, parts: [SQLValue] = []) throws -> Bool {
        guard rows.isOpen else { return true }
        return constantTimeEquals(row.stored, try rows.mac(seal.bytes(row.values + parts)))
    }

    /// Notes a row whose seal does not fit.
    func changed(_ row: BoundRow, _ seal: RowSeal) -> ChangedRow {
        let changed = ChangedRow(
            table: seal.table, place: seal.place(row.values),
            authorization: seal.text("authorization_id", of: row.values).map { AuthorizationID($0) },
            user: seal.text("user", of: row.values).map { UserID($0) },
            client: seal.text("client", of: row.values).map { ClientID($0) })
        changedRows.note(changed.place)
        return changed
    }

    /// Calls `report` once for each row that this process found changed, with its table and name.
    package func watchChangedRows(_ report: @escaping @Sendable (String) -> Void) { changedRows.watch(report) }

    /// Number of times that this process found a changed row.
    package var changedRowCount: Int { changedRows.count }

    /// Sets columns of the row that matches, and seals it again. False without such a row, and if its seal did
    /// not fit before.
    func rewrite(
        _ seal: RowSeal, where condition: SQLFragment, setting changes: [(column: String, value: SQLValue)],
        _ connection: any Connection
    ) throws -> Bool {
        // Holds the row: its new seal must bind what the row has then.
        let found = try connection.first(
            """
            UPDATE \(raw: seal.table) SET seal = seal WHERE \(condition)
            RETURNING \(raw: seal.list.description), seal
            """
        ) { try BoundRow($0, seal) }
        guard let found else { return false }
        guard try isIntact(found, seal) else {
            _ = changed(found, seal)
            return false
        }
        var values = found.values
        for (column, value) in changes { if let index = seal.columns.firstIndex(of: column) { values[index] = value } }
        let assignments = changes.map { column, value -> SQLFragment in #""\#(raw: column)" = \#(value)"# }
        return try connection.execute(
            """
            UPDATE \(raw: seal.table) SET \(SQLFragment.joined(assignments, by: ", ")),
                seal = \(try rows.mac(seal.bytes(values)))
            WHERE \(condition)
            """) == 1
    }
}

extension RowSeal {
    /// Values of the rows that belong to a row, in a fixed order. Empty for a table without parts.
    func parts(of values: [SQLValue], _ connection: any Connection) throws -> [SQLValue] {
        guard let part, let owner = values.first else { return [] }
        let count = part.columns.description.split(separator: ",").count
        var rows: [SQLValue] = []
        try connection.run(
            """
            SELECT \(raw: part.columns.description) FROM \(raw: part.table.description)
            WHERE tenant = \(owner) AND \(raw: part.condition)
            ORDER BY \(raw: part.columns.description)
            """
        ) { row in
            for column in 0..<count { rows.append(try row.value(column)) }
            return true
        }
        return [.integer(Int64(rows.count))] + rows
    }

    /// Rows with their keys, and the values that their seals bind.
    func stored(
        _ connection: any Connection, limit: Int = .max
    ) throws -> [(key: [SQLValue], row: BoundRow, parts: [SQLValue])] {
        let keys = key.map { #""\#($0)""# }.joined(separator: ", ")
        return try connection.query(
            "SELECT \(raw: list.description), seal, \(raw: keys) FROM \(raw: table) LIMIT \(limit)"
        ) { row in
            var values: [SQLValue] = []
            for index in key.indices { values.append(try row.value(columns.count + 1 + index)) }
            return (values, try BoundRow(row, self))
        }.map { ($0.0, $0.1, try parts(of: $0.1.values, connection)) }
    }

    /// Seals rows again that `old` sealed. A row without a seal, which an exchange gave up, stays without.
    /// - Parameter givingUp: takes the seal from a row that somebody else changed, instead of throwing `ClosedBox`.
    func exchange(
        from old: any RowAuthenticator, to new: any RowAuthenticator, givingUp: Bool, _ counts: inout KeyExchangeCounts,
        _ connection: any Connection
    ) throws {
        for (key, row, parts) in try stored(connection) where !row.stored.isEmpty {
            let bytes = bytes(row.values + parts)
            if constantTimeEquals(row.stored, try old.mac(bytes)) {
                try store(try new.mac(bytes), key, connection)
            } else if givingUp {
                try store([], key, connection)
                counts.emptied += 1
            } else {
                throw ClosedBox(place: place(row.values))
            }
        }
    }

    func store(_ seal: [UInt8], _ key: [SQLValue], _ connection: any Connection) throws {
        let names = zip(self.key, key).map { name, value -> SQLFragment in #""\#(raw: name)" = \#(value)"# }
        try connection.execute(
            "UPDATE \(raw: table) SET seal = \(seal) WHERE \(SQLFragment.joined(names, by: " AND "))")
    }
}
