public import AuthorizationCore
public import Primitives
import SQL

/// What is sealed under a master key, and cannot be opened with it.
public struct ClosedBox: Error, Sendable, Equatable, CustomStringConvertible {
    /// The table and the values that name the row.
    public let place: String

    public var description: String { "\(place) cannot be opened with the present master key" }
}

/// What an exchange of the master key came to.
public struct KeyExchangeCounts: Sendable, Equatable {
    /// Values that were sealed anew.
    public var sealed = 0
    /// Values that nobody could open, and that were emptied.
    public var emptied = 0
    /// Log-ins that have to begin anew.
    public var endedLogIns = 0

    public init() {}
}

extension Store {
    /// Seals under `new` all that is sealed under `old`, in one change. Nothing is changed where something opens neither
    /// before nor after.
    /// - Parameters:
    ///   - check: what only the new key opens, kept in the place of the one before.
    ///   - fresh: keys to derive from by their labels, in the place of those before; without one for a label, its key
    ///     stays what it is.
    ///   - emptying: empties what `old` does not open, instead of throwing `ClosedBox`.
    ///   - event: the entry that each tenant's log gets.
    public func exchangeMasterKey(
        from old: any Sealer, to new: any Sealer, check: [UInt8], fresh: [String: SecretBytes] = [:],
        emptying: Bool = false, event: @escaping @Sendable (TenantID) -> AuditEvent
    ) async throws -> KeyExchangeCounts {
        try await database.write { connection in
            var counts = KeyExchangeCounts()
            for (table, condition) in SealedColumn.shortLived {
                counts.endedLogIns += try connection.execute("DELETE FROM \(raw: table) WHERE \(raw: condition)")
            }
            for column in SealedColumn.all {
                for box in try column.boxes(connection) {
                    var sealed: [UInt8] = []
                    if let label = column.label(of: box), let key = fresh[label] {
                        sealed = try new.seal(key.bytes, context: box.context)
                    } else if let opened = try? old.open(box.sealed, context: box.context) {
                        sealed = try new.seal(opened.bytes, context: box.context)
                    } else if !emptying {
                        throw ClosedBox(place: column.place(of: box))
                    }
                    if sealed.isEmpty { counts.emptied += 1 } else { counts.sealed += 1 }
                    try column.store(sealed, in: box, connection)
                }
            }
            try connection.execute(
                """
                INSERT INTO master_key_check (id, sealed) VALUES (1, \(check))
                ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed
                """)
            for column in SealedColumn.all {
                for box in try column.boxes(connection) {
                    guard (try? new.open(box.sealed, context: box.context)) != nil else {
                        throw ClosedBox(place: column.place(of: box))
                    }
                }
            }
            for tenant in try connection.query(
                "SELECT id FROM tenant ORDER BY id", { try $0.id(0, of: TenantTag.self) })
            {
                try append(event(tenant), connection)
            }
            return counts
        }
    }
}

extension SealedColumn {
    fileprivate struct Box {
        let sealed: [UInt8]
        let key: [SQLValue]
        let context: String
    }

    /// All that are not empty: an empty value seals nothing.
    fileprivate func boxes(_ connection: any Connection) throws -> [Box] {
        let names = key.map { #""\#($0)""# }.joined(separator: ", ")
        return try connection.query(
            #"SELECT \#(raw: column), \#(raw: names) FROM \#(raw: table) WHERE length(\#(raw: column)) > 0"#
        ) { row in
            let (key, context) = try self.row(row)
            return Box(sealed: try row.blob(0), key: key, context: context)
        }
    }

    fileprivate func store(_ sealed: [UInt8], in box: Box, _ connection: any Connection) throws {
        let names = zip(key, box.key).map { name, value -> SQLFragment in #""\#(raw: name)" = \#(value)"# }
        let changed = try connection.execute(
            "UPDATE \(raw: table) SET \(raw: column) = \(sealed) WHERE \(SQLFragment.joined(names, by: " AND "))")
        guard changed == 1 else { throw SQLError.mismatch("\(place(of: box)) is not one row") }
    }

    /// The purpose of a key that is derived from; nil for every other box.
    fileprivate func label(of box: Box) -> String? {
        guard table == "derivation_key", case .text(let label) = box.key.first else { return nil }
        return label
    }

    fileprivate func place(of box: Box) -> String {
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
