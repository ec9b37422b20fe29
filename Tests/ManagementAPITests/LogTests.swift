import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Management API: logs and statistics")
struct LogTests {
    /// Entries of a few kinds: the desk's token, and roles that it makes.
    private func desk(roles: Int = 3) async throws -> Desk {
        let desk = try await Desk()
        for number in 0..<roles { _ = await desk.post("/roles", ["name": .string("Role \(number)")]) }
        return desk
    }

    private func types(_ answer: HTTPAnswer) -> [String] {
        (answer.json["logs"]?.arrayValue ?? answer.json.arrayValue ?? []).compactMap { $0["type"]?.stringValue }
    }

    @Test("the log is told newest first, page by page")
    func pages() async throws {
        let desk = try await desk()
        #expect(types(await desk.get("/logs")) == ["sapi", "sapi", "sapi", "seccft"])
        #expect(types(await desk.get("/logs?sort=date:1")) == ["seccft", "sapi", "sapi", "sapi"])
        let page = await desk.get("/logs?per_page=3&page=1&include_totals=true").json
        #expect(page["total"] == 4 && page["start"] == 3 && page["length"] == 1 && page["limit"] == 3)
        #expect(page["logs"]?[0]?["type"] == "seccft")
        let first = await desk.get("/logs?per_page=1").json[0]
        let id = try (first?["log_id"]?.stringValue).orThrow("no id")
        #expect(first?["_id"]?.stringValue == id)
        #expect(await desk.get("/logs/\(id)").json == first)
        #expect(await desk.get("/logs/\(id)?fields=type").json == ["type": "sapi"])
        #expect(await desk.get("/logs/90000000000000009999").code == "inexistent_log")
        #expect(await desk.get("/logs/none").status == 404)
        #expect(await desk.get("/logs?per_page=101").code == "invalid_query_string")
    }

    @Test("checkpoints walk the log once, oldest first, and go on at its end")
    func checkpoints() async throws {
        let desk = try await desk()
        var seen: [String] = []
        var next = "/logs?take=3"
        for _ in 0..<3 {
            let answer = await desk.get(next)
            seen += types(answer)
            let link = try answer.fields["Link"].orThrow("no Link")
            #expect(
                link.hasPrefix("<https://\(InProcessServer.host)/api/v2/logs?") && link.hasSuffix(">; rel=\"next\""))
            let url = link.dropFirst().prefix { $0 != ">" }
            next = String(url.dropFirst("https://\(InProcessServer.host)/api/v2".count))
        }
        #expect(seen == ["seccft", "sapi", "sapi", "sapi"])
        let end = await desk.get(next)
        #expect(end.json == [])
        #expect(end.fields["Link"]?.contains(next) == true, "the end repeats where the reader is")
        _ = await desk.post("/roles", ["name": "Later"])
        #expect(types(await desk.get(next)) == ["sapi"])
        #expect(await desk.get("/logs?from=none").code == "invalid_query_string")
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

    @Test("a search finds what it names; -1 is one that cannot be read", arguments: queries)
    func search(query: String, count: Int) async throws {
        let desk = try await desk()
        for name in ["q", "search"] {
            let answer = await desk.get("/logs?\(name)=\(query.replacing(" ", with: "%20"))")
            if count < 0 {
                #expect(answer.code == "invalid_query_string", "\(answer.text)")
            } else {
                #expect(types(answer).count == count, "\(query): \(answer.text)")
            }
        }
    }

    @Test("a change is told with the client, the program and the correlation id of the request that asked for it")
    func correlation() async throws {
        let desk = try await desk(roles: 0)
        let fields: HTTPFields = ["X-Correlation-ID": "corr-1", "User-Agent": "Operator/1"]
        try await desk.server.addNextKeys()
        #expect(await desk.send(.post, "/roles", ["name": "Traced"], fields: fields).status == 200)
        let user: JSONValue = ["user_id": .string(InProcessServer.ann.rawValue)]
        #expect(await desk.send(.post, "/guardian/enrollments/ticket", user, fields: fields).status == 200)
        #expect(await desk.send(.post, "/keys/signing/rotate?algorithm=RS256", fields: fields).status == 201)
        let found = await desk.get("/logs?q=correlation_id:corr-1")
        #expect(types(found) == ["key_rotated", "gd_start_enroll", "sapi"], "\(found.text)")
        #expect(types(await desk.get("/logs?q=user_name:ann*")) == [], "nobody is called so")
        #expect(await desk.patch("/users/auth0%7Cann", ["email": "ann@x.org"]).status == 200)
        #expect(types(await desk.get("/logs?q=user_name:ann@*")) == ["sapi", "gd_start_enroll"])
        for entry in found.json.arrayValue ?? [] {
            #expect(entry["references"] == ["correlation_id": "corr-1"])
            #expect(entry["client_id"] == "operator")
            #expect(entry["client_name"] == .string(Desk.operatorsProgram.name))
            #expect(entry["user_agent"] == "Operator/1")
        }
        let named = await desk.send(.post, "/roles", ["name": "Unnamed"])
        #expect(named.status == 200)
        #expect(await desk.get("/logs?per_page=1").json[0]?["references"]?["correlation_id"]?.stringValue != nil)
    }

    @Test("a field that does not exist is told with those that do")
    func fields() async throws {
        let message = await (try Desk()).get("/logs?q=strategy_type:x").message
        #expect(message.contains("unknown field strategy_type"), "\(message)")
        #expect(message.contains("transaction_linking_id") && message.contains("user_name"), "\(message)")
    }

    @Test("nobody reads another tenant's log")
    func tenants() async throws {
        let desk = try await desk(roles: 0)
        _ = await desk.server.send(
            .form(
                "/oauth/token",
                ["grant_type": "client_credentials", "client_id": "stranger", "client_secret": "wrong"],
                host: InProcessServer.otherHost))
        #expect(await desk.get("/logs").text.contains("stranger") == false)
    }

    @Test("days are counted from the first to the last, those without events, too")
    func daily() async throws {
        let desk = try await desk(roles: 0)
        #expect(await desk.get("/stats/active-users").json == 0)
        let days = await desk.get("/stats/daily?from=20260101&to=20260103").json.arrayValue ?? []
        #expect(days.compactMap { $0["date"]?.stringValue } == (1...3).map { "2026-01-0\($0)T00:00:00.000Z" })
        #expect(days.first?["logins"] == 0)
        #expect(await desk.get("/stats/daily").json.arrayValue?.count == 30)
        #expect(await desk.get("/stats/daily?from=20260230").code == "invalid_query_string")
        #expect(await desk.get("/stats/daily?from=yesterday").code == "invalid_query_string")
    }
}
