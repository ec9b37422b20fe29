package import SQL

/// A table as its database describes it.
package struct StoredTable: Sendable, Equatable {
    package let name: String
    /// Without those that the engine computes.
    package let columns: [String]
    /// Columns of the primary key. Empty for a table of one row.
    package let key: [String]

    /// Every table of the schema, behind those that its rows refer to. So a new table needs no mention to be copied.
    package static func all(_ connection: any Connection) throws -> [StoredTable] {
        let dialect = connection.dialect
        var names = try connection.query(dialect.tables) { try $0.text(0) }.filter { $0 != "schema_migrations" }
            .sorted()
        let references = try connection.query(dialect.references) { (own: try $0.text(0), other: try $0.text(1)) }
        var ordered: [String] = []
        while !names.isEmpty {
            let next = names.filter { name in
                references.allSatisfy { $0.own != name || $0.other == name || !names.contains($0.other) }
            }
            guard !next.isEmpty else { throw SQLError.mismatch("tables refer to each other: \(names)") }
            ordered += next
            names.removeAll(where: next.contains)
        }
        return try ordered.map { name in
            StoredTable(
                name: name, columns: try connection.columns(of: name),
                key: try connection.query(dialect.key(of: name)) { try $0.text(0) })
        }
    }

    static func list(_ columns: [String]) -> String { columns.map { #""\#($0)""# }.joined(separator: ", ") }

    /// A statement that inserts a row of these columns.
    func insertion(_ columns: [String]) -> Statement {
        let places = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        return Statement(
            stringLiteral: #"INSERT INTO "\#(name)" (\#(Self.list(columns))) VALUES (\#(places))"#)
    }
}
