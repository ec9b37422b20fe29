package import SQL

package struct SQLiteDialect: Dialect {
    package init() {}

    package func reading(index: StaticString) -> String { "INDEXED BY \(index)" }

    package func object(_ members: KeyValuePairs<StaticString, StaticString>) -> SQLFragment {
        "json_object(\(raw: members.map { "'\($0)', \($1)" }.joined(separator: ", ")))"
    }

    package func matches(_ column: String, _ pattern: [PatternPiece]) -> SQLFragment {
        let text = pattern.map { piece in
            switch piece {
            case .anyNumber: "*"
            case .one: "?"
            case .literal(let text): Self.escaped(text)
            }
        }
        return "\(raw: column) GLOB \(text.joined())"
    }

    package func newNumber(of column: StaticString, in table: StaticString) -> String {
        "(SELECT coalesce(max(\(column)), 0) + 1 FROM \(table))"
    }

    package func holding(_ hold: RowHold) -> String { "" }

    /// SQLite has one writer.
    package var changingLanes: Statement? { nil }
    package var clock: String? { nil }
    package var creators: Statement? { nil }

    /// GLOB takes a character of its own literally in a set.
    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for character in text.unicodeScalars {
            switch character {
            case "*", "?", "[": escaped.append(contentsOf: ["[", character, "]"])
            default: escaped.append(character)
            }
        }
        return String(escaped)
    }

    package var indexedLength: Int? { nil }

    package func definition(_ script: String) -> String { script }

    package func definition(_ trigger: RefusingTrigger) -> String { "CREATE TRIGGER \(text(of: trigger));" }

    package func removal(of trigger: RefusingTrigger) -> String { "DROP TRIGGER \(trigger.name);" }

    package func stored(_ trigger: RefusingTrigger) -> [String: String] {
        [trigger.name: "CREATE TRIGGER \(text(of: trigger))"]
    }

    private func text(of trigger: RefusingTrigger) -> String {
        let condition = trigger.condition.map { "WHEN \($0)\n" } ?? ""
        return """
            \(trigger.name) BEFORE \(trigger.change.rawValue) ON \(trigger.table)
            \(condition)BEGIN SELECT RAISE(ABORT, '\(trigger.message)'); END
            """
    }

    /// Rows of each index, then how many share its first column, its first two, and so on
    /// (sqlite.org/lang_analyze.html).
    package func statistics(_ numbers: [(table: String, index: String, rows: [Int])]) -> String {
        let values = numbers.map { table, index, rows in
            "('\(table)', '\(index)', '\(rows.map(String.init).joined(separator: " "))')"
        }
        return """
            ANALYZE sqlite_schema;
            INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES \(values.joined(separator: ",\n    "));
            ANALYZE sqlite_schema;
            """
    }

    package var tables: Statement {
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'"
    }

    package var references: Statement {
        """
        SELECT DISTINCT t.name, f."table" FROM sqlite_schema t, pragma_foreign_key_list(t.name) f WHERE t.type = 'table'
        """
    }

    package func key(of table: String) -> Statement {
        "SELECT name FROM pragma_table_info(\(table)) WHERE pk > 0 ORDER BY pk"
    }

    /// Other keys count on after the largest one.
    package var counters: Statement {
        """
        SELECT t.name, c.name, (SELECT seq FROM sqlite_sequence WHERE name = t.name)
        FROM sqlite_schema t, pragma_table_info(t.name) c
        WHERE t.type = 'table' AND t.sql LIKE '%PRIMARY KEY AUTOINCREMENT%' AND c.pk = 1
        """
    }

    package func count(_ column: String, of table: String, after number: Int64) -> [Statement] {
        [
            "DELETE FROM sqlite_sequence WHERE name = \(table)",
            "INSERT INTO sqlite_sequence (name, seq) VALUES (\(table), \(number))",
        ]
    }

    package var actingObjects: Statement {
        "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view') ORDER BY name"
    }

    package var structureCheck: Statement? { "PRAGMA quick_check(1)" }
}
