import Foundation
import Primitives
import TestSupport
import Testing

@Suite("countersign device invite")
struct InviteCommandTests {
    private let folder: Folder

    /// Five people whom a link may be mailed to, and two others.
    init() async throws {
        folder = try Folder()
        let people = (1...5).map { number in
            """
            { "user_id": "auth0|\(number)", "email": "p\(number)@acme.example", "email_verified": true,
              "app_metadata": { "team": "\(number < 3 ? "staff" : "shop")" } }
            """
        }
        try folder.write(
            """
            { "tenants": [ { "id": "acme", "name": "Acme", "host": "acme.example.com", "users": [
              \(people.joined(separator: ",")),
              { "user_id": "auth0|6", "email": "p6@acme.example" },
              { "user_id": "auth0|7", "email": "p7@acme.example", "email_verified": true, "blocked": true } ] } ] }
            """, to: "acme.json")
        try #require(try await Program.run(["apply", "acme.json", "--create"], in: folder.url).status == 0)
    }

    private func invite(_ words: String...) async throws -> JSONValue {
        let result = try await Program.run(["device", "invite", "--json"] + words, in: folder.url)
        try #require(result.status == 0, "\(result.errors)")
        return try JSONReader.parse(result.output)
    }

    /// Addresses that a link was mailed to, in order.
    private func mailed() async throws -> [String] {
        let log = try await Program.run(["log", "list", "--json"], in: folder.url)
        return try JSONReader.parse(log.output).arrayValue?.compactMap { entry in
            entry["details"]?["mailed_to"]?.stringValue
        } ?? []
    }

    @Test("A dry run counts and mails nobody; batches go on where the last one ended, and nobody is mailed twice")
    func batches() async throws {
        let counted = try await invite("--dry-run")
        #expect(counted["invited"] == 5 && counted["no_verified_address"] == 1 && counted["blocked"] == 1)
        #expect(try await mailed() == [])
        let staff = try await invite("--query", "app_metadata.team:staff")
        #expect(staff["invited"] == 2 && staff["left"] == 0)
        let first = try await invite("--batch", "2")
        #expect(first["invited"] == 2 && first["open_invitation"] == 2 && first["left"] == 1)
        let second = try await invite("--batch", "2")
        #expect(second["invited"] == 1 && second["open_invitation"] == 4 && second["left"] == 0)
        let third = try await invite("--batch", "2")
        #expect(third["invited"] == 0 && third["open_invitation"] == 5)
        #expect(try await mailed().sorted() == (1...5).map { "p\($0)@acme.example" })
    }

    @Test("A run that was killed between two mails is taken up by the next")
    func crash() async throws {
        let slow = try await Program(["device", "invite", "--batch", "1", "--every", "1h"], in: folder.url)
        while try await mailed().isEmpty { try await Task.sleep(for: .milliseconds(100)) }
        slow.send(SIGKILL)
        _ = await slow.status()
        #expect(try await invite("--batch", "100", "--every", "1s")["invited"] == 4)
        #expect(try await mailed().sorted() == (1...5).map { "p\($0)@acme.example" })
    }

    @Test("Batches pause, and a wrong query or number is refused")
    func pauses() async throws {
        let start = ContinuousClock.now
        #expect(try await invite("--batch", "2", "--every", "1s")["invited"] == 5)
        #expect(ContinuousClock.now - start >= .seconds(2))
        for words in [["--query", "name:("], ["--batch", "0"], ["--every", "0s"]] {
            let refused = try await Program.run(["device", "invite"] + words, in: folder.url)
            #expect(refused.status != 0, "\(words)")
        }
    }
}
