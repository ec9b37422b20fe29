import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Management API: logs and statistics")
struct LogTests {
    /// A fixture with log entries of its token and of the roles that it creates.
    private func fixture(roles: Int = 3) async throws -> ManagementFixture {
        let fixture = try await ManagementFixture()
        for number in 0..<roles { _ = await fixture.post("/roles", ["name": .string("Role \(number)")]) }
        return fixture
    }

    private func types(_ answer: HTTPAnswer) -> [String] {
        (answer.json["logs"]?.arrayValue ?? answer.json.arrayValue ?? []).compactMap { $0["type"]?.stringValue }
    }

    @Test("the log is paged, newest first")
    func pages() async throws {
        let fixture = try await fixture()
        #expect(types(await fixture.get("/logs")) == ["sapi", "sapi", "sapi", "seccft"])
        #expect(types(await fixture.get("/logs?sort=date:1")) == ["seccft", "sapi", "sapi", "sapi"])
        let page = await fixture.get("/logs?per_page=3&page=1&include_totals=true").json
        #expect(page["total"] == 4 && page["start"] == 3 && page["length"] == 1 && page["limit"] == 3)
        #expect(page["logs"]?[0]?["type"] == "seccft")
        let first = await fixture.get("/logs?per_page=1").json[0]
        let id = try (first?["log_id"]?.stringValue).orThrow("no id")
        #expect(first?["_id"]?.stringValue == id)
        #expect(await fixture.get("/logs/\(id)").json == first)
        #expect(await fixture.get("/logs/\(id)?fields=type").json == ["type": "sapi"])
        #expect(await fixture.get("/logs/90000000000000009999").code == "inexistent_log")
        #expect(await fixture.get("/logs/none").status == 404)
        #expect(await fixture.get("/logs?per_page=101").code == "invalid_query_string")
    }

