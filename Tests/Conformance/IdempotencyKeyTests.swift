import AuthorizationCore
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("draft-ietf-httpapi-idempotency-key: a start may be repeated")
struct IdempotencyKeyTests {
    private func start(
        _ fixture: ConformanceFixture, _ key: String = "order-4711", _ changes: [String: String?] = [:],
        from client: InProcessClient? = nil
    ) async throws -> HTTPAnswer {
        try await (client ?? fixture.client).start(changes, fields: [IdempotencyKey.header: key])
    }

    /// Numbers of requests, of notifications in the delivery queue, and of entries in the audit log.
    private func traces(_ fixture: ConformanceFixture) async throws -> [Int] {
        let rows = try await fixture.server.dump()
        let started = try await fixture.server.auditKinds().filter { $0 == "ciba_start_succeeded" }
        return ["backchannel_request:", "delivery:"].map { table in rows.filter { $0.hasPrefix(table) }.count }
            + [started.count]
    }

    @Test("2.6: the same key and parameters get the same answer, and the phone rings once")
    func repeated() async throws {
        let fixture = try await ConformanceFixture()
        let first = try await start(fixture, "order-4711", ["requested_expiry": "120"])
        #expect(first.status == 200, "\(first.text)")
        fixture.server.advance(.seconds(119))
        let again = try await start(fixture, "order-4711", ["requested_expiry": "120"])
        #expect(again.status == 200)
        #expect(again.json == first.json)
        #expect(again["expires_in"] == 120)
        #expect(try await traces(fixture) == [1, 1, 1])
        let id = try (first["auth_req_id"]?.stringValue).orThrow("no id")
        #expect(id.utf8.count == 64)
        #expect(try await fixture.phone.decide(id).status == 204)
        #expect(try await fixture.client.poll(id).status == 200)
        #expect(try await fixture.server.dump().filter { $0.contains("order-4711") || $0.contains(id) } == [])
    }

    @Test(
        "2.6: the answer stays the same after the decision, the redemption and a withdrawal, until the request expires")
    func ended() async throws {
        let fixture = try await ConformanceFixture()
        let first = try await start(fixture)
        let id = try (first["auth_req_id"]?.stringValue).orThrow("no id")
        #expect(try await fixture.phone.decide(id).status == 204)
        #expect(try await start(fixture).json == first.json)
        #expect(try await fixture.client.poll(id).status == 200)
        #expect(try await start(fixture).json == first.json)
        fixture.server.advance(.milliseconds(299_999))
        #expect(try await start(fixture).json == first.json)
        fixture.server.advance(.milliseconds(1))
        let next = try await start(fixture)
        #expect(next.status == 200)
        #expect(next["auth_req_id"] != first["auth_req_id"])
        #expect(try await start(fixture).json == next.json)
        let withdrawn = await fixture.server.send(
            .form(
                "/oauth/revoke",
                [
                    "client_id": "agent", "client_secret": Samples.secret,
                    "token": next["auth_req_id"]?.stringValue, "token_type_hint": "auth_req_id",
                ]))
        #expect(withdrawn.status == 200)
        #expect(try await start(fixture).json == next.json)
    }

    @Test("A repetition gets its answer although the user was blocked, or the address now belongs to another user")
    func changedUser() async throws {
        let fixture = try await ConformanceFixture { setup in
            setup.users[0].email = "ann@shop.example"
            setup.users[0].emailVerified = true
        }
        let first = try await start(fixture, "a", ["login_hint": "ann@shop.example"])
        #expect(first.status == 200, "\(first.text)")
        try await fixture.server.put(Samples.user("auth0|ann") { $0.blocked = true })
        try await fixture.server.put(
            Samples.user("auth0|bob") {
                $0.email = "ann@shop.example"
                $0.emailVerified = true
            })
        #expect(try await start(fixture, "a", ["login_hint": "ann@shop.example"]).json == first.json)
        let new = try await start(fixture, "b", ["login_hint": InProcessClient.loginHint()])
        expectError(new, 400, "unknown_user_id")
    }

