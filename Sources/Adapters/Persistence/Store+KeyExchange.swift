package import Audit
package import AuthorizationCore
package import Primitives
import SQL

/// Sealed value that the present master key does not open.
package struct ClosedBox: Error, Sendable, Equatable, CustomStringConvertible {
    /// Table and key of the row.
    package let place: String

    package var description: String { "\(place) cannot be opened with the present master key" }
}

/// Result of an exchange of the master key.
package struct KeyExchangeCounts: Sendable, Equatable {
    /// Values sealed again. Bound rows are not counted.
    package var sealed = 0
    /// Unreadable values that were given up.
    package var emptied = 0
    /// Logins that must begin again.
    package var endedLogins = 0

    package init() {}
}

extension Store {
    /// Seals all values of `old` under `new`, in one change. Changes nothing if a value does not open before or after.
    /// - Parameters:
    ///   - check: value that only the new key opens. Replaces the old one.
    ///   - fresh: new derivation keys by label. Nil keeps them and the key that signs archives. Otherwise that key is
    ///     deleted as well, and the next archive makes another.
    ///   - givingUp: empties values that `old` does not open, or deletes rows that the server recreates, instead of
    ///     throwing `ClosedBox`.
    ///   - event: entry for each tenant's log.
    package func exchangeMasterKey(
        from old: any Sealer & RowAuthenticator, to new: any Sealer & RowAuthenticator, check: [UInt8],
        fresh: [String: SecretBytes]? = nil,
        givingUp: Bool = false, event: @escaping @Sendable (TenantID) -> AuditEvent
    ) async throws -> KeyExchangeCounts {
        try await database.write { connection in
            var counts = KeyExchangeCounts()
            /// Rows that somebody else wrote, which no program reads again.
            var left: Set<String> = []
            for (table, condition) in SealedColumn.shortLived {
                counts.endedLogins += try connection.execute("DELETE FROM \(raw: table) WHERE \(raw: condition)")
            }
            if fresh != nil {
                try connection.execute("DELETE FROM audit_key")
                try connection.execute("DELETE FROM refresh_token_key")
            }
            for column in SealedColumn.all {
                for box in try column.boxes(connection, leavingOutUnreadable: givingUp) {
                    if let label = column.label(of: box), let key = fresh?[label] {
                        try column.store(try new.seal(key.bytes, context: box.context), in: box, connection)
                        counts.sealed += 1
                    } else if let opened = try? old.open(box.sealed, context: box.context) {
                        try column.store(try new.seal(opened.bytes, context: box.context), in: box, connection)
                        counts.sealed += 1
                    } else if givingUp {
                        if try column.giveUp(box, connection) {
                            counts.emptied += 1
                        } else {
                            left.insert(column.place(of: box))
                        }
                    } else {
                        throw ClosedBox(place: column.place(of: box))
                    }
                }
            }
            for seal in RowSeal.all {
                try seal.exchange(from: old, to: new, givingUp: givingUp, &counts, connection)
            }
            try connection.execute(
                """
                INSERT INTO master_key_check (id, sealed) VALUES (1, \(check))
                ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed
                """)
            for column in SealedColumn.all {
                for box in try column.boxes(connection, leavingOutUnreadable: givingUp)
                where !left.contains(column.place(of: box)) {
                    guard (try? new.open(box.sealed, context: box.context)) != nil else {
                        throw ClosedBox(place: column.place(of: box))
                    }
                }
            }
            for tenant in try connection.query("SELECT id FROM tenant ORDER BY id", { try $0.id(0, of: Tenant.self) }) {
                try append(event(tenant), connection)
            }
            return counts
        }
    }
}

extension SealedColumn {
    struct Box {
        let sealed: [UInt8]
        let key: [SQLValue]
        let context: String
    }

    /// Skips empty values, which seal nothing, except in recreated rows: such a row must not stay empty.
    /// - Throws: `ClosedBox` for a row that no program wrote, unless `leavingOutUnreadable` is set.
    func boxes(
        _ connection: any Connection, limit: Int = .max, leavingOutUnreadable: Bool = false
    ) throws -> [Box] {
        let names = (key + bound).map { #""\#($0)""# }.joined(separator: ", ")
        let least = isMadeAnew ? 0 : 1
        return try connection.query(
            #"SELECT \#(raw: column), \#(raw: names) FROM \#(raw: table) WHERE length(\#(raw: column)) >= \#(least) LIMIT \#(limit)"#
        ) { row -> Box? in
            do {
                let (key, context) = try self.row(row)
                return Box(sealed: try row.blob(0), key: key, context: context)
            } catch  where error.isOfUnreadableRow {
                guard leavingOutUnreadable else { throw ClosedBox(place: "\(table), a row that cannot be read,") }
                return nil
            }
        }.compactMap(\.self)
    }

    fileprivate func store(_ sealed: [UInt8], in box: Box, _ connection: any Connection) throws {
        guard try changeRow(of: box, "UPDATE \(raw: table) SET \(raw: column) = \(sealed)", connection) else {
            throw SQLError.mismatch("\(place(of: box)) is not one row")
        }
    }

    /// False for a row that its key does not find, because it is not a text.
    fileprivate func giveUp(_ box: Box, _ connection: any Connection) throws -> Bool {
        let change: SQLFragment =
            isMadeAnew ? "DELETE FROM \(raw: table)" : "UPDATE \(raw: table) SET \(raw: column) = \([UInt8]())"
        return try changeRow(of: box, change, connection)
    }

    private func changeRow(of box: Box, _ change: SQLFragment, _ connection: any Connection) throws -> Bool {
        let names = zip(key, box.key).map { name, value -> SQLFragment in #""\#(raw: name)" = \#(value)"# }
        return try connection.execute("\(change) WHERE \(SQLFragment.joined(names, by: " AND "))") == 1
    }

    /// Label of a derivation key. Nil for every other box.
    fileprivate func label(of box: Box) -> String? {
        guard table == "derivation_key", case .text(let label) = box.key.first else { return nil }
        return label
    }

    func place(of box: Box) -> String {
        let values = box.key.map { value in
            switch value {
            case .text(let text): text
            case .integer(let number): String(number)
            default: "?"
            }
        }
        return "\(table) \(values.joined(separator: " "))"
    }
}
