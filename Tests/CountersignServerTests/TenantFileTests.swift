import Foundation
import Primitives
import TestSupport
import Testing

@Suite("countersign export and import")
struct TenantFileTests {
    private let folder: Folder

    init() async throws {
        folder = try Folder()
        try folder.write(
            """
            { "tenants": [ { "id": "acme", "name": "Acme", "host": "acme.example.com",
              "users": [ { "user_id": "auth0|1" }, { "user_id": "auth0|2" } ] } ] }
            """, to: "acme.json")
        try #require(try await run("apply", "acme.json", "--create", "--data", "from").status == 0)
        let made = try await run("export", "--data", "from", "--output", "acme.ndjson")
        try #require(made.status == 0, "\(made)")
    }

    private func run(_ words: String...) async throws -> Program.Result {
        try await Program.run(words, in: folder.url)
    }

    private var lines: [String] {
        get throws {
            try String(contentsOf: folder.url.appending(path: "acme.ndjson"), encoding: .utf8)
                .split(separator: "\n").map(String.init)
        }
    }

    private func write(_ lines: [String]) throws {
        try folder.write(lines.map { $0 + "\n" }.joined(), to: "acme.ndjson")
    }

    private func imported(_ more: String...) async throws -> Program.Result {
        try await Program.run(["import", "acme.ndjson", "--data", "to", "--create"] + more, in: folder.url)
    }

    private func expectRefusal(_ text: String) async throws {
        let refused = try await imported()
        #expect(refused.status == 1 && refused.errors.contains(text), "\(refused)")
        // Neither was a folder made for it.
        #expect(!folder.exists("to"), "\(text)")
    }

    @Test("A file begins with its format and ends with counts and a hash; a second import is refused")
    func whole() async throws {
        let lines = try lines
        let header = try JSONReader.parse(try #require(lines.first))
        #expect(header["format"] == "countersign-tenant" && header["version"] == 1 && header["tenant"] == "acme")
        let end = try JSONReader.parse(try #require(lines.last))["end"]
        #expect(end?["lines"]?.intValue == lines.count - 1 && end?["rows"]?["user"] == 2)
        let done = try await imported("--json")
        try #require(done.status == 0, "\(done)")
        #expect(try JSONReader.parse(done.output)["rows"]?["user"] == 2)
        let users = try await run("user", "list", "--data", "to", "--json")
        #expect(try JSONReader.parse(users.output).arrayValue?.count == 2)
        let twice = try await imported()
        #expect(twice.status == 1 && twice.errors.contains("there is a tenant acme already"), "\(twice)")
        let taken = try await run("export", "--data", "from", "--output", "acme.ndjson")
        #expect(taken.status == 1 && taken.errors.contains("already exists"), "\(taken)")
        for place in ["from", "to"] {
            let log = try await run("log", "list", "--data", place, "--json")
            #expect(log.output.contains(place == "from" ? "export" : "import"), "\(log)")
        }
    }

    @Test("A dry run checks everything and changes nothing")
    func trial() async throws {
        try #require(try await run("apply", "acme.json", "--create", "--data", "to").status == 0)
        let exists = try await run("import", "acme.ndjson", "--data", "to", "--dry-run")
        #expect(exists.status == 1 && exists.errors.contains("there is a tenant acme already"), "\(exists)")
        try #require(try await run("tenant", "delete", "acme", "--yes", "--data", "to").status == 0)
        let checked = try await run("import", "acme.ndjson", "--data", "to", "--dry-run")
        #expect(checked.status == 0 && checked.output.contains("can be imported"), "\(checked)")
        #expect(try await run("tenant", "list", "--data", "to", "--json").output.contains("[]"))
    }

    @Test("Without --output the lines go to standard output, and the key to its own file")
    func stream() async throws {
        let bare = try await run("export", "--data", "from")
        #expect(bare.status == 2 && bare.errors.contains("--key-file"), "\(bare)")
        let streamed = try await run("export", "--data", "from", "--key-file", "acme.ndjson.key")
        try #require(streamed.status == 0, "\(streamed)")
        try folder.write(streamed.output, to: "acme.ndjson")
        let done = try await imported()
        #expect(done.status == 0, "\(done)")
    }

    @Test("A file that is cut off is refused, also within a line")
    func cut() async throws {
        let lines = try lines
        try write(Array(lines.dropLast()))
        try await expectRefusal("cut off: its last line is missing")
        try folder.write(lines.joined(separator: "\n"), to: "acme.ndjson")
        try await expectRefusal("cut off within a line")
        try write([])
        try await expectRefusal("empty")
    }

    @Test("A changed, added, missing or exchanged line is refused")
    func changed() async throws {
        let lines = try lines
        let user = try #require(lines.firstIndex { $0.contains(#""kind":"user""#) })
        var changed = lines
        changed[user] = lines[user].replacing("auth0|1", with: "auth0|3")
        #expect(changed != lines)
        let (before, after) = (Array(lines[..<user]), Array(lines[(user + 1)...]))
        let variants: [[String]] = [
            changed, before + [lines[user], lines[user]] + after, before + after, lines + [lines[user]],
            before + [after[0], lines[user]] + after.dropFirst(),
        ]
        for (number, text) in variants.enumerated() {
            try write(text)
            try await expectRefusal(number == 3 ? "longer than its last line says" : "changed since the tenant acme")
        }
        try write(before + ["{}", lines[user]] + after)
        try await expectRefusal("line \(user + 1) is no row")
    }

    @Test("Another key, another version and another file are refused with a word what to do")
    func others() async throws {
        let lines = try lines
        let other = try await run("export", "--data", "from", "--output", "other.ndjson")
        #expect(other.status == 0)
        let wrong = try await run("import", "acme.ndjson", "--data", "to", "--create", "--key-file", "other.ndjson.key")
        #expect(wrong.status == 1 && wrong.errors.contains("is not that of acme.ndjson"), "\(wrong)")
        #expect(wrong.errors.contains("--key-file"))
        try write([lines[0].replacing(#""version":1"#, with: #""version":2"#)] + Array(lines.dropFirst()))
        try await expectRefusal("has the format 2, and this version reads 1")
        try write(["{}"])
        try await expectRefusal("is no exported tenant")
        try FileManager.default.removeItem(at: folder.url.appending(path: "acme.ndjson.key"))
        try await expectRefusal("acme.ndjson.key")
    }

    @Test("The file has no secret of the tenant in the open, and the key is in none of its lines")
    func secrets() async throws {
        let key = try String(contentsOf: folder.url.appending(path: "acme.ndjson.key"), encoding: .utf8)
        let text = try lines.joined()
        #expect(!text.contains(key.trimmingCharacters(in: .newlines)))
        let keys = try lines.filter { $0.contains(#""kind":"signing_key""#) }
        #expect(!keys.isEmpty && keys.allSatisfy { $0.contains(#""sealed_private_key":{"sealed":"#) })
    }
}
