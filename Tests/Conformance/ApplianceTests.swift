import ApprovalWire
import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import Primitives
import TestSupport
import Testing

@Suite("Guardian's appliance API")
struct ApplianceTests {
    @Test("api/enroll answers the five strings that Android needs, and the parameters of one-time passwords")
    func enroll() async throws {
        let server = try await InProcessServer()
        let key = try Keys.signer(.es256, "phone").publicKey.json
        let answer = await server.send(
            InProcessPhone.enrollRequest(ticket: try await InProcessPhone.ticket(in: server), key: key))
        #expect(answer.status == 200)
        #expect(answer.fields["Content-Type"] == "application/json")
        #expect(answer.fields["Cache-Control"] == "no-store")
        let names = Set((answer.json.objectValue ?? [:]).map(\.name))
        #expect(names == ["id", "url", "issuer", "user_id", "token", "totp", "farewell"])
        #expect(answer["totp"]?["secret"]?.stringValue.flatMap { Base32.decode($0) }?.count == 20)
        #expect(answer["totp"]?["algorithm"] == "sha1")
        #expect(answer["totp"]?["digits"] == 6)
        #expect(answer["totp"]?["period"] == 30)
        #expect(answer["url"] == "https://dev.example")
        #expect(answer["issuer"] == "Tenant dev")
        #expect(answer["user_id"] == "auth0|ann")
    }

    @Test("The server stores the ticket and the device token as hashes only")
    func hashes() async throws {
        let server = try await InProcessServer()
        let ticket = try await InProcessPhone.ticket(in: server)
        #expect(try await !server.dump().joined().contains(ticket))
        let phone = try await InProcessPhone(in: server)
        #expect(try await !server.dump().joined().contains(phone.enrollment.token))
    }

