import Foundation
import Glibc
import Primitives
import TestSupport
import Testing

@Suite("countersign user import and export")
struct UserImportCommandTests {
    private static let configuration =
        #"{ "tenants": [ { "id": "shop", "name": "Shop", "host": "id.shop.example" } ] }"#

    private func folder(users count: Int) async throws -> Folder {
        let folder = try Folder()
        try folder.write(Self.configuration, to: "configuration.json")
        let users = (0..<count).map { number in
            """
            {"email":"u\(number)@shop.example","user_id":"u\(number)",
             "password_hash":"$2b$10$ABCDEFGHIJKLMNOPQRSTUOn3HzDtIrNcl6HFzVmZAUZK2dIUdk8e6"}
            """
        }
        try folder.write("[\(users.joined(separator: ","))]", to: "users.json")
        _ = try await run(["apply", "configuration.json", "--create"], in: folder)
        return folder
    }

    private func run(_ arguments: [String], in folder: Folder, status: Int32 = 0) async throws -> Program.Result {
        let result = try await Program.run(arguments, in: folder.url)
        #expect(result.status == status, "\(arguments): \(result.errors)")
        return result
    }

    private func imported(_ more: [String] = [], in folder: Folder) async throws -> JSONValue {
        try JSONReader.parse(try await run(["user", "import", "users.json", "--json"] + more, in: folder).output)
    }

    private func count(in folder: Folder) async throws -> Int {
        let export = try await run(["user", "export", "--fields", "user_id"], in: folder)
        let ids = export.output.split(separator: "\n")
        #expect(Set(ids).count == ids.count)
        return ids.count
    }

    @Test("A trial changes nothing and says what the import then does; a second import reports each user")
    func trial() async throws {
        let folder = try await folder(users: 250)
        let trial = try await imported(["--dry-run"], in: folder)
        #expect(trial["inserted"] == 250 && trial["failed"] == 0)
        #expect(try await count(in: folder) == 0)
        #expect(try await imported(in: folder)["inserted"] == 250)
        #expect(try await count(in: folder) == 250)
        let again = try await imported(in: folder)
        #expect(again["failed"] == 250 && again["errors"]?[0]?["errors"]?[0]?["code"] == "DUPLICATED_USER")
        #expect(try await imported(["--upsert"], in: folder)["updated"] == 250)
        let people = try await run(["user", "import", "users.json"], in: folder)
        #expect(people.output.contains("0 added, 0 changed, 250 not taken"))
        #expect(people.output.contains("and 230 more"))
    }

    @Test("An import that is killed goes on where it was, and writes every user once")
    func killed() async throws {
        let folder = try await folder(users: 6_000)
        let program = try await Program(["user", "import", "users.json", "--json"], in: folder.url)
        // Until some parts are done.
        var written = 0
        while written < 200 {
            try await Task.sleep(for: .milliseconds(50))
            let listed = try await Program.run(["user", "list", "--limit", "1"], in: folder.url)
            written = listed.errors.split(separator: " ").compactMap { Int($0) }.max() ?? 0
        }
        program.send(SIGKILL)
        _ = await program.status()
        let before = try await count(in: folder)
        #expect(before < 6_000, "it was killed in the middle")
        #expect(before % 100 == 0, "parts are whole")
        let rest = try await run(["user", "import", "users.json", "--json"], in: folder)
        #expect(rest.errors.contains("which was interrupted"))
        let report = try JSONReader.parse(rest.output)
        #expect(report["inserted"] == 6_000 && report["failed"] == 0, "the job's numbers are those of both")
        #expect(try await count(in: folder) == 6_000)
        #expect(try await run(["log", "verify"], in: folder).status == 0)
    }

    @Test("Users go to the tenant's database, whatever its name is; without one, the command says what to do")
    func database() async throws {
        let folder = try await folder(users: 3)
        let named = #""connections": [ { "name": "Customers", "strategy": "auth0" } ]"#
        try folder.write(
            Self.configuration.replacing(#""host": "id.shop.example""#, with: #""host": "id.shop.example", \#(named)"#),
            to: "configuration.json")
        _ = try await run(["apply", "configuration.json"], in: folder)
        #expect(try await imported(in: folder)["inserted"] == 3)
        let made = try await run(["user", "create", "--email", "hanna@shop.example", "--json"], in: folder)
        #expect(made.output.contains("hanna@shop.example"))
        let exported = try await run(["user", "export", "--connection", "Customers"], in: folder)
        #expect(exported.output.split(separator: "\n").count == 4)
        let github =
            #""connections": [ { "name": "git", "strategy": "github", "options": { "client_id": "x", "client_secret": "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy" } } ]"#
        try folder.write(
            Self.configuration.replacing(
                #""host": "id.shop.example""#, with: #""host": "id.shop.example", \#(github)"#),
            to: "configuration.json")
        _ = try await run(["apply", "configuration.json", "--prune"], in: folder)
        let refused = try await run(["user", "import", "users.json"], in: folder, status: 1)
        #expect(refused.errors.contains("no database of users") && refused.errors.contains("strategy auth0"))
    }

    @Test("An exported table is printed as it is, with line breaks inside cells")
    func lineBreaks() async throws {
        let folder = try await folder(users: 0)
        try folder.write(
            #"[{"email":"x@shop.example","nickname":"=1","user_metadata":{"note":"one\n\ntwo\u2028three"}}]"#,
            to: "users.json")
        #expect(try await imported(in: folder)["inserted"] == 1)
        let table = try await run(
            ["user", "export", "--format", "csv", "--fields", "user_metadata.note,nickname"], in: folder)
        #expect(table.output == "user_metadata.note,nickname\r\n\"one\n\ntwo\u{2028}three\",\"'=1\"\r\n")
        let lines = try await run(["user", "export", "--fields", "user_metadata.note"], in: folder)
        #expect(try JSONReader.parse(lines.output)["user_metadata.note"] == "one\n\ntwo\u{2028}three")
    }
}
