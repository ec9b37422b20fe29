import Foundation
import Testing

@Suite("docs/changing.md")
struct ChangeGuideTests {
    /// The index that the compiler wrote beside the tests.
    private static let index = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "index/store").path

    /// Problems that `scripts/change-guide` finds in a text of the guide.
    private func problems(in guide: String) throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appending(path: "changing-\(UUID().uuidString).md")
        try Data(guide.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        let errors = Pipe()
        process.executableURL = Repository.root.appending(path: "scripts/change-guide")
        process.arguments = ["--index", Self.index, "--guide", file.path]
        process.standardError = errors
        try process.run()
        let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let problems = text.split(separator: "\n").map { String($0).replacing("\(file.path): ", with: "") }
        #expect(problems.isEmpty == (process.terminationStatus == 0), "\(text)")
        return problems
    }

    private func guide() throws -> String { try Repository.text("docs/changing.md") }

    @Test("Files that use a section's example are those of its list, and its numbers and the tables are the true ones")
    func current() throws {
        #expect(try problems(in: guide()) == [])
    }

    @Test("A file, a number, a name and a table that are wrong are found")
    func wrong() throws {
        func change(_ old: String, _ new: String) throws -> [String] {
            let guide = try guide()
            let changed = guide.replacing(old, with: new)
            #expect(changed != guide, "\(old)")
            return try problems(in: changed)
        }
        let file = "Sources/Domain/Flows/ClientCredentials/IssueClientToken.swift"
        #expect(
            try change("3. `\(file)`", "3. `Sources/Formats/JOSE/JWK.swift`") == [
                "A grant: \(file) uses the example, and is not listed",
                "A grant: Sources/Formats/JOSE/JWK.swift is listed, and uses nothing of the example",
            ])
        #expect(
            try change("`ClientTokenStore`", "`ClientTokenShop`").first == "A grant: nothing declares ClientTokenShop")
        #expect(try change("`AuthorizationCore.Role`", "`Role`").contains { $0.contains("Role is declared") })
        #expect(
            try change("At most 3 files. Example: a tenant's", "At most 4 files. Example: a tenant's")
                == ["A setting: it says at most 4 files, and lists 3"])
        #expect(try change("| a setting | 3 |", "| a setting | 2 |").contains { $0.contains("the tables are old") })
        #expect(
            try change("| `Formats/JSONSchema` | ", "| `Formats/JSONSchema` | 1").contains {
                $0.contains("Formats/JSONSchema")
            })
    }
}
