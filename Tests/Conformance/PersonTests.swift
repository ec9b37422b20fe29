import ApprovalWire
import AuthorizationCore
import GuardianWire
import HTTPModel
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

/// Requests of phones about their person.
extension InProcessPhone {
    fileprivate func personRequest(
        _ below: String, of id: DeviceID? = nil, token: String? = nil, replacing body: JSONValue? = nil
    ) throws -> Request {
        let path = "/appliance-mfa/api/device-accounts/\(id ?? self.id)/\(below)"
        let fields: HTTPFields = ["Authorization": "Bearer \(try token ?? self.token())"]
        guard let body else {
            let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
            var request = Request.get(parts[0], host: host, fields: fields)
            request.query = parts.count > 1 ? parts[1] : nil
            return request
        }
        return .json(.put, path, body, host: host, fields: fields)
    }
}

@Suite("A person's requests, decisions, phones and preferences on their phones")
struct PersonTests {
    private static let paths = ["pending", "requests", "devices", "preferences"]
    private static let night: JSONValue = ["quiet_hours": ["from": "22:00", "to": "07:00"]]

    private func bob(in fixture: ConformanceFixture) async throws -> InProcessPhone {
        try await InProcessPhone(UserID("auth0|bob"), identifier: "BOB", in: fixture.server)
    }