    @Test("checkpoints page the log once, oldest first, and continue with later entries")
    func checkpoints() async throws {
        let fixture = try await fixture()
        var seen: [String] = []
        var next = "/logs?take=3"
        for _ in 0..<3 {
            let answer = await fixture.get(next)
            seen += types(answer)
            let link = try answer.fields["Link"].orThrow("no Link")
            #expect(
                link.hasPrefix("<https://\(InProcessServer.host)/api/v2/logs?") && link.hasSuffix(">; rel=\"next\""))
            let url = link.dropFirst().prefix { $0 != ">" }
            next = String(url.dropFirst("https://\(InProcessServer.host)/api/v2".count))
        }
        #expect(seen == ["seccft", "sapi", "sapi", "sapi"])
        let end = await fixture.get(next)
        #expect(end.json == [])
        #expect(end.fields["Link"]?.contains(next) == true, "the end repeats where the reader is")
        _ = await fixture.post("/roles", ["name": "Later"])
        #expect(types(await fixture.get(next)) == ["sapi"])
        #expect(await fixture.get("/logs?from=none").code == "invalid_query_string")
    }

    private static let queries: [(query: String, count: Int)] = [
        ("", 4), ("type:sapi", 3), ("type:(sapi)", 3), ("type:(sapi%20OR%20seccft)", 4), ("type:sec*", 1), ("sapi", 3),
        ("*cft", 1), ("NOT type:sapi", 1), ("type:sapi%20OR%20type:seccft", 4),
        ("type:sapi%20AND%20type:seccft", 0), ("(type:seccft%20OR%20type:sapi)%20AND%20-type:sapi", 1),
        ("client_id:%22operator%22", 4), ("date:[*%20TO%20*]", 4), ("date:[2001-01-01%20TO%202001-12-31]", 0),
        ("description:%22configuration%20changed%22", 3), ("client_name:%22Client%20operator%22", 4),
        ("client_name:nobody", 0), ("user_name:*", 0), ("_exists_:user_id", 0), ("_exists_:client_id", 4),
        ("references.correlation_id:none", 0), ("user_agent:curl*", 0), ("+type:s*%20-type:sapi", 1),
        ("tipe:sapi", -1), ("connection:x", -1), ("type:/s/", -1), ("type:sapi)", -1), ("type:", -1), ("date:soon", -1),
        ("type:sapi%20AND", -1), ("OR%20type:sapi", -1), ("(type:sapi", -1), ("()", -1),
    ]

    @Test("a search finds its matches; -1 marks an invalid query", arguments: queries)
    func search(query: String, count: Int) async throws {
        let fixture = try await fixture()
        for name in ["q", "search"] {
            let answer = await fixture.get("/logs?\(name)=\(query.replacing(" ", with: "%20"))")
            if count < 0 {
                #expect(answer.code == "invalid_query_string", "\(answer.text)")
            } else {
                #expect(types(answer).count == count, "\(query): \(answer.text)")
            }
        }
    }

    @Test("a change is logged with the client, user agent and correlation id of its request")
    func correlation() async throws {
        let fixture = try await fixture(roles: 0)
        let fields: HTTPFields = ["X-Correlation-ID": "corr-1", "User-Agent": "Operator/1"]
        try await fixture.server.addNextKeys()
        #expect(await fixture.send(.post, "/roles", ["name": "Traced"], fields: fields).status == 200)
        let user: JSONValue = ["user_id": .string(InProcessServer.ann.rawValue)]
        #expect(await fixture.send(.post, "/guardian/enrollments/ticket", user, fields: fields).status == 200)
        #expect(await fixture.send(.post, "/keys/signing/rotate?algorithm=RS256", fields: fields).status == 201)
        let found = await fixture.get("/logs?q=correlation_id:corr-1")
        #expect(types(found) == ["key_rotated", "gd_start_enroll", "sapi"], "\(found.text)")
        #expect(types(await fixture.get("/logs?q=user_name:ann*")) == [], "nobody is called so")
        #expect(await fixture.patch("/users/auth0%7Cann", ["email": "ann@x.org"]).status == 200)
        #expect(types(await fixture.get("/logs?q=user_name:ann@*")) == ["sapi", "gd_start_enroll"])
        for entry in found.json.arrayValue ?? [] {
            #expect(entry["references"] == ["correlation_id": "corr-1"])
            #expect(entry["client_id"] == "operator")
            #expect(entry["client_name"] == .string(ManagementFixture.operatorsProgram.name))
            #expect(entry["user_agent"] == "Operator/1")
        }
        let named = await fixture.send(.post, "/roles", ["name": "Unnamed"])
        #expect(named.status == 200)
        #expect(await fixture.get("/logs?per_page=1").json[0]?["references"]?["correlation_id"]?.stringValue != nil)
    }

    @Test("the error for an unknown field lists the known ones")
    func fields() async throws {
        let message = await (try ManagementFixture()).get("/logs?q=strategy_type:x").message
        #expect(message.contains("unknown field strategy_type"), "\(message)")
        #expect(message.contains("transaction_linking_id") && message.contains("user_name"), "\(message)")
    }

    @Test("another tenant's log is not readable")
    func tenants() async throws {
        let fixture = try await fixture(roles: 0)
        _ = await fixture.server.send(
            .form(
                "/oauth/token",
                ["grant_type": "client_credentials", "client_id": "stranger", "client_secret": "wrong"],
                host: InProcessServer.otherHost))
        #expect(await fixture.get("/logs").text.contains("stranger") == false)
    }

    @Test("daily statistics include the first and last day, and days without events")
    func daily() async throws {
        let fixture = try await fixture(roles: 0)
        #expect(await fixture.get("/stats/active-users").json == 0)
        let days = await fixture.get("/stats/daily?from=20260101&to=20260103").json.arrayValue ?? []
        #expect(days.compactMap { $0["date"]?.stringValue } == (1...3).map { "2026-01-0\($0)T00:00:00.000Z" })
        #expect(days.first?["logins"] == 0)
        #expect(await fixture.get("/stats/daily").json.arrayValue?.count == 30)
        #expect(await fixture.get("/stats/daily?from=20260230").code == "invalid_query_string")
        #expect(await fixture.get("/stats/daily?from=yesterday").code == "invalid_query_string")
    }
}
