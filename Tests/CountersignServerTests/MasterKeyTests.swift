import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Master key")
struct MasterKeyTests {
    private static let key = String(repeating: "ab", count: 32)
    private static let given = ["COUNTERSIGN_MASTER_KEY": key]
    private static let other = ["COUNTERSIGN_MASTER_KEY": String(repeating: "cd", count: 32)]
    private static let configuration = """
        { "tenants": [ { "id": "acme", "name": "Acme", "host": "acme.example.com" } ] }
        """

    /// A folder whose database was made with the key from the environment.
    private func folder() async throws -> Folder {
        let folder = try Folder()
        try folder.write(Self.configuration, to: "acme.json")
        let made = try await Program.run(["apply", "acme.json", "--create"], in: folder.url, environment: Self.given)
        try #require(made.status == 0, "\(made.errors)")
        #expect(!folder.exists("countersign-data/master.key"))
        return folder
    }

    private func keys(_ folder: Folder) async throws -> [JSONValue] {
        let list = try await Program.run(["keys", "list", "--json"], in: folder.url)
        #expect(list.status == 0, "\(list.errors)")
        return try JSONReader.parse(list.output).arrayValue ?? []
    }

    /// Makes the database one of a version that kept no check.
    private func forgetCheck(_ folder: Folder) async throws {
        try await alterDatabase(
            folder.url.appending(path: "countersign-data/countersign.db").path, "DELETE FROM master_key_check")
    }

    @Test("Without the master key, commands that need it say so, change nothing and create no other key")
    func missing() async throws {
        let folder = try await folder()
        let before = try await keys(folder)
        #expect(before.count == 2)
        try folder.write(Self.configuration.replacing("acme", with: "shop"), to: "shop.json")
        for arguments in [["keys", "rotate"], ["apply", "shop.json"], ["serve", "--port", "0"]] {
            let result = try await Program.run(arguments, in: folder.url)
            #expect(result.status == (arguments[0] == "serve" ? 2 : 1), "\(arguments)")
            #expect(
                result.errors.contains("the database was sealed under a master key that is missing"),
                "\(arguments): \(result.errors)")
            #expect(result.errors.contains("set COUNTERSIGN_MASTER_KEY or --master-key-file"))
        }
        #expect(try await keys(folder) == before)
        #expect(!folder.exists("countersign-data/master.key"))
    }

    @Test(
        "Commands that need no master key run without it",
        arguments: [["tenant", "list"], ["log", "verify"], ["keys", "list"]])
    func needless(_ arguments: [String]) async throws {
        let folder = try await folder()
        let result = try await Program.run(arguments, in: folder.url)
        #expect(result.status == 0, "\(result.errors)")
        #expect(!folder.exists("countersign-data/master.key"))
    }

    @Test("Another master key is refused before any change, also if an older version stored no check of it")
    func another() async throws {
        let folder = try await folder()
        for keepsCheck in [true, false] {
            if !keepsCheck { try await forgetCheck(folder) }
            for arguments in [["keys", "rotate"], ["user", "list"], ["serve", "--port", "0"]] {
                let result = try await Program.run(arguments, in: folder.url, environment: Self.other)
                #expect(result.status == (arguments[0] == "serve" ? 2 : 1), "\(arguments)")
                #expect(
                    result.errors.contains("the database was sealed under another master key"), "\(result.errors)")
            }
        }
        #expect(try await keys(folder).allSatisfy { $0["status"] != "previous" })
        let rotated = try await Program.run(["keys", "rotate"], in: folder.url, environment: Self.given)
        #expect(rotated.status == 0, "\(rotated.errors)")
    }

    @Test("A file with another key is named in the error")
    func file() async throws {
        let folder = try await folder()
        let file = folder.url.appending(path: "other.key")
        try folder.write(String(repeating: "cd", count: 32), to: "other.key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let result = try await Program.run(["keys", "rotate", "--master-key-file", "other.key"], in: folder.url)
        #expect(result.status == 1)
        #expect(result.errors.contains("than the one in other.key"), "\(result.errors)")
    }

    @Test("An older version's master key is the one that opens the oldest signing key")
    func older() async throws {
        let folder = try await folder()
        // A key that a wrong master key sealed: it does not open under the right one.
        try await alterDatabase(
            folder.url.appending(path: "countersign-data/countersign.db").path,
            """
            UPDATE signing_key SET created_at = created_at + 1, sealed_private_key = zeroblob(64) WHERE status = 'next';
            DELETE FROM master_key_check;
            """)
        let rotated = try await Program.run(["keys", "rotate"], in: folder.url, environment: Self.given)
        #expect(rotated.status == 1)
        let next = try #require(try await keys(folder).first { $0["status"] == "next" }?["kid"]?.stringValue)
        #expect(rotated.errors.contains("the row of the signing key \(next) of the tenant acme was changed"))
        #expect(rotated.errors.contains("countersign keys revoke \(next) --tenant acme"))
        for arguments in [["keys", "revoke", next], ["keys", "rotate"]] {
            let result = try await Program.run(arguments, in: folder.url, environment: Self.given)
            #expect(result.status == 0, "\(result.errors)")
        }
    }

    @Test("A server with an unreadable signing key starts, names the key, and picks up changes")
    func serves() async throws {
        let folder = try await folder()
        try await alterDatabase(
            folder.url.appending(path: "countersign-data/countersign.db").path,
            """
            UPDATE signing_key SET sealed_private_key = zeroblob(64), certificate = NULL WHERE status = 'current';
            """)
        let server = try await RunningServer(in: folder, environment: Self.given)
        #expect(await server.program.errors.wait(for: "was changed"))
        try folder.write(Self.configuration.replacing("acme", with: "shop"), to: "shop.json")
        let applied = try await server.command(["apply", "shop.json"], environment: Self.given)
        #expect(applied.status == 0, "\(applied.errors)")
        #expect(await server.program.errors.wait(for: "configuration reloaded"))
        let metadata = try await server.get(".well-known/openid-configuration", host: "shop.example.com")
        #expect(metadata.status == 200)
        #expect(await server.stop() == 0)
    }

    @Test("The master key is created together with a new database")
    func new() async throws {
        let folder = try Folder()
        try folder.write(Self.configuration, to: "acme.json")
        #expect(try await Program.run(["apply", "acme.json", "--create"], in: folder.url).status == 0)
        #expect(folder.exists("countersign-data/master.key"))
        #expect(try await Program.run(["keys", "rotate"], in: folder.url).status == 0)
    }
}
