import Foundation
import Primitives
import TestSupport
import Testing

@Suite("What countersign import auth0 and import keycloak say")
struct ImportOutputTests {
    private let folder: Folder
    private static let new = ["--tenant", "northwind", "--host", "id.northwind.example", "--data", "my data"]

    init() throws {
        folder = try Folder()
        try folder.write(
            """
            { "realm": "northwind",
              "smtpServer": { "host": "mail.northwind.example", "port": "587", "from": "a@northwind.example" },
              "users": [ { "id": "h", "username": "hanna", "enabled": true } ] }
            """, to: "realm.json")
    }

    private func run(_ words: [String]) async throws -> Program.Result {
        try await Program.run(words, in: folder.url)
    }

    @Test("The commands to run next have the tenant and the data folder, and run as they are printed")
    func next() async throws {
        let result = try await run(
            ["import", "keycloak", "realm.json", "--create", "--users-file", "people.json"] + Self.new)
        try #require(result.status == 0, "\(result.errors)")
        let options = "--tenant northwind --data 'my data'"
        #expect(result.errors.contains("  countersign user import people.json \(options)\n"), "\(result.errors)")
        #expect(result.errors.contains("  countersign device invite \(options) --dry-run\n"))
        let words = ["user", "import", "people.json", "--tenant", "northwind", "--data", "my data"]
        let imported = try await run(words)
        #expect(imported.status == 0, "\(imported.errors)")
        let users = try await run(["user", "export", "--tenant", "northwind", "--data", "my data"])
        #expect(users.output.contains(#""username":"hanna""#), "\(users.output + users.errors)")
    }

    @Test("A mail server that comes is named, since mail goes to real people, unless it is left out")
    func mail() async throws {
        let words = ["import", "keycloak", "realm.json", "--create", "--dry-run"] + Self.new
        let warned = try await run(words)
        #expect(warned.errors.contains("Mail goes to real people, by mail.northwind.example"), "\(warned.errors)")
        #expect(warned.errors.contains("countersign mail provider remove --tenant northwind --data 'my data'"))
        let silent = try await run(words + ["--without-mail"])
        #expect(silent.status == 0 && !silent.errors.contains("real people"))
        #expect(silent.output.contains("--without-mail left it out"))
    }

    @Test("The table of what came counts members, which the report names")
    func members() async throws {
        let words = ["import", "keycloak", "realm.json", "--create", "--dry-run", "--report", "r.json"] + Self.new
        let result = try await run(words)
        let row = try #require(result.output.split(separator: "\n").first { $0.contains("users import") })
        #expect(row.last?.isNumber == true, "\(row)")
        #expect(try String(contentsOf: folder.url.appending(path: "r.json"), encoding: .utf8).contains("enabled"))
    }

    @Test("A folder that is no export is named")
    func folderName() async throws {
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "empty"), withIntermediateDirectories: true)
        for text in [nil, "hello"] {
            if let text { try folder.write(text, to: "empty/readme.txt") }
            let result = try await run(["import", "auth0", "empty", "--create"] + Self.new)
            #expect(result.status == 1)
            #expect(result.errors.contains("empty: is no export of Auth0's deploy CLI"), "\(result.errors)")
        }
    }

    @Test("Auth0's users and hashes go to the users' file")
    func users() async throws {
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "auth0/clients"), withIntermediateDirectories: true)
        try folder.write(#"{"name":"Web"}"#, to: "auth0/clients/Web.json")
        let hash = "$2b$10$ABCDEFGHIJKLMNOPQRSTUOn3HzDtIrNcl6HFzVmZAUZK2dIUdk8e6"
        try folder.write(#"{"user_id":"auth0|1","email":"ann@northwind.example"}"#, to: "users.ndjson")
        try folder.write(#"{"_id":{"$oid":"1"},"passwordHash":"\#(hash)"}"#, to: "hashes.ndjson")
        let result = try await run(
            [
                "import", "auth0", "auth0", "--create", "--users", "users.ndjson", "--hashes", "hashes.ndjson",
                "--users-file", "people.json",
            ] + Self.new)
        try #require(result.status == 0, "\(result.errors)")
        #expect(!(result.output + result.errors).contains(hash))
        let imported = try await run(
            ["user", "import", "people.json", "--tenant", "northwind", "--data", "my data", "--dry-run"])
        #expect(imported.status == 0, "\(imported.errors)")
    }
}
