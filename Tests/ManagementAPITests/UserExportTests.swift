import Administration
import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Jobs: exports of users")
struct UserExportTests {
    /// Starts an export, works it, and fetches its file without a token.
    private func exported(_ body: JSONValue, _ fixture: ManagementFixture) async throws -> HTTPAnswer {
        let made = await fixture.post("/jobs/users-exports", body)
        #expect(made.status == 202 && made["location"] == nil, "\(made.text)")
        try await fixture.work()
        let job = await fixture.get("/jobs/\(made["id"]?.stringValue ?? "")")
        #expect(job["status"] == "completed")
        return await fetch(try (job["location"]?.stringValue).orThrow(job.text), fixture)
    }

    private func fetch(_ location: String, _ fixture: ManagementFixture) async -> HTTPAnswer {
        let path = location.replacing("https://\(InProcessServer.host)", with: "")
        return await fixture.server.send(
            Request(method: .get, path: path, fields: ["Host": InProcessServer.host]))
    }

    private func fixture() async throws -> ManagementFixture {
        let fixture = try await ManagementFixture()
        let users = (0..<250).map { number -> JSONValue in
            [
                "email": .string("u\(number)@example.com"), "user_id": .string("u\(number)"),
                "name": "Comma, \"quoted\"", "app_metadata": ["plan": ["name": "gold"]],
            ]
        }
        _ = try await fixture.imported(.array(users))
        return fixture
    }

    @Test("An export in lines has every user, and its fields by their paths and names")
    func lines() async throws {
        let fixture = try await fixture()
        let all = try await exported([:], fixture)
        let lines = try all.text.split(separator: "\n").map { try JSONReader.parse(Array($0.utf8)) }
        #expect(lines.count == 252)
        #expect(Set(lines.compactMap { $0["user_id"]?.stringValue }).count == 252)
        #expect(
            lines.contains { $0["email"] == "u249@example.com" && $0["app_metadata"] == ["plan": ["name": "gold"]] })
        #expect(!all.text.contains("password"))
        let some = try await exported(
            [
                "limit": 120,
                "fields": [
                    ["name": "email"], ["name": "identities[0].connection", "export_as": "provider"],
                    ["name": "app_metadata.plan.name", "export_as": "plan"],
                ],
            ], fixture)
        let part = try some.text.split(separator: "\n").map { try JSONReader.parse(Array($0.utf8)) }
        #expect(part.count == 120)
        #expect(part.last?["plan"] == "gold")
        #expect(part.last?["provider"] == .string(LoginConnection.defaultDatabaseName))
    }

    @Test("An export as a table has a head and quotes what needs it")
    func table() async throws {
        let fixture = try await fixture()
        let id = try await fixture.database()
        let table = try await exported(
            [
                "format": "csv", "limit": 5, "connection_id": .string(id),
                "fields": [["name": "user_id", "export_as": "ID"], ["name": "name"], ["name": "last_login"]],
            ], fixture)
        #expect(table.fields["Content-Type"] == "text/csv; charset=utf-8")
        let rows = table.text.split(separator: "\r\n")
        #expect(rows.count == 6 && rows.first == "ID,name,last_login")
        #expect(rows.contains { $0.hasSuffix(#","Comma, ""quoted""","#) })
    }

    @Test("A link to a file works for ten minutes, for that file and tenant alone")
    func links() async throws {
        let fixture = try await ManagementFixture()
        let made = await fixture.post("/jobs/users-exports", ["fields": [["name": "email"]]])
        try await fixture.work()
        let path = "/jobs/\(made["id"]?.stringValue ?? "")"
        let location = try (await fixture.get(path)["location"]?.stringValue).orThrow("no location")
        #expect(await fetch(location, fixture).status == 200)
        #expect(await fetch(String(location.dropLast(4)) + "AAAA", fixture).status == 404)
        let parts = location.split(separator: "/")
        let end = try (parts.dropLast().last.flatMap { Int64($0) }).orThrow(location)
        #expect(await fetch(location.replacing("/\(end)/", with: "/\(end + 1)/"), fixture).status == 404)
        #expect(await fetch(location.replacing("job_", with: "jib_"), fixture).status == 404)
        let elsewhere = location.replacing("https://\(InProcessServer.host)", with: "")
        let other = await fixture.server.send(
            Request(method: .get, path: elsewhere, fields: ["Host": InProcessServer.otherHost]))
        #expect(other.status == 404)
        fixture.server.clock.advance(by: .seconds(601))
        #expect(await fetch(location, fixture).status == 404)
    }
}
