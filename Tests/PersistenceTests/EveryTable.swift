import AuthorizationCore
import Configuration
@testable import Persistence
import SQL
import TestSupport

/// A store on SQLite with a row in every table of the schema, also in one that nobody has mentioned here yet.
enum EveryTable {
    /// Columns whose texts are not free.
    private static let texts = [
        "configuration_object.kind": TenantDocument.Kind.emailProvider.rawValue, "backchannel_request.channel": "email",
    ]

    static func store() async throws -> TemporaryStore {
        let made = try await TemporaryStore(.sqlite)
        try await fill(made.database)
        return made
    }

    /// Adds a row to each table without one. Equal texts and numbers make every reference valid.
    static func fill(_ database: any Database, with text: String = "x é 🙂") async throws {
        try await database.write { connection in
            try connection.script("PRAGMA defer_foreign_keys = ON")
            // An archive has entries that the log lacks.
            for trigger in Schema.auditGuards { try connection.script(connection.dialect.removal(of: trigger)) }
            for table in try StoredTable.all(connection)
            where try !connection.exists(#"SELECT 1 FROM "\#(raw: table.name)""#) {
                let types = try connection.query("SELECT name, type FROM pragma_table_info(\(table.name))") {
                    (try $0.text(0), try $0.text(1))
                }
                let typed = Dictionary(uniqueKeysWithValues: types)
                let values = table.columns.map { column -> SQLValue in
                    switch typed[column] {
                    case "TEXT": .text(texts["\(table.name).\(column)"] ?? text)
                    case "BLOB": .blob([UInt8](repeating: 0x80, count: 32))
                    case "REAL": .real(-0.1)
                    default: .integer(1)
                    }
                }
                try connection.execute(table.insertion(table.columns).with(values))
            }
            for trigger in Schema.auditGuards { try connection.script(connection.dialect.definition(trigger)) }
        }
    }
}
