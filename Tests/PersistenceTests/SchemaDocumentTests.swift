import Foundation
@testable import Persistence
import SQL
import SQLiteDriver
import TestSupport
import Testing

@Suite("docs/schema.md")
struct SchemaDocumentTests {
    private struct Table {
        let name: String
        let text: String
        var columns: [(name: String, type: String, text: String)] = []
        var keys: [String] = []
        var indices: [(definition: String, text: String)] = []
    }

    /// The script of the first step and those of later ones.
    private static func script() async throws -> String {
        let later = try await RecordedSteps(.sqlite).steps.dropFirst().flatMap(\.statements)
        return ([Schema.baseline] + later).joined(separator: "\n")
    }

    /// The tables of the schema's script, with the comments that stand before each table, column and index.
    private static func tables(_ script: String) -> [Table] {
        var tables: [Table] = []
        var comment: [String] = []
        var index: (definition: String, text: String)?
        var isInTable = false
        for line in script.split(separator: "\n") {
            let line = line.trimmingCharacters(in: .whitespaces)
            defer { if !line.hasPrefix("--") { comment = [] } }
            let text = comment.joined(separator: " ")
            if line.hasPrefix("-- ") {
                comment.append(String(line.dropFirst(3)))
            } else if line.hasPrefix("CREATE TABLE ") {
                tables.append(Table(name: String(line.split(separator: " ")[2]).replacing("\"", with: ""), text: text))
                isInTable = !line.contains(") STRICT")
                if !isInTable, let open = line.firstIndex(of: "("), let close = line.lastIndex(of: ")") {
                    add(String(line[line.index(after: open)..<close]), text, to: &tables[tables.count - 1])
                }
            } else if let added = line.wholeMatch(of: /ALTER TABLE "?(\w+)"? ADD COLUMN (.+);/)?.output {
                let place = tables.firstIndex { $0.name == added.1 }
                if let place { add(String(added.2), text, to: &tables[place]) }
            } else if let dropped = line.wholeMatch(of: /DROP INDEX (\w+);/)?.output.1 {
                for place in tables.indices {
                    tables[place].indices.removeAll { $0.definition.contains(" INDEX \(dropped) ON ") }
                }
            } else if isInTable, line.hasPrefix(")") {
                isInTable = false
            } else if isInTable {
                add(line, text, to: &tables[tables.count - 1])
            } else if line.hasPrefix("CREATE ") || index != nil {
                let earlier = index.map { $0.definition + " " } ?? ""
                index = (earlier + line, index?.text ?? text)
                guard line.hasSuffix(";"), let whole = index else { continue }
                index = nil
                let name = whole.definition.split(separator: " ON ")[1].split(whereSeparator: { " (".contains($0) })[0]
                let place = tables.firstIndex { $0.name == name.replacing("\"", with: "") }
                if let place { tables[place].indices.append(whole) }
            }
        }
        return tables
    }

    private static func add(_ line: String, _ text: String, to table: inout Table) {
        let line = line.hasSuffix(",") ? String(line.dropLast()) : line
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        if ["PRIMARY", "UNIQUE", "FOREIGN"].contains(where: { line.hasPrefix("\($0) ") }) {
            table.keys.append(line)
        } else if line.hasPrefix("(CASE"), let last = table.columns.indices.last {
            table.columns[last].type += " \(line)"
        } else if words.count == 2 {
            table.columns.append((words[0].replacing("\"", with: ""), words[1], text))
        }
    }

    private static func document(_ tables: [Table]) -> String {
        var text = ""
        for table in tables {
            text += "\n## `\(table.name)`\n\n\(table.text)\n\n| column | type | meaning |\n|---|---|---|\n"
            for column in table.columns {
                let type = column.type.replacing("|", with: "\\|")
                text += "| `\(column.name)` | `\(type)` | \(column.text.replacing("|", with: "\\|")) |\n"
            }
            for key in table.keys { text += "\n- `\(key)`" }
            for index in table.indices {
                text += "\n- `\(index.definition)`\(index.text.isEmpty ? "" : ": \(index.text)")"
            }
            if !table.keys.isEmpty || !table.indices.isEmpty { text += "\n" }
        }
        return text
    }

    @Test("Each table and each of its columns has its row, which is that of the schema")
    func document() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/schema.md")
        let marker = "<!-- generated; WRITE_SCHEMA=1 swift test --filter SchemaDocumentTests writes it -->\n"
        let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: marker)
        let tables = Self.tables(try await Self.script())
        let expected = marker + Self.document(tables)
        if ProcessInfo.processInfo.environment["WRITE_SCHEMA"] != nil {
            try (parts[0] + expected).write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8).hasSuffix(expected))
        let made = try await TemporaryStore()
        let stored = try await made.database.query(made.database.dialect.tables) { try $0.text(0) }
        for name in stored where !name.hasPrefix("sqlite_") && name != "schema_migrations" {
            let table = try #require(tables.first { $0.name == name }, "\(name)")
            let columns = try await made.database.read { try $0.columns(of: name) }
            // SQLite does not list generated columns.
            let stored = table.columns.filter { !$0.type.contains("GENERATED") }
            #expect(columns == stored.map(\.name), "\(name)")
            #expect(!table.text.isEmpty, "\(name)")
        }
    }
}
