import Foundation
import Testing

@Suite("docs/tests.md")
struct TestMapTests {
    private struct Row {
        let cells: [String]
        let text: String
    }

    /// Rows of the page's tables, without headings and rules.
    private static func rows() throws -> [Row] {
        let lines = try Repository.text("docs/tests.md").split(separator: "\n")
        return lines.indices.compactMap { index in
            guard lines[index].hasPrefix("|"), !lines[index].hasPrefix("|---") else { return nil }
            if index + 1 < lines.count, lines[index + 1].hasPrefix("|---") { return nil }
            let cells = lines[index].split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return Row(cells: cells, text: String(lines[index]))
        }
    }

    /// Names of the suites in a row: `Folder/Suite`.
    private static func suites(_ text: some StringProtocol) -> [String] {
        quoted(text).filter { name in
            name.contains("/")
                && ["Tests", "Conformance", "EndToEnd", "Interop", "ApproverModules"].contains { folder in
                    name.prefix { $0 != "/" }.hasSuffix(folder)
                }
        }
    }

    /// Names of all suites: Swift files with tests, the modules of pytest, and those of Node.
    private static func present() throws -> Set<String> {
        var names: Set<String> = []
        for folder in ["Tests", "Benchmarks/Tests"] {
            for path in try Repository.files(in: folder, ending: ".swift")
            where try hasTests(Repository.text(path)) {
                names.insert(String(path.dropFirst(folder.count + 1).dropLast(".swift".count)))
            }
        }
        for path in try Repository.files(in: "Tests/Interop", ending: ".py") where path.contains("/test_") {
            names.insert(String(path.dropFirst("Tests/".count)))
        }
        for path in try Repository.files(in: "Tests/ApproverModules", ending: ".mjs") {
            names.insert(String(path.dropFirst("Tests/".count)))
        }
        return names
    }

    @Test("Every suite is in a row, and every row names suites that exist")
    func suitesAndRows() throws {
        let named = Set(try Self.rows().flatMap { Self.suites($0.text) })
        let present = try Self.present()
        #expect(present.count > 200)
        #expect(present.subtracting(named).sorted() == [], "suites without a row")
        #expect(named.subtracting(present).sorted() == [], "rows with suites that do not exist")
    }

    @Test("Every row but those of the kinds of suites names a suite")
    func emptyRows() throws {
        let kinds: Set = ["rules", "endpoint", "store", "program", "foreign client", "module"]
        for row in try Self.rows() where !kinds.contains(row.cells.first ?? "") {
            #expect(!Self.suites(row.text).isEmpty, "\(row.text)")
        }
    }

    @Test(
        "Every folder of Sources/Domain/Flows is the code of a row with endpoint suites, and with rules and store suites or a dash"
    )
    func flows() throws {
        let root = "Sources/Domain/Flows"
        let folders = Set(
            try Repository.files(in: root, ending: ".swift").map { path in
                path.dropFirst(root.count + 1).split(separator: "/").dropLast().joined(separator: "/")
            })
        #expect(folders.count > 10)
        var described: Set<String> = []
        for row in try Self.rows() where row.cells.count == 7 {
            described.formUnion(quoted(row.cells[1]))
            for cell in [row.cells[2], row.cells[4]] where cell != "—" {
                #expect(!Self.suites(cell).isEmpty, "\(row.text)")
            }
            #expect(!Self.suites(row.cells[3]).isEmpty, "\(row.text)")
        }
        #expect(folders.subtracting(described).sorted() == [], "folders without a row")
        #expect(described.subtracting(folders).sorted() == [], "rows with folders that do not exist")
    }
}