    private func get(_ phone: InProcessPhone, _ below: String, _ fixture: ConformanceFixture) async throws -> JSONValue
    {
        let answer = await fixture.server.send(try phone.personRequest(below))
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.fields["Content-Type"] == "application/json")
        #expect(answer.fields["Cache-Control"] == "no-store")
        return answer.json
    }

    private func replace(
        _ preferences: JSONValue, by phone: InProcessPhone, _ fixture: ConformanceFixture
    ) async throws -> HTTPAnswer {
        await fixture.server.send(try phone.personRequest("preferences", replacing: preferences))
    }

    // MARK: authentication

    @Test("Only the device that the path names is answered, with a token for its account", arguments: paths)
    func authentication(path: String) async throws {
        let fixture = try await ConformanceFixture()
        let bob = try await bob(in: fixture)
        let refused: [Request] = [
            try fixture.phone.personRequest(path, token: "wrong"),
            try fixture.phone.personRequest(path, token: fixture.phone.channelToken),
            try fixture.phone.personRequest(path, of: bob.id),
            try fixture.phone.personRequest(path, of: bob.id, token: fixture.phone.enrollment.token),
            try fixture.phone.personRequest(path, of: DeviceID("dev_none")),
            // Guardian's opaque token proves no key.
            try fixture.phone.personRequest(path, token: fixture.phone.enrollment.token),
            .get("/appliance-mfa/api/device-accounts/\(fixture.phone.id)/\(path)"),
        ]
        for request in refused {
            let answer = await fixture.server.send(request)
            #expect(answer.status == 401, "\(answer.text)")
            #expect(answer["errorCode"] != nil)
        }
        try await fixture.server.put(Samples.user { $0.blocked = true })
        let blocked = await fixture.server.send(try fixture.phone.personRequest(path))
        #expect(blocked.status == 403)
        #expect(blocked["errorCode"] == "user_blocked")
        try await fixture.server.put(Samples.user())
        let removal = fixture.phone.accountRequest(.delete, token: try fixture.phone.token())
        #expect(await fixture.server.send(removal).status == 204)
        #expect(await fixture.server.send(try fixture.phone.personRequest(path)).status == 404)
    }

    // MARK: pending requests

    @Test("pending lists undecided requests of the person, oldest first, as the channel's notifications")
    func pending() async throws {
        let fixture = try await ConformanceFixture()
        let bob = try await bob(in: fixture)
        let ids = [try await fixture.client.started(), try await fixture.client.started()]
        let decided = try await fixture.client.started()
        #expect(try await fixture.phone.decide(decided).status == 204)
        let elements = try (await get(fixture.phone, "pending", fixture)["requests"]?.arrayValue).orThrow("no list")
        let consents = ids.map { InProcessClient.consent(of: $0).rawValue }
        #expect(elements.map { $0["mfa"]?["txlnkid"]?.stringValue } == consents)
        let sequences = elements.compactMap { $0["sequence"]?.intValue }
        #expect(sequences.count == 2 && sequences[0] < sequences[1])
        #expect(elements.allSatisfy { $0["urgent"] == nil })
        for (element, id) in zip(elements, ids) {
            let expected = try await fixture.phone.notification(of: id)
            #expect(try NotificationPayload(apns: element) == expected)
        }
        #expect(try await get(bob, "pending", fixture) == ["requests": []])
        // The listed notification is enough to decide.
        let payload = try NotificationPayload(apns: elements[0])
        let response = try fixture.phone.response(to: payload)
        #expect(await fixture.server.send(fixture.phone.answerRequest(payload, response: response)).status == 204)
        #expect(try await get(fixture.phone, "pending", fixture)["requests"]?.arrayValue?.count == 1)
        fixture.server.advance(.seconds(301))
        #expect(try await get(fixture.phone, "pending", fixture) == ["requests": []])
    }

    // MARK: decisions

    @Test("requests lists the person's decisions with record, reason and evidence, newest first, page by page")
    func history() async throws {
        let fixture = try await ConformanceFixture()
        let bob = try await bob(in: fixture)
        #expect(try await get(fixture.phone, "requests", fixture) == ["requests": []])
        var consents: [String] = []
        for number in 0..<5 {
            let id = try await fixture.client.started(["binding_message": "Order \(number)"])
            consents.insert(InProcessClient.consent(of: id).rawValue, at: 0)
            let reason = number == 3 ? "not me" : nil
            #expect(try await fixture.phone.decide(id, accepted: number != 3, reason: reason).status == 204)
            fixture.server.advance(.seconds(20))
        }
        let all = try (await get(fixture.phone, "requests", fixture)["requests"]?.arrayValue).orThrow("no list")
        #expect(all.map { $0["id"]?.stringValue } == consents)
        #expect(all.map { $0["decision"] } == ["allowed", "rejected", "allowed", "allowed", "allowed"])
        #expect(all.map { $0["reason"] } == [nil, "not me", nil, nil, nil])
        #expect(all.allSatisfy { $0["evidence"] == "signed-challenge" })
        #expect(all.compactMap { $0["decided_at"]?.stringValue.flatMap { Timestamp(iso8601: $0) } }.count == 5)
        let records = try all.map { try RequestRecord(parsing: $0["record"]?.stringValue ?? "") }
        #expect(records.map(\.bindingMessage) == (0..<5).reversed().map { "Order \($0)" })
        for consent in consents {
            let receipt = await fixture.server.send(try fixture.phone.personRequest("receipts/\(consent)"))
            #expect(receipt.status == 200)
        }
        var seen: [String?] = []
        var query = "requests?limit=2"
        var pages = 0
        while true {
            let page = try await get(fixture.phone, query, fixture)
            seen += (page["requests"]?.arrayValue ?? []).map { $0["id"]?.stringValue }
            pages += 1
            guard let next = page["next"]?.stringValue else { break }
            query = "requests?limit=2&before=\(next)"
        }
        #expect(seen == consents)
        #expect(pages == 3)
        #expect(try await get(fixture.phone, "requests?limit=5", fixture)["next"] == nil)
        #expect(try await get(bob, "requests", fixture) == ["requests": []])
    }

    /// Lets the sweep walk all requests, as the server does.
    private func sweep(_ fixture: ConformanceFixture) async throws {
        var cursor = SweepCursor()
        let now = fixture.server.clock.now
        repeat {
            _ = try await fixture.server.storage.store.sweep(&cursor, endedBefore: now - .seconds(600), now: now) { _ in
                86_400
            }
        } while !cursor.isAtStart
    }

    @Test("requests tells each way apart in which a request ended, and by which phone it was answered")
    func outcomes() async throws {
        let fixture = try await ConformanceFixture {
            $0.tenant.settings.matching = .choose
            $0.tenant.settings.requestsPerMinutePerUser = 100
            $0.tenant.settings.reportPause = 0
            $0.tenant.settings.rejectionPause = 0
        }
        let phone = try await InProcessPhone(
            identifier: "ABLE", capabilities: [.numberMatching, .signedDigest], in: fixture.server)
        /// Starts a request; the id, and the number to display.
        func started() async throws -> (id: String, code: MatchingNumber) {
            let answer = try await fixture.client.start()
            return (
                try (answer["auth_req_id"]?.stringValue).orThrow("not started: \(answer.text)"),
                try (answer["matching_code"]?.stringValue.flatMap { MatchingNumber($0) }).orThrow("no number")
            )
        }
        let allowed = try await started()
        #expect(try await phone.decide(allowed.id, pick: allowed.code).status == 204)
        #expect(try await phone.decide(try await started().id, accepted: false).status == 204)
        #expect(try await phone.decide(try await started().id, accepted: false, reason: "No").status == 204)
        #expect(try await phone.decide(try await started().id, accepted: false, isReported: true).status == 204)
        let wrong = try await started()
        let other = try MatchingNumber((wrong.code.value + 1) % 100).orThrow("no number")
        #expect(try await phone.decide(wrong.id, pick: other).status == 403)
        let withdrawn = try await started()
        let revocation = await fixture.server.send(
            .form(
                "/oauth/revoke",
                ["client_id": "agent", "client_secret": Samples.secret, "token": withdrawn.id]))
        #expect(revocation.status == 200)
        _ = try await started()
        fixture.server.advance(.seconds(301))
        try await sweep(fixture)
        let list = try (await get(phone, "requests?unanswered=true", fixture)["requests"]?.arrayValue).orThrow("none")
        #expect(
            list.map { $0["outcome"] } == [
                "expired", "withdrawn", "wrong_number", "reported", "rejected", "rejected", "allowed",
            ])
        #expect(list.map { $0["reason"] } == [nil, nil, nil, nil, "No", nil, nil])
        #expect(
            list.map { $0["device"]?["id"]?.stringValue } == [nil, nil] + Array(repeating: phone.id.rawValue, count: 5))
        for element in list.prefix(2) {
            #expect(element["decision"] == nil && element["decided_at"] == nil && element["evidence"] == nil)
            let end = element["ended_at"]?.stringValue.flatMap { Timestamp(iso8601: $0) }
            #expect(end != nil)
            #expect(try RequestRecord(parsing: element["record"]?.stringValue ?? "").bindingMessage == "TX-4711")
        }
        let decisions = try await get(phone, "requests", fixture)["requests"]?.arrayValue
        #expect(decisions == Array(list.dropFirst(2)), "without the parameter, decisions alone")
        // Page by page, the order is the same.
        var seen: [JSONValue] = []
        var query = "requests?limit=2&unanswered=true"
        while true {
            let page = try await get(phone, query, fixture)
            seen += page["requests"]?.arrayValue ?? []
            guard let next = page["next"]?.stringValue else { break }
            query = "requests?limit=2&unanswered=true&before=\(next)"
        }
        #expect(seen == list)
        let bob = try await bob(in: fixture)
        #expect(try await get(bob, "requests?unanswered=true", fixture) == ["requests": []])
    }

    @Test(
        "A request without an answer that was changed in the database is left out and recorded",
        arguments: [
            "sealed_record = x'00'", "record_context = 'x'", "client = 'second'", "ending = 'withdrawn'",
            "audit_entry = 1", "\"user\" = 'auth0|bob'",
        ])
    func changedUnanswered(assignment: String) async throws {
        let fixture = try await ConformanceFixture()
        let bob = try await bob(in: fixture)
        let ids = [try await fixture.client.started(), try await fixture.client.started()]
        fixture.server.advance(.seconds(301))
        try await sweep(fixture)
        let consent = InProcessClient.consent(of: ids[1])
        try await fixture.server.database.write {
            try $0.execute("UPDATE unanswered_request SET \(raw: assignment) WHERE id = \(consent.rawValue)")
        }
        let left = try await get(fixture.phone, "requests?unanswered=true", fixture)["requests"]?.arrayValue
        #expect(left?.map { $0["id"]?.stringValue } == [InProcessClient.consent(of: ids[0]).rawValue])
        #expect(try await get(bob, "requests?unanswered=true", fixture) == ["requests": []])
        let tampered = try await fixture.server.auditConsents(["ciba_request_tampered"]).map(\.consent)
        #expect(Set(tampered) == [consent.rawValue])
    }

    @Test(
        "A decision that was changed in the database is left out and recorded; the others are shown",
        arguments: ["sealed_evidence = x'00'", "client = 'second'", "audit_entry = 1", "\"user\" = 'auth0|bob'"])
    func changed(assignment: String) async throws {
        let fixture = try await ConformanceFixture()
        let bob = try await bob(in: fixture)
        let ids = [try await fixture.client.started(), try await fixture.client.started()]
        for id in ids { #expect(try await fixture.phone.decide(id).status == 204) }
        let consent = InProcessClient.consent(of: ids[1])
        try await fixture.server.database.write {
            try $0.execute("UPDATE approval SET \(raw: assignment) WHERE id = \(consent.rawValue)")
        }
        let left = try await get(fixture.phone, "requests", fixture)["requests"]?.arrayValue
        #expect(left?.map { $0["id"]?.stringValue } == [InProcessClient.consent(of: ids[0]).rawValue])
        #expect(try await get(bob, "requests", fixture) == ["requests": []])
        let tampered = try await fixture.server.auditConsents(["ciba_request_tampered"]).map(\.consent)
        #expect(Set(tampered) == [consent.rawValue])
        // The cursor goes on behind a decision that is left out.
        if !assignment.contains("user") {
            let page = try await get(fixture.phone, "requests?limit=1", fixture)
            let next = try (page["next"]?.stringValue).orThrow("no cursor: \(page)")
            let rest = try await get(fixture.phone, "requests?limit=1&before=\(next)", fixture)
            #expect([page, rest].compactMap { $0["requests"]?.arrayValue?.count }.reduce(0, +) == 1)
        }
    }

    @Test("Logins leave no decisions, and a page ends early rather than grow beyond its limit of bytes")
    func largePages() async throws {
        let fixture = try await ConformanceFixture { setup in
            setup.apis = [
                try Samples.resourceServer { api in
                    api.scopes = (0..<100).map {
                        ResourceServer.Scope(value: "s\($0)", description: String(repeating: "x", count: 1000))
                    }
                }
            ]
            setup.tenant.settings.requestsPerMinutePerUser = 100
        }
        let scope = (["openid"] + (0..<100).map { "s\($0)" }).joined(separator: " ")
        for _ in 0..<13 {
            let id = try await fixture.client.started(["audience": Samples.api, "scope": scope])
            #expect(try await fixture.phone.decide(id).status == 204)
        }
        let first = try await get(fixture.phone, "requests?limit=50", fixture)
        let count = first["requests"]?.arrayValue?.count ?? 0
        #expect((1..<13).contains(count), "each has over 100,000 bytes")
        let next = try (first["next"]?.stringValue).orThrow("no cursor")
        let second = try await get(fixture.phone, "requests?limit=50&before=\(next)", fixture)
        #expect(second["requests"]?.arrayValue?.count == 13 - count)
        #expect(second["next"] == nil)
    }

    @Test(
        "A cursor or number that is none is 400",
        arguments: [
            "limit=0", "limit=51", "limit=x", "limit=-1", "before=x", "before=1.5", "before=-5", "limit=1&limit=2",
            "limit=%zz", "unanswered=1", "unanswered=yes",
            "before=99999999999999999999",
        ])
    func wrongQuery(query: String) async throws {
        let fixture = try await ConformanceFixture()
        let answer = await fixture.server.send(try fixture.phone.personRequest("requests?\(query)"))
        #expect(answer.status == 400, "\(answer.text)")
        #expect(answer["errorCode"] == "invalid_body")
    }

    @Test("Any number is a cursor, and empty parameters count as absent")
    func anyCursor() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        #expect(try await fixture.phone.decide(id).status == 204)
        for (query, count) in [("before=0", 0), ("before=\(Int64.max)", 1), ("before=&limit=", 1)] {
            let page = try await get(fixture.phone, "requests?\(query)", fixture)
            #expect(page["requests"]?.arrayValue?.count == count, "\(query)")
        }
    }

    // MARK: phones

    @Test("devices lists the person's phones, which of them asks, and the account's name")
    func devices() async throws {
        let fixture = try await ConformanceFixture()
        fixture.server.advance(.seconds(1))
        let second = try await InProcessPhone(identifier: "PHONE-2", in: fixture.server)
        _ = try await bob(in: fixture)
        let push: JSONValue = ["service": "APNS", "token": "0A1B"]
        let patched = await fixture.server.send(
            second.accountRequest(.patch, token: try second.token(), ["push_credentials": push, "name": "Tablet"]))
        #expect(patched.status == 200)
        let answer = try await get(second, "devices", fixture)
        #expect(answer["account"] == "auth0|ann", "the id of a user without address and name")
        let list = try (answer["devices"]?.arrayValue).orThrow("no list")
        #expect(list.map { $0["id"]?.stringValue } == [fixture.phone.id.rawValue, second.id.rawValue])
        #expect(list.map { $0["name"] } == ["Ann's phone", "Tablet"])
        #expect(list.map { $0["push"] } == [.null, "APNS"])
        #expect(list.map { $0["current"] } == [false, true])
        #expect(list.map { $0["passkey"] } == [false, false])
        #expect(list[0]["enrolled_at"]?.stringValue == Samples.start.iso8601)
        #expect(!JSONWriter.string(.array(list)).contains("0A1B"), "push tokens are not shown")
    }

    // MARK: preferences

    @Test("Preferences are the person's: all of their phones have them, and nobody else's")
    func preferences() async throws {
        let fixture = try await ConformanceFixture()
        let second = try await InProcessPhone(identifier: "PHONE-2", in: fixture.server)
        let bob = try await bob(in: fixture)
        #expect(try await get(fixture.phone, "preferences", fixture) == ["quiet_hours": nil])
        let answer = try await replace(Self.night, by: fixture.phone, fixture)
        #expect(answer.status == 200)
        #expect(answer.json == Self.night)
        #expect(try await get(second, "preferences", fixture) == Self.night)
        #expect(try await get(bob, "preferences", fixture) == ["quiet_hours": nil])
        let details = try await fixture.server.auditDetails("gd_update_device_account")
        #expect(details.map { $0["changed"] } == [["quiet_hours"]])
        #expect(try await !fixture.server.auditText().contains("22:00"), "names of fields, never their values")
        #expect(try await replace(["quiet_hours": nil], by: second, fixture).status == 200)
        #expect(try await get(fixture.phone, "preferences", fixture) == ["quiet_hours": nil])
    }

    @Test("Preferences that are none are 400 and change nothing")
    func wrongPreferences() async throws {
        let fixture = try await ConformanceFixture()
        #expect(try await replace(Self.night, by: fixture.phone, fixture).status == 200)
        for wrong: JSONValue in [
            [:], [], ["quiet_hours": "never"], ["quiet_hours": ["from": "22:00"]],
            ["quiet_hours": ["from": "22:00", "to": "22:00"]], ["quiet_hours": ["from": "22:00", "to": "24:00"]],
        ] {
            let answer = try await replace(wrong, by: fixture.phone, fixture)
            #expect(answer.status == 400, "\(wrong)")
            #expect(answer["errorCode"] == "invalid_body")
        }
        #expect(try await get(fixture.phone, "preferences", fixture) == Self.night)
        #expect(try await fixture.server.auditDetails("gd_update_device_account").count == 1)
    }

    // MARK: how requests are shown

    private static let schema: JSONValue = [
        "title": "Payment", "x-translations": ["de": ["title": "Zahlung"]],
        "properties": [
            "amount": ["title": "Amount", "format": "money", "x-order": 1], "to": ["title": "To", "x-order": 2],
        ],
    ]

    private func fixture(_ change: @escaping (inout ResourceServer) -> Void = { _ in }) async throws
        -> ConformanceFixture
    {
        try await ConformanceFixture { $0.apis = [try Samples.resourceServer(schema: Self.schema, change)] }
    }

    private func record(_ details: String, _ fixture: ConformanceFixture) async throws -> RequestRecord {
        let id = try await fixture.client.started(["audience": Samples.api, "authorization_details": details])
        let notification = try await fixture.phone.notification(of: id)
        let consent = await fixture.server.send(try fixture.phone.consentRequest(notification))
        return try RequestRecord(parsing: ConsentRecord(parsing: consent.body).record.orThrow("no record"))
    }

    @Test("The record has the labels, order and formats that the API's schema declares for the details")
    func presentation() async throws {
        let fixture = try await fixture {
            $0.authorizationDetailsTypes.append(.init(type: "plain", schemaSource: nil))
        }
        let details = #"[{"type":"plain","to":"x"},{"type":"payment","to":"Han","amount":"5","note":""}]"#
        let record = try await record(details, fixture)
        #expect(
            record.display.presentation == [
                [:],
                [
                    "label": "Payment", "labels": ["de": "Zahlung"], "order": ["amount", "to"],
                    "members": ["amount": ["label": "Amount", "format": "money"], "to": ["label": "To"]],
                ],
            ])
        #expect(!record.display.isUrgent)
        let plain = try await self.record(#"[{"type":"plain"}]"#, fixture)
        #expect(!plain.text.contains("presentation"))
        #expect(!plain.text.contains("urgent"))
    }

    @Test("A request with details of an urgent type says so in the record, in its notification and in pending")
    func urgent() async throws {
        let fixture = try await fixture {
            $0.authorizationDetailsTypes.append(.init(type: "alarm", schemaSource: nil))
            $0.authorizationDetailsTypes[1].isUrgent = true
        }
        #expect(try await record(#"[{"type":"payment"},{"type":"alarm"}]"#, fixture).display.isUrgent)
        #expect(try await record(#"[{"type":"payment"}]"#, fixture).display.isUrgent == false)
        #expect(try await fixture.phone.notifications().map(\.isUrgent) == [true, false])
        let elements = try await get(fixture.phone, "pending", fixture)["requests"]?.arrayValue
        #expect(elements?.map { $0["urgent"] } == [true, nil])
    }
}
