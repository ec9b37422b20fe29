import CountersignServer
import Foundation
import Glibc
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("countersign log")
struct LogCommandTests {
    private func configuration(_ tenant: String) -> String {
        #"{ "tenants": [ { "id": "\#(tenant)", "name": "T", "host": "\#(tenant).example.com" } ] }"#
    }

    /// A folder with the entries of those tenants.
    private func folder(_ tenants: String...) async throws -> Folder {
        let folder = try Folder()
        for tenant in tenants {
            try folder.write(configuration(tenant), to: "\(tenant).json")
            #expect(try await Program.run(["apply", "\(tenant).json", "--create"], in: folder.url).status == 0)
        }
        return folder
    }

    private func database(_ folder: Folder) -> String {
        folder.url.appending(path: "countersign-data/countersign.db").path
    }

    private func log(_ arguments: String..., in folder: Folder) async throws -> Program.Result {
        try await Program.run(["log"] + arguments, in: folder.url)
    }

    @Test("A deleted tenant's entries, its deletion included, are read by its name")
    func deleted() async throws {
        let folder = try await folder("acme", "shop")
        #expect(try await Program.run(["tenant", "delete", "shop", "--yes"], in: folder.url).status == 0)
        let list = try await log("list", "--tenant", "shop", "--json", in: folder)
        #expect(list.status == 0, "\(list.errors)")
        let entries = try JSONReader.parse(list.output).arrayValue ?? []
        #expect(entries.count == 4)
        #expect(entries.first?["type"] == "sapi")
        #expect(entries.first?["details"]?["object"] == ["kind": "tenant", "id": "shop"])
        let id = try #require(entries.first?["log_id"]?.stringValue)
        #expect(try await log("show", id, "--tenant", "shop", in: folder).status == 0)
        #expect(try await log("show", id, "--tenant", "acme", in: folder).status == 1)
        let tail = try await log("tail", "-n", "1", "--tenant", "shop", in: folder)
        #expect(tail.output.contains(id))
        let unknown = try await log("list", "--tenant", "nobody", in: folder)
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("there is no tenant nobody"))
    }

    @Test("--all-tenants shows entries of all tenants with their tenant")
    func allTenants() async throws {
        let folder = try await folder("acme", "shop")
        let several = try await log("list", in: folder)
        #expect(several.status == 1)
        #expect(several.errors.contains("--all-tenants"))
        #expect(try await Program.run(["tenant", "delete", "shop", "--yes"], in: folder.url).status == 0)
        for command in ["list", "tail"] {
            let lines = try await log(command, "--all-tenants", in: folder).output.split(separator: "\n")
            let columns = lines.map { $0.split(separator: " ", omittingEmptySubsequences: true) }
            #expect(columns.first?.prefix(4) == ["ID", "TIME", "TENANT", "TYPE"])
            #expect(Set(columns.dropFirst().map { $0[2] }) == ["acme", "shop"])
        }
    }

    @Test("Followed entries are aligned with the earlier ones")
    func columns() async throws {
        let folder = try await folder("acme")
        let tail = try await Program(["log", "tail", "-f", "-n", "2"], in: folder.url)
        let heading = try await tail.line { $0.hasPrefix("ID") }
        let what = try #require(heading.range(of: "OBJECT")).lowerBound.utf16Offset(in: heading)
        _ = try await tail.line { $0.contains("configuration_applied") }
        _ = try await tail.line { $0.contains("configuration_applied") }
        let user = try await Program.run(["user", "create", "--email", "ann@acme.example"], in: folder.url)
        #expect(user.status == 0, "\(user.errors)")
        let line = try await tail.line { $0.contains("sapi") }
        #expect(line.dropFirst(what).hasPrefix("user auth0|"), "\(heading)\n\(line)")
        tail.send(SIGTERM)
        #expect(await tail.status() == 0)
    }

    @Test("Only --expect proves the end of the log, and the output says so")
    func end() async throws {
        let folder = try await folder("acme")
        let whole = try await log("verify", in: folder)
        #expect(whole.status == 0)
        #expect(whole.output.contains("use --expect to detect missing entries at the end"))
        let json = try JSONReader.parse(try await log("verify", "--json", in: folder).output)
        #expect(json["valid"] == true && json["end_proven"] == false)
        let head = try #require(json["head"]?.stringValue)
        let expected = try await log("verify", "--expect", head, in: folder)
        #expect(expected.output.contains("the expected head is one of them"))
        let proven = try JSONReader.parse(try await log("verify", "--expect", head, "--json", in: folder).output)
        #expect(proven["end_proven"] == true)
    }

    @Test(
        "Tampering with the whole log is a finding",
        arguments: [
            "unguarded": "DROP TRIGGER audit_log_alters_nothing",
            "emptied": "DROP TRIGGER audit_log_keeps_entries; DELETE FROM audit_log",
            "gone": "DROP TABLE audit_log",
        ])
    func findings(_ finding: String, _ script: String) async throws {
        let folder = try await folder("acme")
        try await alterDatabase(database(folder), script)
        let text = try await log("verify", in: folder)
        #expect(text.status == 1)
        #expect(text.errors.contains("error: ") && !text.errors.contains("database error"), "\(text.errors)")
        let json = try await log("verify", "--json", in: folder)
        #expect(json.status == 1)
        let report = try JSONReader.parse(json.output)
        #expect(report["valid"] == false)
        #expect(report["problem"]?["finding"]?.stringValue == finding)
        #expect(report["problem"]?["entry"] == .null)
    }

    @Test("An older version's database is refused with advice")
    func olderDatabase() async throws {
        let folder = try await folder("acme")
        var settings = ServerSettings()
        settings.dataFolder = folder.url.appending(path: "countersign-data").path
        let later =
            Schema.migrations + [
                Migration("002 shoe size", script: #"ALTER TABLE "user" ADD COLUMN shoe_size INTEGER;"#)
            ]
        let older = await #expect(throws: Installation.OlderDatabase.self) {
            try await Installation(reading: settings, migrations: later)
        }
        #expect(older?.description.contains("written by an older version") == true, "\(older as Any)")
        #expect(older?.description.contains("countersign keys list") == true)
        // A command that may change the database migrates it.
        try await Installation(settings, migrations: later).close()
        try await Installation(reading: settings, migrations: later).close()
        let newer = try await log("verify", in: folder)
        #expect(newer.status == 1)
        #expect(newer.errors.contains("written by a newer version"), "\(newer.errors)")
    }

    @Test("A database from before the first release is refused, and what to do is said")
    func beforeBaseline() async throws {
        let folder = try await folder("acme")
        try await alterDatabase(database(folder), "UPDATE schema_migrations SET name = '001 configuration';")
        for arguments in [["keys", "list"], ["log", "verify"]] {
            let refused = try await Program.run(arguments, in: folder.url)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("before its first release"), "\(refused.errors)")
            #expect(refused.errors.contains("another data folder"), "\(refused.errors)")
        }
    }

    @Test(
        "An auditor reads a read-only copy without the master key and leaves no file",
        .enabled(if: geteuid() != 0 || OtherAccount.exists))
    func auditor() async throws {
        let folder = try await folder("acme")
        let data = folder.url.appending(path: "countersign-data")
        let files = FileManager.default
        try files.removeItem(at: data.appending(path: "master.key"))
        for name in try files.contentsOfDirectory(atPath: data.path) {
            try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: data.appending(path: name).path)
        }
        chmod(data.path, 0o555)
        defer { chmod(data.path, 0o755) }
        func run(_ arguments: [String]) async throws -> Program.Result {
            geteuid() != 0
                ? try await Program.run(arguments, in: folder.url)
                : try await OtherAccount.run(arguments, as: 65_534, in: folder.url)
        }
        let verified = try await run(["log", "verify"])
        #expect(verified.status == 0, "\(verified.errors)")
        let list = try await run(["log", "list", "--json"])
        let id = try #require(try JSONReader.parse(list.output)[0]?["log_id"]?.stringValue)
        #expect(try await run(["log", "show", id]).status == 0)
        #expect(try await run(["log", "tail"]).status == 0)
        let refused = try await run(["user", "list"])
        #expect(refused.status == 1)
        let reason = geteuid() == 0 ? "belongs to root, but this runs as" : "the database can only be read"
        #expect(refused.errors.contains(reason), "\(refused.errors)")
        #expect(try files.contentsOfDirectory(atPath: data.path).sorted() == ["countersign.db"])
    }
}
