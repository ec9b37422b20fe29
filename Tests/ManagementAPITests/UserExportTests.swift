import Administration
import AuthorizationCore
import Endpoints
import HTTPModel
import Persistence
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

    @Test("A cell that a spreadsheet would take for a formula gets an apostrophe, which can be taken away again")
    func formulas() async throws {
        let fixture = try await ManagementFixture()
        let names = [
            "=cmd|' /C calc'!A0", "+1", "-2+3", "@SUM(A1)", "\tx", "\r=x", "＝x", "'=x", "'t Hooft", "plain",
            "a,\u{301}=b",
            "\"\u{301}x", "a;b",
        ]
        let users = names.enumerated().map { number, name -> JSONValue in
            [
                "email": .string("u\(number)@example.com"), "user_metadata": ["note": .string(name)],
                "app_metadata": ["debt": -5, "sum": ["=1"]],
            ]
        }
        #expect(try await fixture.imported(.array(users))["summary"]?["inserted"] == .number(JSONNumber(names.count)))
        let table = try await exported(
            [
                "format": "csv",
                "fields": [
                    ["name": "email", "export_as": "=head"], ["name": "user_metadata.note"],
                    ["name": "app_metadata.debt"],
                    ["name": "app_metadata.sum"],
                ],
            ], fixture)
        let rows = CSV.rows(table.text)
        #expect(rows.first?.first == "'=head")
        #expect(rows.allSatisfy { $0.count == 4 })
        for (number, name) in names.enumerated() {
            let row = try rows.first { $0[0] == "u\(number)@example.com" }.orThrow("no row of \(name)")
            let isFormula = number < 8
            #expect(row[1] == (isFormula ? "'" + name : name))
            #expect(row[2] == "-5" && row[3] == #"["=1"]"#, "numbers and JSON stay")
        }
        let lines = try await exported(["fields": [["name": "user_metadata.note", "export_as": "note"]]], fixture)
        let exported = try lines.text.split(separator: "\n").compactMap {
            try JSONReader.parse(Array($0.utf8))["note"]?.stringValue
        }
        #expect(Set(names).isSubset(of: Set(exported)), "JSON has no apostrophes")
    }

    @Test("A file is read part by part as it is taken, and a tenant fetches four at once")
    func parts() async throws {
        let fixture = try await fixture()
        let made = await fixture.post("/jobs/users-exports", ["fields": [["name": "email"]]])
        try await fixture.work()
        let job = await fixture.get("/jobs/\(made["id"]?.stringValue ?? "")")
        let location = try (job["location"]?.stringValue).orThrow(job.text)
        let request = Request(
            method: .get, path: location.replacing("https://\(InProcessServer.host)", with: ""),
            fields: ["Host": InProcessServer.host])
        func response() async throws -> Response { await fixture.server.application.handle(request) }
        var held: [Response] = []
        for _ in 0..<4 { held.append(try await response()) }
        let refused = try await response()
        #expect(refused.status == 429 && refused.fields["Retry-After"] == "10")
        guard case .parts(let next) = held[0].body else { throw Unexpected("not in parts") }
        let before = fixture.server.storage.accesses.reads
        let first = try await next()
        #expect(first?.filter { $0 == UInt8(ascii: "\n") }.count == 100)
        #expect(fixture.server.storage.accesses.reads == before + 1)
        held.removeLast(3)
        #expect(try await response().status == 200, "a client that has left frees its place")
        // A part that was swept meanwhile is a failure, and no end of the file.
        fixture.server.clock.advance(by: .seconds(86_401))
        var cursor = SweepCursor()
        repeat {
            _ = try await fixture.server.storage.store.sweep(
                &cursor, endedBefore: fixture.server.clock.now, now: fixture.server.clock.now)
        } while !cursor.isAtStart
        await #expect(throws: (any Error).self) { _ = try await next() }
        #expect(fixture.server.log.lines.contains { $0.contains("export not sent to its end") })
    }

    @Test("An export of the tenant's database has its users, whatever its name is")
    func otherName() async throws {
        let fixture = try await ManagementFixture { setup in
            setup.connections = [
                LoginConnection(name: "Customers", displayName: "Customers", kind: .database(allowsSignUp: true))
            ]
        }
        _ = try await fixture.imported([["email": "j@example.com"]])
        let table = try await exported(
            ["connection_id": .string(try await fixture.database()), "fields": [["name": "email"]]], fixture)
        #expect(table.text.contains("j@example.com"))
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

    @Test("The link of an export is its file, so that a job is shown to those alone who may read users")
    func readers() async throws {
        let fixture = try await fixture()
        let made = await fixture.post("/jobs/users-exports", [:])
        let path = "/jobs/\(made["id"]?.stringValue ?? "")"
        try await fixture.work()
        let importer = try await fixture.with(scopes: ["create:users"])
        let refused = await importer.get(path)
        #expect(refused.status == 403 && refused.code == "insufficient_scope", "\(refused.text)")
        #expect(refused["location"] == nil && !refused.text.contains("/exports/"))
        #expect(try await fixture.with(scopes: ["read:users"]).get(path)["location"] != nil)
    }

    @Test(
        "A field is exported once, however its path is written",
        arguments: [
            "app_metadata.plan", "app_metadata..plan", ".app_metadata.plan.",
        ])
    func repeated(_ name: String) async throws {
        let fixture = try await ManagementFixture()
        let fields: JSONValue = [["name": "app_metadata.plan"], ["name": .string(name), "export_as": "b"]]
        let refused = await fixture.post("/jobs/users-exports", ["fields": fields])
        #expect(refused.status == 400 && refused.message.contains("fields[1].name"), "\(refused.text)")
    }

    @Test("Users with much metadata go into smaller parts, and none is lost")
    func largeUsers() async throws {
        let fixture = try await ManagementFixture()
        let text = JSONValue.string(String(repeating: "x", count: 60_000))
        for part in 0..<12 {
            let users = (0..<7).map { number -> JSONValue in
                ["email": .string("u\(part)-\(number)@example.com"), "app_metadata": ["text": text]]
            }
            _ = try await fixture.imported(.array(users))
        }
        let all = try await exported(["fields": [["name": "user_id"], ["name": "app_metadata"]]], fixture)
        let lines = all.text.split(separator: "\n")
        #expect(lines.filter { $0.contains("xxx") }.count == 84)
        #expect(Set(lines).count == lines.count)
    }
}

/// Reads RFC 4180.
private enum CSV {
    static func rows(_ text: String) -> [[String]] {
        var rows: [[String]] = []
        var (row, cell, isQuoted) = ([String](), "", false)
        let scalars = Array(text.unicodeScalars)
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            index += 1
            switch scalar {
            case "\"" where isQuoted && index < scalars.count && scalars[index] == "\"":
                cell.unicodeScalars.append(scalar)
                index += 1
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                row.append(cell)
                cell = ""
            case "\r" where !isQuoted:
                index += 1
                rows.append(row + [cell])
                (row, cell) = ([], "")
            default: cell.unicodeScalars.append(scalar)
            }
        }
        return rows
    }
}
