import Foundation
import Primitives
import TestSupport
import Testing

@Suite("countersign deliveries")
struct DeliveriesCommandTests {
    /// A folder with a delivery in each state to the tenant's user Ann, of one request, and a failed one of another tenant.
    private func folder() async throws -> Folder {
        let folder = try Folder()
        try folder.write(
            """
            { "tenants": [
              { "id": "acme", "name": "Acme", "host": "acme.example.com",
                "users": [ { "user_id": "auth0|ann", "name": "Ann" }, { "user_id": "auth0|ben", "name": "Ben" } ] },
              { "id": "other", "name": "Other", "host": "other.example.com" } ] }
            """, to: "both.json")
        let applied = try await Program.run(["apply", "both.json", "--create"], in: folder.url)
        try #require(applied.status == 0, "\(applied.errors)")
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let rows = (0...4).map { state in
            """
            INSERT INTO delivery (tenant, queue, recipient, request, payload, sealed, created_at, due_at, expires_at,
                attempts, state, problem)
            VALUES ('acme', 'mail', 'auth0|ann', 1, '', x'', \(now), \(now), \(now + 60_000), \(state), \(state),
                nullif('problem \(state)', 'problem 2'));
            """
        }
        let other = rows[1].replacing("'acme'", with: "'other'").replacing(", 1, '', x''", with: ", NULL, '', x''")
        let request = """
            INSERT INTO backchannel_request (sequence, hash, tenant, "user", client, audience, state, channel,
                sealed_record, poll_interval, wants_receipt, created_at, expires_at)
            VALUES (1, x'\(String(repeating: "ab", count: 32))', 'acme', 'auth0|ann', 'agent', '', 0, 'email', x'', 5, 0,
                \(now), \(now + 60_000));
            """
        try await alterDatabase(
            folder.url.appending(path: "countersign-data/countersign.db").path,
            ([request] + rows + [other]).joined(separator: "\n"))
        return folder
    }

    @Test("Failures of one tenant are listed with tries and the last error; a user's and a request's in every state")
    func lists() async throws {
        let folder = try await folder()
        func list(_ options: String...) async throws -> [JSONValue] {
            let result = try await Program.run(
                ["deliveries", "--tenant", "acme", "--json"] + options, in: folder.url)
            #expect(result.status == 0, "\(result.errors)")
            return try JSONReader.parse(result.output).arrayValue ?? []
        }
        let failed = try await list()
        #expect(failed.compactMap { $0["state"]?.stringValue } == ["skipped", "undeliverable", "failed"])
        #expect(failed.compactMap { $0["last_error"]?.stringValue } == ["problem 4", "problem 3", "problem 1"])
        #expect(failed.compactMap { $0["attempts"]?.intValue } == [4, 3, 1])
        let states = ["skipped", "undeliverable", "sent", "failed", "waiting"]
        let ofUser = try await list("--user", "auth0|ann")
        #expect(ofUser.compactMap { $0["state"]?.stringValue } == states)
        let id = try (ofUser.first?["transaction_linking_id"]?.stringValue).orThrow("no request")
        #expect(try await list("--request", id).count == states.count)
        #expect(try await list("--user", "auth0|ann", "--limit", "2").count == 2)
        #expect(try await list("--user", "auth0|ben").isEmpty)
        #expect(try await list("--request", "cns_\(String(repeating: "x", count: 22))").isEmpty)
        let user = try await Program.run(["user", "show", "auth0|ann", "--tenant", "acme"], in: folder.url)
        #expect(user.output.contains("mail undeliverable, tries: 3, problem 3"), "\(user.output)\(user.errors)")
    }

    @Test("The table is aligned and has no colours in a pipe; wrong choices say what to give")
    func table() async throws {
        let folder = try await folder()
        let shown = try await Program.run(["deliveries", "--tenant", "acme"], in: folder.url)
        let lines = shown.output.split(separator: "\n")
        #expect(lines.count == 4 && lines[0].hasPrefix("CREATED"), "\(shown.output)")
        let column = try #require(lines[0].range(of: "LAST ERROR")?.lowerBound)
        let distance = lines[0].distance(from: lines[0].startIndex, to: column)
        #expect(lines.dropFirst().allSatisfy { $0.dropFirst(distance).hasPrefix("problem") }, "\(shown.output)")
        #expect(!shown.output.contains("\u{1B}"))
        func refused(_ options: String...) async throws -> String {
            let result = try await Program.run(["deliveries", "--tenant", "acme"] + options, in: folder.url)
            #expect(result.status == 2, "\(options): \(result.errors)")
            return result.errors
        }
        let id = "cns_\(String(repeating: "x", count: 22))"
        #expect(try await refused("--user", "auth0|ann", "--request", id).contains("exclude each other"))
        #expect(try await refused("--request", "nonsense").contains("cns_ and 22 characters"))
        let unnamed = try await Program.run(["deliveries"], in: folder.url)
        #expect(unnamed.status == 1 && unnamed.errors.contains("--tenant"), "\(unnamed.errors)")
        let nobody = try await Program.run(["deliveries", "--tenant", "acme", "--user", "nobody"], in: folder.url)
        #expect(nobody.status == 1 && !nobody.errors.isEmpty)
    }
}
