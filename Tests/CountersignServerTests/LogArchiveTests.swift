import Foundation
import Glibc
import Primitives
import TestSupport
import Testing

@Suite("countersign log archive")
struct LogArchiveTests {
    private static let key = ["COUNTERSIGN_MASTER_KEY": String(repeating: "ab", count: 32)]

    /// A folder whose log has so many old entries, and then those of a tenant that was made now.
    private func folder(old count: Int, isLaned: Bool = false) async throws -> Folder {
        let folder = try Folder()
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        try await makeDatabase(
            database(folder), tenant: "acme", logging: count, from: now - .seconds(100 * 86_400), isLaned: isLaned)
        try folder.write(#"{"tenants":[{"id":"acme","name":"A","host":"acme.example.com"}]}"#, to: "acme.json")
        let applied = try await Program.run(["apply", "acme.json", "--create"], in: folder.url, environment: Self.key)
        try #require(applied.status == 0, "\(applied.errors)")
        return folder
    }

    private func database(_ folder: Folder) -> String {
        folder.url.appending(path: "countersign-data/countersign.db").path
    }

    private func log(_ folder: Folder, _ arguments: String...) async throws -> Program.Result {
        try await Program.run(["log"] + arguments, in: folder.url, environment: Self.key)
    }

    private func report(_ folder: Folder, _ options: String...) async throws -> JSONValue {
        let result = try await Program.run(["log", "verify", "--json"] + options, in: folder.url)
        let report = try JSONReader.parse(result.output)
        #expect((result.status == 0) == (report["valid"] == true))
        return report
    }

    @Test("Old entries move to a file; the rest verifies from the signed head, and the whole with the file")
    func archive() async throws {
        let folder = try await folder(old: 4500)
        let before = try await report(folder)
        let total = try #require(before["entries"]?.intValue)
        let head = try #require(before["head"]?.stringValue)
        let result = try await log(folder, "archive", "--before", "30d", "old.ndjson", "--json")
        #expect(result.status == 0, "\(result.errors)")
        let archived = try JSONReader.parse(result.output)
        #expect(archived["entries"] == 4500)
        let key = try #require(archived["archive_key"]?.stringValue)
        let end = try #require(archived["head"]?.stringValue)
        var status = stat()
        #expect(stat(folder.url.appending(path: "old.ndjson").path, &status) == 0 && status.st_mode & 0o777 == 0o600)

        let rest = try await report(folder, "--expect", head, "--archive-key", key)
        #expect(rest["valid"] == true && rest["end_proven"] == true)
        #expect(rest["archived"]?.stringValue == end && rest["archive_key"]?.stringValue == key)
        // One entry tells of the archive.
        #expect(rest["entries"]?.intValue == total - 4500 + 1)
        let whole = try await report(folder, "--archive", "old.ndjson", "--expect", head, "--archive-key", key)
        #expect(whole["valid"] == true)
        #expect(whole["entries"]?.intValue == total + 1)
        #expect(try await log(folder, "list", "--tenant", "acme", "--type", "sapi").output.contains("audit log"))

        #expect(try await log(folder, "archive", "--before", "30d", "old.ndjson").errors.contains("never replaced"))
        let nothing = try await log(folder, "archive", "--before", "30d", "more.ndjson")
        #expect(nothing.status == 1)
        #expect(nothing.errors.contains("no entries that old"))
        let recent = try await log(folder, "archive", "--before", "1s", "more.ndjson")
        #expect(recent.errors.contains("entries of the last day always stay"))
    }

    @Test("Archives of several lanes verify together, in any order, with the rest of each lane")
    func lanes() async throws {
        let start = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let folder = try await folder(old: 60, isLaned: true)
        let head = try #require(try await report(folder)["head"]?.stringValue)
        #expect(head.contains(",1.20:") && head.contains(",2.20:") && head.contains(",3.20:"), "\(head)")
        // The command appends in lane 0, whose entries are recent.
        let first = start - .seconds(100 * 86_400 - 30)
        let early = try await log(folder, "archive", "--before", first.iso8601, "one.ndjson", "--json")
        let one = try JSONReader.parse(early.output)
        let count = try #require(one["entries"]?.intValue, "\(early.errors)")
        #expect((1..<60).contains(count))
        #expect(try await report(folder, "--expect", head)["valid"] == true)
        let late = try await log(folder, "archive", "--before", "30d", "two.ndjson", "--json")
        let two = try JSONReader.parse(late.output)
        #expect(two["entries"]?.intValue == 60 - count && two["after"] == one["head"], "\(late.errors)")
        let key = try #require(two["archive_key"]?.stringValue)
        let rest = try await report(folder, "--archive-key", key)
        #expect(rest["valid"] == true && rest["archived"] == two["head"])
        let whole = try await report(
            folder, "--archive", "two.ndjson", "--archive", "one.ndjson", "--expect", head, "--archive-key", key)
        #expect(whole["valid"] == true && (whole["entries"]?.intValue ?? 0) > 60)

        let lines = try String(contentsOf: folder.url.appending(path: "two.ndjson"), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let removed = try JSONReader.parse(lines[3])
        try folder.write((lines[..<3] + lines[4...]).joined(separator: "\n"), to: "changed.ndjson")
        let problem = try await report(folder, "--archive", "one.ndjson", "--archive", "changed.ndjson")["problem"]
        #expect(problem?["finding"] == "missing" && problem?["lane"] == removed["lane"])
        #expect(problem?["entry"] == removed["place"])
        let alone = try await report(folder, "--archive", "two.ndjson")
        #expect(alone["problem"]?["finding"] == "missing")
        let archived = try await report(folder, "--expect", "2.3:\(String(repeating: "0", count: 64))")
        #expect(archived["problem"]?["finding"] == "archived" && archived["problem"]?["lane"] == 2)
    }

    @Test("An altered, truncated or wrongly signed archive does not verify")
    func altered() async throws {
        let folder = try await folder(old: 50)
        #expect(try await log(folder, "archive", "--before", "30d", "old.ndjson").status == 0)
        let lines = try String(contentsOf: folder.url.appending(path: "old.ndjson"), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        func finding(_ change: (inout [String]) -> Void) async throws -> String? {
            var changed = lines
            change(&changed)
            try folder.write(changed.joined(separator: "\n"), to: "changed.ndjson")
            return try await report(folder, "--archive", "changed.ndjson")["problem"]?["finding"]?.stringValue
        }
        #expect(try await finding { _ in } == nil)
        #expect(try await finding { $0[7] = $0[7].replacing("192.0.2.1", with: "192.0.2.2") } == "altered")
        #expect(try await finding { $0.remove(at: 7) } == "missing")
        #expect(try await finding { $0.removeSubrange(40...) } == "torn")
        #expect(try await finding { $0[9] = "{}" } == "torn")
        #expect(try await finding { $0[0] = "{}" } == "torn")
        #expect(try await finding { $0[0] = $0[0].replacing(#""head":"50:"#, with: #""head":"49:"#) } == "unsigned")
        let other = try await report(folder, "--archive-key", "x")
        #expect(other["problem"]?["finding"] == "unsigned")
        let expected = try #require(AuditLine(lines[20])?.head)
        let inside = try await report(folder, "--expect", expected)
        #expect(inside["problem"]?["finding"] == "archived")
        #expect(try await report(folder, "--expect", expected, "--archive", "old.ndjson")["valid"] == true)
    }

    /// A line of an archive.
    private struct AuditLine {
        let head: String

        init?(_ line: String) {
            guard let value = try? JSONReader.parse(line), let id = value["id"]?.intValue,
                let hash = value["hash"]?.stringValue
            else { return nil }
            head = "\(id):\(hash)"
        }
    }

    @Test("Only the archive removes entries, and an unsigned end is a finding")
    func guarded() async throws {
        let folder = try await folder(old: 50)
        #expect(try await log(folder, "archive", "--before", "30d", "old.ndjson").status == 0)
        for change in [
            "DELETE FROM audit_log WHERE id = 51", "DELETE FROM audit_log", "DELETE FROM audit_archive",
            "DELETE FROM audit_archive_lane", "UPDATE audit_archive_lane SET place = 9999, id = 9999",
            "UPDATE audit_archive_lane SET place = 20, id = 20",
            "UPDATE audit_log SET kind = 'f' WHERE id = 51",
        ] {
            await #expect(throws: (any Error).self, "\(change)") { try await alterDatabase(database(folder), change) }
        }
        #expect(try await report(folder)["valid"] == true)
        try await alterDatabase(
            database(folder),
            """
            UPDATE audit_archive_lane SET (place, hash, id) = (SELECT place, hash, id FROM audit_log WHERE id = 52);
            DELETE FROM audit_log WHERE id <= 52;
            """)
        #expect(try await report(folder)["problem"]?["finding"] == "unsigned")
        #expect(try await log(folder, "archive", "--before", "30d", "more.ndjson").status == 1)
    }

    @Test("After a kill at any moment the rest verifies, alone and with the file, and the next archive continues")
    func killed() async throws {
        let folder = try await folder(old: 12_000)
        let program = try await Program(
            ["log", "archive", "--before", "30d", "one.ndjson"], in: folder.url, environment: Self.key)
        while !folder.exists("one.ndjson") { try await Task.sleep(for: .milliseconds(1)) }
        program.send(SIGKILL)
        _ = await program.status()
        #expect(try await report(folder)["valid"] == true)
        #expect(try await report(folder, "--archive", "one.ndjson")["valid"] == true)
        let next = try await log(folder, "archive", "--before", "30d", "two.ndjson")
        let both = next.status == 0 ? ["--archive", "two.ndjson"] : []
        #expect(next.status == 0 || next.errors.contains("no entries that old"), "\(next.errors)")
        let result = try await Program.run(
            ["log", "verify", "--json", "--archive", "one.ndjson"] + both, in: folder.url)
        #expect(result.status == 0, "\(result.output)")
    }
}
