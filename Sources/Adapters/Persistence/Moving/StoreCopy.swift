package import Primitives
package import SQL

/// Moves all rows of a database to an empty one, of whichever engines.
///
/// The target is refused by every program until ``finish()``. Nothing may change either database meanwhile; a change of
/// the source is noticed at the end.
package struct StoreCopy: Sendable {
    package enum Failure: Error, Sendable, CustomStringConvertible {
        /// The source has no row of this schema's version, or the target has another one.
        case differentSchema(table: String)
        case refused(table: String, reason: SQLError)
        case different(tables: [String])

        package var description: String {
            switch self {
            case .differentSchema(let table): "the table \(table) differs from that of this version"
            case .refused(let table, let reason): "a row of the table \(table) cannot be copied: \(reason)"
            case .different(let tables):
                "the copy differs from the source in \(tables.joined(separator: ", ")): "
                    + "a program has changed the source meanwhile"
            }
        }
    }

    /// A step, for progress messages.
    package enum Stage: Sendable, Equatable {
        /// Rows of all tables so far.
        case copying(table: String, rows: Int64)
        case comparing(table: String)
    }

    /// Rows and bytes that are in memory at once.
    private static let (pageRows, pageBytes) = (1000, 4 << 20)

    private let source: any Database
    private let target: any Database
    private let hashing: any Hashing

    package init(from source: any Database, to target: any Database, hashing: any Hashing) {
        self.source = source
        self.target = target
        self.hashing = hashing
    }

    /// Makes the tables of the target, copies all rows, and compares them.
    /// - Returns: digests of all tables, by name.
    /// - Throws: `Failure`, `SQLError` or `MigrationError`.
    package func run(_ progress: @escaping @Sendable (Stage) -> Void) async throws -> [TableDigest] {
        try await target.beginCopy(Schema.migrations) { connection in
            // An archived log has lost the entries by which the guards judge the next ones.
            for trigger in Schema.auditGuards { try connection.script(connection.dialect.removal(of: trigger)) }
            for table in try StoredTable.all(connection).reversed() {
                try connection.execute(#"DELETE FROM "\#(raw: table.name)""#)
            }
        }
        let tables = try await source.read { try StoredTable.all($0) }
        let made = try await target.read { try StoredTable.all($0) }
        for table in made {
            guard let own = tables.first(where: { $0.name == table.name }), own.columns == table.columns else {
                throw Failure.differentSchema(table: table.name)
            }
        }
        if let other = tables.first(where: { table in !made.contains { $0.name == table.name } }) {
            throw Failure.differentSchema(table: other.name)
        }
        var rows: Int64 = 0
        for table in made {
            progress(.copying(table: table.name, rows: rows))
            try await copy(table) {
                rows += Int64($0)
                progress(.copying(table: table.name, rows: rows))
            }
        }
        try await countOn()
        try await target.write { connection in
            for trigger in Schema.auditGuards { try connection.script(connection.dialect.definition(trigger)) }
        }
        return try await compared(made, progress)
    }

    /// Lets programs open the target.
    package func finish() async throws { try await target.finishCopy() }

    private func copy(_ table: StoredTable, _ progress: (Int) -> Void) async throws {
        let insertion = table.insertion(table.columns)
        var last: [SQLValue]?
        repeat {
            let page = try await page(of: table, after: last)
            do {
                try await target.write { connection in
                    for row in page.rows { try connection.perform(insertion.with(row)) }
                }
            } catch let error as SQLError {
                throw Failure.refused(table: table.name, reason: error)
            }
            progress(page.rows.count)
            last = page.last
        } while last != nil
    }

    /// Rows behind the one with the key `last`, and the key of the last of them. Nil means that there are no more.
    private func page(
        of table: StoredTable, after last: [SQLValue]?
    ) async throws -> (rows: [[SQLValue]], last: [SQLValue]?) {
        let names = StoredTable.list(table.key)
        let places = table.key.compactMap(table.columns.firstIndex)
        let values = (last ?? []).map { value -> SQLFragment in "\(value)" }
        let rest: SQLFragment =
            last == nil ? "" : "WHERE (\(raw: names)) > (\(SQLFragment.joined(values, by: ", ")))"
        let order: SQLFragment = table.key.isEmpty ? "" : "ORDER BY \(raw: names)"
        let statement: Statement =
            #"SELECT \#(raw: StoredTable.list(table.columns)) FROM "\#(raw: table.name)" \#(rest) \#(order) LIMIT \#(Self.pageRows)"#
        return try await source.scan(within: .seconds(3600)) { connection in
            var rows: [[SQLValue]] = []
            var bytes = 0
            try connection.run(statement) { row in
                let values = try row.values(table.columns.count)
                bytes += values.reduce(0) { $0 + $1.size }
                rows.append(values)
                return bytes < Self.pageBytes
            }
            let isWhole = rows.count < Self.pageRows && bytes < Self.pageBytes
            if table.key.isEmpty, !isWhole { throw Failure.differentSchema(table: table.name) }
            return (rows, isWhole ? nil : rows.last.map { row in places.map { row[$0] } })
        }
    }

    /// Has the target's own numbers go on behind those of the source, also of rows that are gone.
    private func countOn() async throws {
        let given = try await source.query(source.dialect.counters) { row in
            (table: try row.text(0), last: try row.optionalInt64(2) ?? 0)
        }
        try await target.write { connection in
            let counters = try connection.query(connection.dialect.counters) { (try $0.text(0), try $0.text(1)) }
            for (table, column) in counters {
                let largest = try connection.first(#"SELECT max("\#(raw: column)") FROM "\#(raw: table)""#) {
                    try $0.optionalInt64(0)
                }
                let last = max((largest ?? 0) ?? 0, given.first { $0.table == table }?.last ?? 0)
                guard last > 0 else { continue }
                for change in connection.dialect.count(column, of: table, after: last) {
                    try connection.execute(change)
                }
            }
        }
    }

    private func compared(
        _ tables: [StoredTable], _ progress: @escaping @Sendable (Stage) -> Void
    ) async throws -> [TableDigest] {
        var digests: [TableDigest] = []
        var different: [String] = []
        for table in tables.sorted(by: { $0.name < $1.name }) {
            progress(.comparing(table: table.name))
            async let original = source.digest(of: table, hashing)
            let copy = try await target.digest(of: table, hashing)
            if try await original != copy { different.append(table.name) }
            digests.append(copy)
        }
        guard different.isEmpty else { throw Failure.different(tables: different) }
        return digests
    }
}

extension Database {
    /// Reads a whole table, one row at a time.
    package func digest(of table: StoredTable, _ hashing: any Hashing) async throws -> TableDigest {
        try await scan(within: .seconds(86_400)) { connection in
            var digest = TableDigest(table.name)
            try connection.run(
                #"SELECT \#(raw: StoredTable.list(table.columns)) FROM "\#(raw: table.name)""#
            ) { row in
                digest.add(try row.values(table.columns.count), hashing)
                return true
            }
            return digest
        }
    }
}

extension SQLValue {
    /// Bytes in memory, about.
    fileprivate var size: Int {
        switch self {
        case .null, .integer, .real: 16
        case .text(let text): 16 + text.utf8.count
        case .blob(let bytes): 16 + bytes.count
        }
    }
}