    @Test("2.7: the same key with other parameters is refused, and the audit log says so", arguments: [false, true])
    func otherBody(isDecided: Bool) async throws {
        let fixture = try await ConformanceFixture()
        let first = try await start(fixture)
        if isDecided {
            let id = try (first["auth_req_id"]?.stringValue).orThrow("no id")
            #expect(try await fixture.phone.decide(id).status == 204)
        }
        let before = try await traces(fixture)
        let others: [[String: String?]] = [
            ["binding_message": "TX-4712"], ["scope": "openid profile"], ["requested_expiry": "299"],
            ["audience": Samples.api], ["unknown": "1"],
        ]
        for change in others {
            expectError(
                try await start(fixture, "order-4711", change), 400, "invalid_request",
                "This Idempotency-Key was used for a request with other parameters; use a new key")
        }
        #expect(try await traces(fixture) == before)
        let refusals = try await fixture.server.auditDetails("ciba_start_failed")
        #expect(refusals.count == others.count)
        #expect(
            refusals.allSatisfy { $0["error"]?["message"]?.stringValue?.contains("use a new key") == true },
            "\(refusals)")
        #expect(try await start(fixture).json == first.json)
    }

    @Test("Order, body format, empty parameters and the way of authentication do not matter")
    func equalBodies() async throws {
        let fixture = try await ConformanceFixture()
        let first = try await start(fixture, "a", ["requested_expiry": "120"])
        var pairs = fixture.client.startParameters(["requested_expiry": "120"]).compactMap { name, value in
            value.map { (name: name, value: $0) }
        }
        pairs.append((name: "acr_values", value: ""))
        for names in [pairs.sorted { $0.name < $1.name }, pairs.sorted { $0.name > $1.name }] {
            var request = Request.form("/bc-authorize", [:], fields: [IdempotencyKey.header: "a"])
            request.body = Array(FormFields(names).encoded.utf8)
            #expect(await fixture.server.send(request).json == first.json)
        }
        var object = JSONObject()
        for pair in pairs { object[pair.name] = .string(pair.value) }
        object["requested_expiry"] = 120
        let asJSON = Request.json(
            .post, "/bc-authorize", .object(object), fields: [IdempotencyKey.header: "a"])
        #expect(await fixture.server.send(asJSON).json == first.json)
        let byHeader = try await fixture.client.start(
            ["requested_expiry": "120", "client_id": nil, "client_secret": nil],
            fields: [IdempotencyKey.header: "a", "Authorization": basic("agent", Samples.secret)])
        #expect(byHeader.json == first.json)
        #expect(try await traces(fixture) == [1, 1, 1])
    }

    @Test("Keys belong to a client of a tenant")
    func owners() async throws {
        let fixture = try await ConformanceFixture { $0.clients.append(Samples.client("rival")) }
        let mine = try await start(fixture)
        let theirs = try await start(fixture, from: InProcessClient("rival", via: fixture.server))
        #expect(theirs.status == 200, "\(theirs.text)")
        #expect(theirs["auth_req_id"] != mine["auth_req_id"])
        #expect(try await traces(fixture) == [2, 2, 2])
        expectError(
            try await InProcessClient("rival", via: fixture.server).poll(
                try (mine["auth_req_id"]?.stringValue).orThrow("no id")), 400, "invalid_grant")
        // Without proof that it is the client, nobody learns of its keys.
        expectError(try await start(fixture, "order-4711", ["client_secret": "wrong"]), 401, "invalid_client")
    }

    @Test(
        "2.1: the key may be a string of a structured field, or bare", arguments: ["a-1", "8e03978e-40d5:/+=_~!", "x"])
    func forms(key: String) async throws {
        let fixture = try await ConformanceFixture()
        let first = try await start(fixture, key)
        #expect(first.status == 200, "\(first.text)")
        #expect(try await start(fixture, "\"\(key)\"").json == first.json)
        #expect(try await start(fixture, "\"\(key) \"").json != first.json)
        let escaped = try await start(fixture, #""a \"b\" \\ c, d; e""#)
        #expect(escaped.status == 200, "\(escaped.text)")
        #expect(try await traces(fixture) == [3, 3, 3])
    }

    @Test(
        "2.1: a malformed key is refused, and nobody is asked",
        arguments: [
            [""], ["\"\""], [String(repeating: "k", count: 256)], ["\"" + String(repeating: "k", count: 256) + "\""],
            ["schlüssel"], ["\"tab\t\""], ["a b"], ["a,b"], ["a;b"], ["\"a"], ["a\""], ["\"a\"b\""], [#""a\""#],
            [#""a\b""#], ["\"a\";p=1"], ["\""], ["a", "a"], ["a", "b"],
        ])
    func malformed(lines: [String]) async throws {
        let fixture = try await ConformanceFixture()
        var fields = HTTPFields()
        for line in lines { fields.append(IdempotencyKey.header, line) }
        let answer = try await fixture.client.start(fields: fields)
        expectError(answer, 400, "invalid_request")
        #expect(answer.message.contains("Idempotency-Key"))
        #expect(try await traces(fixture) == [0, 0, 0])
        #expect(try await fixture.server.auditDetails("ciba_start_failed").count == 1)
    }

    @Test("255 characters are a key")
    func longest() async throws {
        let fixture = try await ConformanceFixture()
        let first = try await start(fixture, String(repeating: "k", count: 255))
        #expect(first.status == 200, "\(first.text)")
        #expect(try await start(fixture, "\"" + String(repeating: "k", count: 255) + "\"").json == first.json)
    }

    @Test("Repetitions count against no limit")
    func limits() async throws {
        let fixture = try await ConformanceFixture { setup in
            setup.tenant.settings.requestsPerMinutePerUser = 1
            setup.tenant.settings.pendingRequestsPerUser = 1
            setup.tenant.settings.pendingRequests = 1
        }
        let first = try await start(fixture)
        for _ in 0..<20 { #expect(try await start(fixture).json == first.json) }
        expectError(try await start(fixture, "other"), 429, "too_many_requests")
    }

    @Test("A refused start keeps no key")
    func refused() async throws {
        let fixture = try await ConformanceFixture()
        let nobody = InProcessClient.loginHint("auth0|bob")
        expectError(try await start(fixture, "a", ["login_hint": nobody]), 400, "invalid_request")
        expectError(try await start(fixture, "a", ["binding_message": nil]), 400, "invalid_request")
        #expect(try await start(fixture, "a").status == 200)
        #expect(try await traces(fixture) == [1, 1, 1])
    }

    @Test("A client that lost the grant gets no answer under its earlier key")
    func lostGrant() async throws {
        let fixture = try await ConformanceFixture()
        #expect(try await start(fixture).status == 200)
        try await fixture.server.put(Samples.client { $0.grantTypes = [.clientCredentials] })
        expectError(try await start(fixture), 400, "unauthorized_client")
    }

    @Test("Hundreds of equal starts at once ring once and get one answer; another body among them is refused")
    func atOnce() async throws {
        let fixture = try await ConformanceFixture()
        let answers = try await withThrowingTaskGroup(of: HTTPAnswer.self) { group in
            for _ in 0..<300 { group.addTask { try await start(fixture) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(Set(answers.map(\.text)).count == 1)
        #expect(try await traces(fixture) == [1, 1, 1])
        let mixed = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for index in 0..<200 {
                group.addTask {
                    let answer = try await start(fixture, "mixed", ["binding_message": "TX-\(index % 2)"])
                    return (answer.status, answer.text)
                }
            }
            return try await group.reduce(into: [Int: [String]]()) { $0[$1.0, default: []].append($1.1) }
        }
        #expect(mixed.mapValues(\.count) == [200: 100, 400: 100])
        #expect(mixed.values.allSatisfy { Set($0).count == 1 })
        #expect(try await traces(fixture) == [2, 2, 2])
    }
}