    @Test("A blocked user's phone can fetch, answer and change nothing, and its open channel ends")
    func blockedUser() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        let notification = try await fixture.phone.notification(of: id)
        let channel = await fixture.server.send(fixture.phone.channelRequest(token: try fixture.phone.channelToken))
        let chunks = try channel.stream.orThrow("no stream: \(channel.status)")
        let ended = Task { for await _ in chunks {} }
        try await fixture.server.put(Samples.user { $0.blocked = true })
        let refused = [
            await fixture.server.send(try fixture.phone.consentRequest(notification)),
            await fixture.server.send(
                fixture.phone.answerRequest(notification, response: try fixture.phone.response(to: notification))),
            await fixture.server.send(fixture.phone.channelRequest(token: try fixture.phone.channelToken)),
            await fixture.server.send(
                fixture.phone.accountRequest(.patch, token: try fixture.phone.token(), ["name": "x"])),
            await fixture.server.send(
                fixture.phone.accountRequest(.patch, token: fixture.phone.enrollment.token, ["name": "x"])),
        ]
        for answer in refused {
            #expect(answer.status == 403, "\(answer.text)")
            #expect(answer["errorCode"] == "user_blocked")
            #expect(answer["message"]?.stringValue?.contains("blocked") == true)
        }
        await fixture.server.timer.awaitSleepers()
        fixture.server.advance(.seconds(20))
        await ended.value
        // The pending request can be answered once the block is lifted.
        try await fixture.server.put(Samples.user())
        #expect(try await fixture.phone.decide(id).status == 204)
    }

    @Test("A phone that enrols again replaces its earlier enrolment")
    func again() async throws {
        let fixture = try await ConformanceFixture()
        let second = try await InProcessPhone(key: "new key", in: fixture.server)
        #expect(second.id != fixture.phone.id)
        #expect(try await fixture.server.dump().filter { $0.hasPrefix("device:") }.count == 1)
        let gone = await fixture.server.send(fixture.phone.accountRequest(.patch, token: try fixture.phone.token()))
        #expect(gone.status == 404)
        #expect(gone["errorCode"] == "enrollment_not_found")
    }

    @Test("PATCH changes the members that it names and answers the account; push credentials are complete or absent")
    func update() async throws {
        let fixture = try await ConformanceFixture()
        for token in [try fixture.phone.token(), fixture.phone.enrollment.token] {
            let named = await fixture.server.send(
                fixture.phone.accountRequest(.patch, token: token, ["name": "Renamed", "unknown": 1]))
            #expect(named.status == 200)
            #expect(named["id"]?.stringValue == fixture.phone.enrollment.id)
            #expect(named["name"] == "Renamed")
            #expect(named["identifier"] == "PHONE-1")
            #expect(named["push_credentials"] == nil)
        }
        let push: JSONValue = ["service": "APNS", "token": "0A1B"]
        let told = await fixture.server.send(
            fixture.phone.accountRequest(.patch, token: try fixture.phone.token(), ["push_credentials": push]))
        #expect(told["push_credentials"] == push)
        #expect(told["name"] == "Renamed")
        let ended = await fixture.server.send(
            fixture.phone.accountRequest(.patch, token: try fixture.phone.token(), ["push_credentials": nil]))
        #expect(ended.status == 200 && ended["push_credentials"] == nil)
        #expect(try await fixture.server.device(fixture.phone.enrollment.id)?.push == nil)
    }

    @Test("The audit log names the members that a PATCH changed, and has no entry for one that changes nothing")
    func audited() async throws {
        let fixture = try await ConformanceFixture()
        let push: JSONValue = ["service": "APNS", "token": "0A1B"]
        for body: JSONValue in [
            ["name": "Renamed", "identifier": "PHONE-1"], ["name": "Renamed"], [:],
            ["push_credentials": push, "capabilities": ["signed-digest"]], ["push_credentials": push],
        ] {
            let request = fixture.phone.accountRequest(.patch, token: try fixture.phone.token(), body)
            #expect(await fixture.server.send(request).status == 200)
        }
        let entries = try await fixture.server.database.auditLog("gd_update_device_account")
        #expect(
            entries.map { $0.details } == [
                #"{"changed":["name"]}"#, #"{"changed":["push_credentials","capabilities"]}"#,
            ])
    }

    @Test("The opaque token, which proves no key, changes name and push credentials alone, and removes no phone")
    func opaqueToken() async throws {
        let fixture = try await ConformanceFixture()
        let token = fixture.phone.enrollment.token
        let before = try await fixture.server.dump()
        for body: JSONValue in [
            ["capabilities": ["signed-digest"]], ["identifier": "PHONE-9"],
            ["name": "Renamed", "identifier": "PHONE-9"],
        ] {
            let answer = await fixture.server.send(fixture.phone.accountRequest(.patch, token: token, body))
            #expect(answer.status == 401 && answer.code == "invalid_token", "\(body)")
        }
        let removal = await fixture.server.send(fixture.phone.accountRequest(.delete, token: token))
        #expect(removal.status == 401 && removal.code == "invalid_token")
        #expect(try await fixture.server.dump() == before)
        let allowed: JSONValue = [
            "name": "Renamed", "identifier": .string(fixture.phone.identifier),
            "push_credentials": ["service": "APNS", "token": "0A1B"],
        ]
        #expect(await fixture.server.send(fixture.phone.accountRequest(.patch, token: token, allowed)).status == 200)
    }

    @Test("After PATCH changed the identifier, the phone signs decisions with the new one")
    func newIdentifier() async throws {
        let fixture = try await ConformanceFixture()
        let request = fixture.phone.accountRequest(.patch, token: try fixture.phone.token(), ["identifier": "PHONE-9"])
        #expect(await fixture.server.send(request).status == 200)
        let id = try await fixture.client.started()
        let notification = try await fixture.phone.notification(of: id)
        let old = fixture.phone.answerRequest(notification, response: try fixture.phone.response(to: notification))
        #expect(await fixture.server.send(old).status == 401)
        let new = try fixture.phone.response(to: notification, ["iss": "PHONE-9"])
        #expect(await fixture.server.send(fixture.phone.answerRequest(notification, response: new)).status == 204)
    }

    @Test("Capabilities beyond Guardian's wire format: a list within limits is accepted, and another is 400")
    func capabilities() async throws {
        let fixture = try await ConformanceFixture()
        func patched(_ body: JSONValue) async throws -> (status: Int, signsDigest: Bool?) {
            let answer = await fixture.server.send(
                fixture.phone.accountRequest(.patch, token: try fixture.phone.token(), body))
            return (
                answer.status,
                try await fixture.server.device(fixture.phone.enrollment.id)?.capabilities
                    .contains(.signedDigest)
            )
        }
        #expect(try await patched(["name": "Guardian"]) == (200, false))
        #expect(try await patched(["capabilities": ["signed-digest", "other"]]) == (200, true))
        #expect(try await patched(["capabilities": ["signed-digest", 1]]) == (400, true))
        #expect(try await patched(["capabilities": [.string(String(repeating: "x", count: 65))]]) == (400, true))
        #expect(try await patched(["capabilities": nil]) == (200, true))
        #expect(try await patched(["capabilities": []]) == (200, false))
    }

    @Test("PATCH with half of the push credentials is 400 and names the missing member")
    func halfOfPushCredentials() async throws {
        let fixture = try await ConformanceFixture()
        let request = fixture.phone.accountRequest(
            .patch, token: try fixture.phone.token(), ["push_credentials": ["service": "GCM"]])
        let answer = await fixture.server.send(request)
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_body")
        #expect(answer["message"] == "Payload validation error: push_credentials.token is required")
    }

    @Test("A push token that is the text of a missing value is refused", arguments: ["(null)", "nil", "undefined"])
    func missingPushToken(token: String) async throws {
        let fixture = try await ConformanceFixture()
        let request = fixture.phone.accountRequest(
            .patch, token: try fixture.phone.token(),
            ["push_credentials": ["service": "APNS", "token": .string(token)]])
        let answer = await fixture.server.send(request)
        #expect(answer.status == 400 && answer.code == "invalid_body")
        #expect(answer["message"]?.stringValue?.contains("missing value") == true, "\(answer.text)")
    }

    @Test("DELETE answers 204, and requests for the user are refused afterwards")
    func remove() async throws {
        let fixture = try await ConformanceFixture()
        let request = fixture.phone.accountRequest(.delete, token: try fixture.phone.token())
        let answer = await fixture.server.send(request)
        #expect(answer.status == 204)
        #expect(answer.text.isEmpty)
        #expect(await fixture.server.send(request).status == 404)
        let start = try await fixture.client.start()
        #expect(start.message.hasSuffix("User does not have push notifications set up"))
    }

    @Test("A decision answers 204 and no body")
    func decide() async throws {
        let fixture = try await ConformanceFixture()
        let answer = try await fixture.phone.decide(try await fixture.client.started())
        #expect(answer.status == 204)
        #expect(answer.text.isEmpty)
        #expect(answer.fields["Cache-Control"] == "no-store")
    }

    @Test("The audit log contains the reason of a rejection")
    func reason() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        let reason = "not me" + String(repeating: "!", count: 1000)
        #expect(try await fixture.phone.decide(id, accepted: false, reason: reason).status == 204)
        #expect(try await fixture.server.auditText().contains("not me!!!"))
        #expect(try await !fixture.server.auditText().contains(String(repeating: "!", count: 257)))
    }

    @Test("rich-consents shows the client, the scopes, the API and the expiry")
    func consent() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started(["audience": Samples.api, "scope": "openid pay:send"])
        let notification = try await fixture.phone.notification(of: id)
        let answer = await fixture.server.send(try fixture.phone.consentRequest(notification))
        #expect(answer.status == 200)
        #expect(answer.fields["Cache-Control"] == "no-store")
        let now = fixture.server.clock.now
        let expected: JSONValue = [
            "id": .string(notification.transactionLinkingID ?? ""),
            "requested_details": [
                "audience": .string(Samples.api), "scope": ["openid", "pay:send"], "binding_message": "TX-4711",
                "scope_descriptions": ["pay:send": "Pay in your name"],
            ],
            "client": ["client_id": "agent", "name": "Client agent"],
            "created_at": .string(now.iso8601), "expires_at": .string((now + .seconds(300)).iso8601),
        ]
        // Countersign's own member, beside those that Guardian's SDKs read.
        var json = try answer.json.objectValue.orThrow("no object")
        let record = try RequestRecord(parsing: try json["record"]?.stringValue.orThrow("no record") ?? "")
        #expect(record.id == notification.transactionLinkingID)
        json["record"] = nil
        #expect(.object(json) == expected)
    }

    @Test("RFC 8707 2: resource names the API as Auth0's audience does; audience wins when both are present")
    func resource() async throws {
        let fixture = try await ConformanceFixture()
        func granted(_ parameters: [String: String?]) async throws -> JSONValue? {
            let id = try await fixture.client.started(parameters.merging(["scope": "openid pay:send"]) { $1 })
            _ = try await fixture.phone.decide(id)
            return try await fixture.verified(try await fixture.client.poll(id)["access_token"])["aud"]
        }
        let api = JSONValue.string(Samples.api)
        let claims = try await granted(["audience": Samples.api])
        #expect(claims == api || claims?.arrayValue?.first == api)
        #expect(try await granted(["resource": Samples.api]) == claims)
        #expect(try await granted(["audience": Samples.api, "resource": "https://nowhere.example/"]) == claims)
    }

    @Test("RFC 8707 2: several resources are invalid_target")
    func severalResources() async throws {
        let fixture = try await ConformanceFixture()
        for path in ["/bc-authorize", "/oauth/token"] {
            var request = Request.form(path, fixture.client.startParameters(["resource": Samples.api]))
            request.body += Array("&resource=https%3A%2F%2Fother.example%2F".utf8)
            expectError(await fixture.server.send(request), 400, "invalid_target")
        }
    }

    @Test("Without an audience, the consent names the userinfo endpoint")
    func defaultAudience() async throws {
        let fixture = try await ConformanceFixture()
        let notification = try await fixture.phone.notification(of: try await fixture.client.started())
        let answer = await fixture.server.send(try fixture.phone.consentRequest(notification))
        #expect(answer["requested_details"]?["audience"] == "https://dev.example/userinfo")
    }

    @Test("The bare api prefix of earlier Guardian hosts reaches the same endpoints")
    func barePrefix() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        let notification = try await fixture.phone.notification(of: id)
        let response = try fixture.phone.response(
            to: notification, ["aud": "https://dev.example/api/resolve-transaction"])
        var request = fixture.phone.answerRequest(notification, response: response)
        request.path = "/api/resolve-transaction"
        #expect(await fixture.server.send(request).status == 204)
    }

    @Test(
        "The channel begins with the requests still pending after Last-Event-ID, oldest first"
    )
    func channel() async throws {
        let fixture = try await ConformanceFixture()
        let short = try await fixture.client.started(["requested_expiry": "10"])
        let decided = try await fixture.client.started()
        let first = try await fixture.client.started()
        let second = try await fixture.client.started()
        _ = try await fixture.phone.decide(decided)
        fixture.server.advance(.seconds(10))
        _ = short
        let events = try await pending(fixture, after: nil, count: 2)
        #expect(events.map(\.consent) == [first, second].map { InProcessClient.consent(of: $0).rawValue })
        let resumed = try await pending(fixture, after: events[0].id, count: 1)
        #expect(resumed.map(\.consent) == [events[1].consent])
        #expect(events.map(\.id) == events.map(\.id).sorted())
    }

    @Test("The channel of a phone that removes itself ends at once and cannot be opened again")
    func removedByItself() async throws {
        let fixture = try await ConformanceFixture()
        let request = fixture.phone.channelRequest(token: try fixture.phone.channelToken)
        let answer = await fixture.server.send(request)
        let account = fixture.phone.accountRequest(.delete, token: try fixture.phone.token())
        #expect(await fixture.server.send(account).status == 204)
        for await _ in try answer.stream.orThrow("no stream") {}
        let again = await fixture.server.send(request)
        #expect(again.status == 404)
        #expect(again.code == "enrollment_not_found")
    }

    @Test("The channel of a phone that another node removed ends within 20 seconds")
    func removedByOthers() async throws {
        let fixture = try await ConformanceFixture()
        let answer = await fixture.server.send(fixture.phone.channelRequest(token: try fixture.phone.channelToken))
        var pieces = try answer.stream.orThrow("no stream").makeAsyncIterator()
        // The event id to resume from, and the pending requests.
        for _ in 0..<2 { _ = try await pieces.next().orThrow("the stream ended") }
        await fixture.server.timer.awaitSleepers()
        fixture.server.advance(.seconds(20))
        #expect(await pieces.next() == ServerSentEvent.keepAlive)

        // A new enrolment with the same identifier deletes the earlier one.
        _ = try await InProcessPhone(identifier: fixture.phone.identifier, in: fixture.server)
        await fixture.server.timer.awaitSleepers()
        fixture.server.advance(.seconds(20))
        #expect(await pieces.next() == nil)
    }

    private struct Told {
        let id: Int64
        let consent: String
    }

    /// The first events of a new stream.
    private func pending(_ fixture: ConformanceFixture, after last: Int64?, count: Int) async throws -> [Told] {
        let answer = await fixture.server.send(
            fixture.phone.channelRequest(token: try fixture.phone.channelToken, after: last))
        #expect(answer.status == 200)
        #expect(answer.fields["Content-Type"] == "text/event-stream")
        #expect(answer.fields["Cache-Control"] == "no-store")
        var parser = ServerSentEventParser()
        var told: [Told] = []
        for await bytes in try answer.stream.orThrow("no stream") {
            for event in try parser.parse(bytes) {
                guard let event = try DeviceEvent(event) else { throw Unexpected("no event of ours") }
                guard case .notification(let payload) = event.content else { continue }
                told.append(Told(id: event.id, consent: payload.transactionLinkingID ?? ""))
            }
            if told.count >= count { break }
        }
        return told
    }
}
