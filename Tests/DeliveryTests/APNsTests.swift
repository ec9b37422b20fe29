import AuthorizationCore
import Delivery
import Flows
import GuardianWire
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Apple's push service")
struct APNsTests {
    typealias Answer = @Sendable (ClientRequest) async throws(HTTPClientError) -> ClientResponse

    func fixture(_ answer: @escaping Answer = { _ in ClientResponse(200) }) throws -> MobilePushFixture {
        try MobilePushFixture(.applePushes, try MobilePushFixture.apple(), answer)
    }

    func reason(_ status: Int, _ name: String, _ fields: HTTPFields = [:]) -> Answer {
        { _ in ClientResponse(status, ["reason": .string(name)], fields) }
    }

    // MARK: requests

    @Test("A notification is an alert with the headers that Apple documents, and the token of the team's key")
    func notification() async throws {
        let fixture = try fixture()
        #expect(try await fixture.send() == .delivered)
        #expect(try await fixture.send() == .delivered)
        let request = try #require(fixture.http.requests.first)
        #expect(request.method == .post)
        #expect(request.url == "https://api.push.apple.com/3/device/" + String(repeating: "0a1b", count: 16))
        let fields = request.fields
        #expect(fields["apns-topic"] == "com.example.app")
        #expect(fields["apns-push-type"] == "alert" && fields["apns-priority"] == "10")
        #expect(fields["apns-expiration"] == String((fixture.now + .seconds(300)).seconds))
        #expect(fields["apns-collapse-id"] == MobilePushFixture.consent)
        #expect(fields["apns-id"]?.count == 36 && fixture.http.requests[1].fields["apns-id"] == fields["apns-id"])
        let token = try #require(fields["Authorization"]?.split(separator: " ").last)
        let jws = try JWS(parsing: String(token))
        #expect(jws.header == ["alg": "ES256", "kid": "ABC123DEFG"])
        let payload = try jws.verified(
            by: try Keys.signer(.es256, "apns").publicKey, allowed: [.es256], using: OpenSSLVerifier())
        #expect(
            try JSONReader.parse(payload) == [
                "iss": "DEF123GHIJ", "iat": .number(JSONNumber(Int(fixture.now.seconds))),
            ])
        let decoded = try NotificationPayload(apnsParsing: request.body ?? [])
        #expect(decoded.transactionLinkingID == MobilePushFixture.consent && decoded.body == "Shop: Order 4711")
    }

    @Test("A withdrawal wakes the app, replaces its notification, shows nothing, and has an id of its own")
    func withdrawal() async throws {
        let fixture = try fixture()
        try await fixture.send()
        #expect(try await fixture.send(fixture.withdrawal(fixture.device())) == .delivered)
        let requests = fixture.http.requests
        let fields = requests[1].fields
        #expect(fields["apns-push-type"] == "background" && fields["apns-priority"] == "5")
        #expect(fields["apns-collapse-id"] == requests[0].fields["apns-collapse-id"])
        #expect(fields["apns-id"] != requests[0].fields["apns-id"])
        let body = try JSONReader.parse(requests[1].body ?? [])
        #expect(body["aps"] == ["content-available": 1])
        let withdrawn = try WithdrawalPayload(apns: body)
        #expect(withdrawn.transactionLinkingID == MobilePushFixture.consent && withdrawn.enrollmentID == "dev_one")
    }

    @Test("A development build's messages go to the sandbox")
    func sandbox() async throws {
        let fixture = try MobilePushFixture(.applePushes, try MobilePushFixture.apple(isSandbox: true)) { _ in
            ClientResponse(200)
        }
        try await fixture.send()
        #expect(fixture.http.requests.first?.url.hasPrefix("https://api.sandbox.push.apple.com/3/device/") == true)
    }

    @Test(
        "A payload has at most 4096 bytes: the text is shortened at a character, and nothing else",
        arguments: [
            "a", "\u{1F469}\u{200D}\u{1F4BB}", "\"\\\n", "\u{E9}",
        ])
    func long(character: String) async throws {
        let fixture = try fixture()
        let message = try fixture.notification(
            fixture.device(), body: String(repeating: character, count: 9000 / character.utf8.count))
        #expect(try await fixture.send(message) == .delivered)
        let body = try #require(fixture.http.requests.first?.body)
        #expect((3900...4096).contains(body.count))
        let decoded = try NotificationPayload(apnsParsing: body)
        #expect(decoded.challenge == "secret-challenge" && decoded.body?.hasSuffix("\u{2026}") == true)
    }

    @Test(
        "Only hexadecimal of a token's length becomes a part of the path",
        arguments: [
            "", "t", "0a1b/../x", String(repeating: "0", count: 31), String(repeating: "g", count: 64),
            String(repeating: "0", count: 402), String(repeating: "0", count: 62) + "\u{664}\u{664}",
        ])
    func badToken(token: String) async throws {
        let fixture = try fixture()
        let result = try await fixture.send(fixture.notification(fixture.device(token)))
        #expect(result == .refused(reason: "the device's token is not one of Apple's push service"))
        #expect(fixture.http.requests.isEmpty)
    }

    @Test("A tenant without credentials for a device's service is told which, and a device of another needs no push")
    func nothingToSend() async throws {
        for (queue, selection, service) in [
            (.applePushes, .direct, "Apple's push service"), (.googlePushes, .guardian, "Firebase"),
            (.applePushes, .sns, "SNS"), (.googlePushes, .sns, "SNS"),
        ] as [(DeliveryQueue, PushServices.Selection, String)] {
            let fixture = try MobilePushFixture(queue, PushServices(selection: selection)) { _ in ClientResponse(200) }
            let reason = "the tenant has no credentials for \(service)"
            #expect(try await fixture.send() == .unconfigured(reason: reason))
            #expect(fixture.http.requests.isEmpty)
        }
        let fixture = try fixture()
        let other = try Samples.device(push: PushCredentials(service: .gcm, token: "t"))
        #expect(try await fixture.send(fixture.notification(other)) == .unneeded)
        let list = DeviceEvent(id: 8, content: .pending(transactionLinkingIDs: [MobilePushFixture.consent]))
        let message = DeviceMessage(event: list, device: try fixture.device(), expiresAt: fixture.now + .seconds(60))
        #expect(try await fixture.send(message) == .unneeded)
        #expect(fixture.http.requests.isEmpty)
    }

    // MARK: tokens and the clock

    @Test("Apple's rule: a token is used for 40 minutes, also by other tenants, and made anew if the clock is set back")
    func tokens() async throws {
        let fixture = try fixture()
        func token(at moment: Timestamp) async throws -> String {
            try await fixture.send(fixture.notification(fixture.device(), life: .seconds(9000)), at: moment)
            return try #require(fixture.http.requests.last?.fields["Authorization"])
        }
        let now = fixture.now
        let first = try await token(at: now)
        #expect(try await token(at: now + .seconds(2399)) == first)
        let message = fixture.notification(try fixture.device(of: "other"))
        #expect(try await fixture.other("other").send(message, now: now).result == .delivered)
        #expect(fixture.http.requests.last?.fields["Authorization"] == first, "one key, one token")
        let second = try await token(at: now + .seconds(2401))
        #expect(second != first)
        #expect(try await token(at: now) != second, "Apple refuses a token of the future")
    }

    @Test(
        "Apple's rule: an expired token is replaced, but not within 20 minutes",
        arguments: [
            "ExpiredProviderToken", "InvalidProviderToken",
        ])
    func refusedToken(name: String) async throws {
        let fixture = try fixture(reason(403, name))
        let now = fixture.now
        let early = try await fixture.send()
        guard case .refused(let text) = early else { Issue.record("\(early)"); return }
        #expect(text.contains(name))
        let count = fixture.http.requests.count
        #expect(try await fixture.send(at: now + .seconds(59)) == .refused(reason: text))
        #expect(fixture.http.requests.count == count, "not asked again")
        let late = try await fixture.send(
            fixture.notification(fixture.device(), life: .seconds(9000)), at: now + .seconds(1201))
        #expect(fixture.http.requests.count == count + 1)
        #expect(fixture.http.requests[0].fields["Authorization"] != fixture.http.requests[1].fields["Authorization"])
        guard case .refused = late else { Issue.record("the new token is refused at once: \(late)"); return }
    }

    @Test("Apple's rule: a new token that comes too soon gives way to the one before it, and is no fault of the key")
    func tooSoon() async throws {
        let refused = Mutex<String?>(nil)
        let fixture = try fixture { request in
            request.fields["Authorization"] == refused.withLock(\.self)
                ? ClientResponse(429, ["reason": "TooManyProviderTokenUpdates"]) : ClientResponse(200)
        }
        func send(at wait: Int) async throws -> (result: DeliveryResult, token: String) {
            let message = try fixture.notification(fixture.device(), life: .seconds(9000))
            let result = try await fixture.send(message, at: fixture.now + .seconds(wait))
            return (result, try #require(fixture.http.requests.last?.fields["Authorization"]))
        }
        let first = try await send(at: 0).token
        // Another program made a token of the same key, and Apple takes no second one now.
        let second = try await send(at: 2401).token
        #expect(second != first)
        refused.withLock { $0 = second }
        guard case (.failed, second) = try await send(at: 2402) else { Issue.record("not tried again"); return }
        #expect(try await send(at: 2403) == (.delivered, first))
        #expect(try await send(at: 3499) == (.delivered, first))
        #expect(try await send(at: 3501).token != first, "Apple takes no token of more than an hour")
        // Without an earlier token, the same one is tried again.
        let last = try await send(at: 3502).token
        refused.withLock { $0 = last }
        for wait in 3503..<3506 {
            guard case (.failed, last) = try await send(at: wait) else { Issue.record("not tried again"); return }
        }
    }

    // MARK: answers

    @Test(
        "Each reason of a token that is of no use retires it, and says why",
        arguments: [
            (410, "Unregistered", "removed"), (410, "ExpiredToken", "expired"),
        ])
    func gone(status: Int, name: String, text: String) async throws {
        let result = try await fixture(reason(status, name)).send()
        guard case .gone(let cause) = result else { Issue.record("\(result)"); return }
        #expect(cause.contains(text))
    }

    @Test(
        "A wrong setting of the tenant retires no token, and is named",
        arguments: [(400, "BadDeviceToken", "sandbox"), (400, "DeviceTokenNotForTopic", "bundle_id")])
    func mismatch(status: Int, name: String, setting: String) async throws {
        let fixture = try fixture(reason(status, name))
        for _ in 0..<2 {
            let result = try await fixture.send()
            guard case .refused(let cause) = result else { Issue.record("\(result)"); return }
            #expect(cause.contains(name) && cause.contains(setting))
        }
        #expect(fixture.http.requests.count == 2, "the credentials do not rest")
    }

    @Test("A token that was registered again after Apple found it invalid is not retired")
    func registeredAgain() async throws {
        let found = Samples.start - .seconds(60)
        let fixture = try fixture { _ in
            ClientResponse(
                410, ["reason": "Unregistered", "timestamp": .number(JSONNumber(Int(found.milliseconds)))])
        }
        func result(_ registeredAt: Timestamp) async throws -> DeliveryResult {
            try await fixture.send(fixture.notification(fixture.device(registeredAt: registeredAt)))
        }
        guard case .failed = try await result(found + .milliseconds(1)) else { Issue.record("retired"); return }
        guard case .gone = try await result(found) else { Issue.record("not retired"); return }
    }

    @Test(
        "A busy service is tried again, not before the time that it names",
        arguments: [
            (429, "TooManyRequests"), (500, "InternalServerError"), (503, "ServiceUnavailable"), (503, "Shutdown"),
            (400, "IdleTimeout"), (502, "none"), (408, "none"), (425, "none"),
        ])
    func busy(status: Int, name: String) async throws {
        let result = try await fixture(reason(status, name, ["Retry-After": "7"])).send()
        guard case .failed(_, let wait) = result else { Issue.record("\(result)"); return }
        #expect(wait == .seconds(7))
    }

    @Test(
        "A message that breaks a rule is refused for good, and stops no other",
        arguments: [
            (413, "PayloadTooLarge"), (400, "BadCollapseId"), (400, "BadMessageId"), (405, "MethodNotAllowed"),
            (404, "BadPath"), (400, "BadExpirationDate"), (400, "BadPriority"), (400, "InvalidPushType"),
            (400, "DuplicateHeaders"), (400, "MissingDeviceToken"), (400, "PayloadEmpty"), (301, "none"),
            (410, "LaterReason"),
        ])
    func refused(status: Int, name: String) async throws {
        let fixture = try fixture(reason(status, name))
        for _ in 0..<2 {
            guard case .refused = try await fixture.send() else { Issue.record("not refused"); return }
        }
        #expect(fixture.http.requests.count == 2)
    }

    @Test(
        "Refused credentials are not tried again for a growing time, and at once after a change",
        arguments: [
            (403, "BadCertificate"), (403, "BadCertificateEnvironment"), (400, "TopicDisallowed"), (400, "BadTopic"),
            (400, "MissingTopic"), (403, "Forbidden"), (403, "MissingProviderToken"),
            (403, "UnrelatedKeyIdInToken"), (403, "BadEnvironmentKeyIdInToken"), (403, "LaterReason"),
        ])
    func credentials(status: Int, name: String) async throws {
        let fixture = try fixture(reason(status, name))
        let start = "the tenant's APNs credentials are refused: Apple's push service answered"
        // At most 5 minutes between messages that are sent. Others are refused for the same reason.
        for (wait, isSent) in [
            (0, true), (1, false), (59, false), (60, true), (179, false), (180, true), (419, false), (420, true),
            (719, false), (720, true), (1019, false), (1020, true),
            // The clock was set back.
            (-1, true),
        ] {
            let count = fixture.http.requests.count
            let result = try await fixture.send(
                fixture.notification(fixture.device(), life: .seconds(90_000)), at: fixture.now + .seconds(wait))
            guard case .refused(let text) = result, text.hasPrefix(start) else {
                Issue.record("after \(wait) seconds: \(result)")
                continue
            }
            #expect(fixture.http.requests.count == count + (isSent ? 1 : 0), "after \(wait) seconds")
        }
        let changed = try self.fixture(reason(status, name))
        guard case .refused = try await changed.send() else { Issue.record("not asked"); return }
        #expect(changed.http.requests.count == 1)
    }

    @Test("After credentials are accepted again, all messages are sent")
    func recovered() async throws {
        let isRefused = Mutex(true)
        let fixture = try fixture { _ in
            isRefused.withLock(\.self) ? ClientResponse(400, ["reason": "TopicDisallowed"]) : ClientResponse(200)
        }
        try await fixture.send()
        isRefused.withLock { $0 = false }
        #expect(try await fixture.send(at: fixture.now + .seconds(61)) == .delivered)
        #expect(try await fixture.send(at: fixture.now + .seconds(61)) == .delivered)
    }

    @Test(
        "Messages that were in flight when credentials were refused are one fault, and end no rest of the credentials")
    func inFlight() async throws {
        let gate = Gate()
        let calls = Counter()
        let answers = Mutex([200] + Array(repeating: 400, count: 9))
        let fixture = try fixture { _ in
            calls.add()
            await gate.pass()
            let status = answers.withLock { $0.popLast() ?? 400 }
            return status == 200 ? ClientResponse(200) : ClientResponse(status, ["reason": "TopicDisallowed"])
        }
        let message = try fixture.notification(fixture.device(), life: .seconds(90_000))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { _ = await fixture.provider.send(message, now: fixture.now) } }
            await calls.wait(for: 10)
            gate.open()
        }
        // The last of the ten was accepted after nine refusals.
        for (wait, count) in [(59, 10), (60, 11), (179, 11), (180, 12)] {
            try await fixture.send(message, at: fixture.now + .seconds(wait))
            #expect(fixture.http.requests.count == count, "after \(wait) seconds")
        }
    }

    @Test("While a probe is on its way, other messages wait")
    func probe() async throws {
        let gate = Gate()
        let calls = Counter()
        let fixture = try fixture { _ in
            calls.add()
            if calls.value > 1 { await gate.pass() }
            return calls.value > 1 ? ClientResponse(200) : ClientResponse(400, ["reason": "TopicDisallowed"])
        }
        let message = try fixture.notification(fixture.device())
        let later = fixture.now + .seconds(60)
        try await fixture.send(message)
        async let probe = fixture.provider.send(message, now: later).result
        await calls.wait(for: 2)
        guard case .notTried(_, let wait) = try await fixture.send(message, at: later) else {
            Issue.record("sent or refused")
            return
        }
        #expect(wait == .seconds(2))
        #expect(calls.value == 2)
        gate.open()
        #expect(await probe == .delivered)
        #expect(try await fixture.send(message, at: later) == .delivered)
    }

    @Test("No answer is tried again, with a reason for the operator alone")
    func unreachable() async throws {
        let fixture = try fixture { _ throws(HTTPClientError) in throw .timedOut }
        let attempt = try await fixture.provider.send(fixture.notification(fixture.device()), now: fixture.now)
        #expect(attempt.result == .failed(reason: "Apple's push service cannot be reached from this server"))
        #expect(attempt.detail == "The server did not answer in time")
    }

    @Test(
        "A service that is not reached, or does not answer, gets one message at a time; one with a useless answer more",
        arguments: [
            (HTTPClientError.timedOut, false), (.cannotConnect("refused"), false), (.tls("cut"), false),
            (.other("the connection ended"), false), (.tooLarge(limit: 16_384), true), (.invalidURL("no"), true),
        ] as [(HTTPClientError, Bool)])
    func silent(error: HTTPClientError, isHeard: Bool) async throws {
        let gate = Gate()
        let calls = Counter()
        let fixture = try fixture { _ throws(HTTPClientError) in
            calls.add()
            if calls.value > 1 { await gate.pass() }
            throw error
        }
        let message = try fixture.notification(fixture.device())
        guard case .failed = try await fixture.send(message) else { Issue.record("not tried again"); return }
        async let second = fixture.provider.send(message, now: fixture.now).result
        await calls.wait(for: 2)
        async let third = fixture.provider.send(message, now: fixture.now).result
        if isHeard {
            await calls.wait(for: 3)
        } else {
            #expect(await third == .notTried(reason: "Apple's push service does not answer"))
        }
        gate.open()
        guard case .failed = await second else { Issue.record("not tried again"); return }
    }

    // MARK: check

    @Test("A check sends to a token that no device has, and tells good credentials from bad ones")
    func check() async throws {
        for (name, state) in [
            ("BadDeviceToken", CredentialFinding.State.ok), ("InvalidProviderToken", .fault),
            ("TopicDisallowed", .fault), ("TooManyRequests", .warning),
        ] {
            let fixture = try fixture(reason(400, name))
            let findings = await fixture.services.check(fixture.configuration, now: fixture.now)
            #expect(findings.map(\.state) == [state], "\(name)")
            if state == .ok {
                #expect(findings.map(\.text) == ["Apple accepts the key; the first push proves the app"])
            }
            #expect(fixture.http.requests.first?.url.hasSuffix(String(repeating: "0", count: 64)) == true)
            #expect(findings.allSatisfy { ($0.advice == nil) == ($0.state == .ok) })
        }
    }
}
