import ApprovalWire
import Foundation
@testable import Guardian
import GuardianWire
import HTTPModel
import JOSE
import Primitives
import Testing

@Suite("Numbers, reports and details with labels")
struct ShownRequestTests {
    private static func record(_ change: (inout RequestRecord.Display) throws -> Void) rethrows -> RequestRecord {
        var display = RequestRecord.Display()
        try change(&display)
        return RequestRecord(
            id: "cns_1", issuer: "https://id.example.org/", tenant: "t", client: .init(id: "c1", name: "Agent"),
            user: "auth0|1", audience: .init(id: "a", name: "A"), scope: [], bindingMessage: "TX-1",
            authorizationDetails: [
                ["type": "payment", "note": "7", "amount": ["amount": .number(JSONNumber(1200)), "currency": "EUR"]]
            ], display: display, createdAt: Fixtures.now, expiresAt: Timestamp(seconds: 1_795_169_100), salt: "c2FsdA")
    }

    private static func consent(
        _ change: (inout RequestRecord.Display) throws -> Void = { _ in }
    ) throws -> Consent {
        let record = try record(change)
        return try Consent(
            ConsentRecord(
                id: record.id, requestedDetails: .init(audience: "other", scope: nil, bindingMessage: "other"),
                record: record.text, createdAt: record.createdAt, expiresAt: record.expiresAt))
    }

    private static func claims(_ transport: ScriptedTransport, _ key: any SigningKey) throws -> Claims {
        let body = try #require(transport.requests.first?.body)
        let answer = try ResolveTransactionRequest(parsing: body)
        return try Fixtures.verified(answer.challengeResponse, by: key).claims
    }

    private static func authentication(
        _ transport: ScriptedTransport, _ key: any SigningKey
    ) -> Authentication {
        authentication(
            forDomain: "id.example.org", device: Fixtures.device(key), configuration: Fixtures.configuration(transport))
    }

    private static func authentication(
        forDomain domain: String, device: any AuthenticationDevice, configuration: GuardianConfiguration
    ) -> Authentication {
        Guardian.authentication(forDomain: domain, device: device, configuration: configuration)
    }

    @Test("Everything that is shown comes from the signed record")
    func members() throws {
        let consent = try Self.consent { display in
            display.clientLogo = "https://agent.example/logo.png"
            display.isFirstParty = false
            display.isUrgent = true
            display.matchingChoices = ["07", "42", "85"].compactMap { GuardianWire.MatchingNumber($0) }
            display.presentation = [
                ["label": "Payment", "order": ["amount"], "members": ["amount": ["format": "money"]]]
            ]
        }
        #expect(consent.client?.logo?.absoluteString == "https://agent.example/logo.png")
        #expect(consent.client?.isFirstParty == false && consent.isUrgent)
        #expect(consent.matchingChoices.map(\.description) == ["07", "42", "85"])
        let detail = try #require(consent.details(inLanguage: "de-AT").first)
        #expect(detail.type == "payment" && detail.label == "Payment")
        #expect(detail.hasMoney && !detail.isGroupable)
        let headline = try #require(consent.headline(inLanguage: "de-AT"))
        #expect(headline.lines == ["1.200\u{A0}€"] && headline.action == "1.200\u{A0}€")
        #expect(detail.values.map(\.title) == ["amount", "note"])
        #expect(detail.values[0].content == .money(amount: "1200", currency: "EUR"))
        #expect(detail.values.map { $0.text(inLanguage: "de-AT") } == ["1.200\u{A0}€", #""7""#])
        #expect(detail.values[0].text(inLanguage: "nl") == "€1,200")
    }

    @Test("A login is told with its names by language, and a number to type has no choices")
    func login() throws {
        let consent = try Self.consent { display in
            display.isNumberTyped = true
            display.login = RequestRecord.Login(
                application: "Shop", browser: "Firefox", system: nil, address: "192.0.2.7",
                place: RequestRecord.Place(names: ["en": "Munich", "de": "München", "fr": "Munich"]), at: Fixtures.now)
        }
        let login = try #require(consent.login)
        #expect(login.application == "Shop" && login.browser == "Firefox" && login.system == nil)
        #expect(login.address == "192.0.2.7" && login.date == Date(Fixtures.now))
        #expect(
            ["de", "de-AT", "de_AT", "it"].map { login.place(inLanguage: $0) } == [
                "München", "München", "München", "Munich",
            ])
        #expect(consent.asksTypedNumber && consent.matchingChoices.isEmpty)
        #expect(try Self.consent().login == nil && Self.consent().asksTypedNumber == false)
    }

    @Test("A server that tells none of it, and a logo that is no https URL, leave the members empty")
    func absent() throws {
        let plain = try Self.consent()
        #expect(plain.matchingChoices.isEmpty && !plain.isUrgent && plain.client?.isFirstParty == nil)
        #expect(plain.details(inLanguage: "en").first?.values.map(\.name) == ["note", "amount"])
        for logo in ["http://agent.example/l.png", "javascript:alert(1)", ""] {
            #expect(try Self.consent { $0.clientLogo = logo }.client?.logo == nil)
        }
        let auth0 = try Consent(
            ConsentRecord(
                id: "cns_1",
                requestedDetails: .init(
                    audience: "a", scope: nil, bindingMessage: nil, authorizationDetails: [["type": "x", "b": true]]),
                createdAt: Fixtures.now, expiresAt: Fixtures.now))
        #expect(auth0.details(inLanguage: "fr").first?.values.map { $0.text(inLanguage: "fr") } == ["oui"])
    }

    @Test("allow signs the number that the person picked, beside the digest")
    func pick() async throws {
        let key = try P256PrivateKey.new()
        let transport = ScriptedTransport([.answer(204, "")])
        let consent = try Self.consent()
        _ = try await Self.authentication(transport, key).allow(
            notification: Guardian.Notification(Fixtures.payload), consent: consent, pick: Guardian.MatchingNumber("42")
        ).start()
        let claims = try Self.claims(transport, key)
        #expect(claims.members["matching_pick"] == "42" && claims.members["auth0_guardian_accepted"] == true)
        #expect(claims.members["request_digest"]?.stringValue == consent.requestDigest)
        for text in ["4", "٤٢", "100", ""] { #expect(Guardian.MatchingNumber(text) == nil) }
    }

    @Test("report signs a rejection that says so")
    func report() async throws {
        let key = try P256PrivateKey.new()
        let transport = ScriptedTransport([.answer(204, "")])
        _ = try await Self.authentication(transport, key)
            .report(notification: Guardian.Notification(Fixtures.payload), consent: try Self.consent()).start()
        let claims = try Self.claims(transport, key)
        #expect(claims.members["reported"] == true && claims.members["auth0_guardian_accepted"] == false)
        #expect(claims.members["auth0_guardian_reason"] == nil && claims.members["request_digest"] != nil)
    }

    @Test("Only an app that says so announces that it shows numbers, at enrolment and at each change")
    func capabilities() async throws {
        let key = try P256PrivateKey.new()
        for (shows, expected) in [(false, #"["signed-digest"]"#), (true, #"["signed-digest","number-matching"]"#)] {
            let transport = ScriptedTransport([.fail(.timedOut), .fail(.timedOut)])
            var configuration = Fixtures.configuration(transport)
            configuration.showsMatchingNumbers = shows
            let api = api(forDomain: "id.example.org", configuration: configuration)
            _ = try? await api.enroll(
                withTicket: "ticket", identifier: "i", name: "n", notificationToken: nil,
                verificationKey: try key.verificationKey()
            ).start()
            _ = try? await api.device(forEnrollmentId: "dev_1", userId: "u", signingKey: key).update(name: "n").start()
            #expect(transport.requests.count == 2)
            for request in transport.requests {
                let body = try JSONReader.parse(try #require(request.body))
                #expect(body["capabilities"].map { JSONWriter.string($0) } == expected)
            }
        }
    }

    @Test(
        "A refused answer has a text for the person in each language, and advice for the developer",
        arguments: ["wrong_number", "number_required", "passkey_required", "invalid_passkey", "transaction_expired"])
    func refusals(code: String) async throws {
        let body = #"{"statusCode":403,"error":"Forbidden","message":"m","errorCode":"\#(code)"}"#
        let transport = ScriptedTransport([.answer(403, body)])
        let call = Self.authentication(transport, try P256PrivateKey.new())
            .allow(notification: Guardian.Notification(Fixtures.payload))
        let error = await #expect(throws: GuardianError.self) { try await call.start() }
        let texts = ["en", "fr-CA", "de"].compactMap { error?.refusal(inLanguage: $0) }
        #expect(Set(texts).count == 3 && error?.refusal(inLanguage: "nl") == texts.first)
        #expect(error?.code == code && error?.recoverySuggestion != nil && error?.statusCode == 403)
    }
}

@Suite("The person's account")
struct AccountTests {
    private static func account(_ transport: ScriptedTransport) throws -> DeviceAPI {
        api(forDomain: "id.example.org", configuration: Fixtures.configuration(transport))
            .device(forEnrollmentId: "dev_1", userId: "auth0|1", signingKey: try P256PrivateKey.new())
    }

    @Test("Waiting requests are notifications, with the id of their event")
    func pending() async throws {
        var event = try #require(try JSONReader.parse(Fixtures.payload.apns).objectValue)
        event["sequence"] = 12
        event["urgent"] = true
        let transport = ScriptedTransport([.answer(200, JSONWriter.string(["requests": [.object(event)]]))])
        let pending = try await Self.account(transport).pending().start()
        #expect(pending.map(\.eventId) == ["12"])
        #expect(pending.first?.notification.transactionLinkingId == "cns_1")
        #expect(pending.first?.notification.isUrgent == true)
    }

    @Test("A page of the history has the requests as they were asked")
    func history() async throws {
        let record = RequestRecord(
            id: "cns_1", issuer: "https://id.example.org/", tenant: "t", client: .init(id: "c1", name: "Agent"),
            user: "auth0|1", audience: .init(id: "a", name: "A"), scope: [], bindingMessage: "TX-1",
            authorizationDetails: [], createdAt: Fixtures.now, expiresAt: Timestamp(seconds: 1_795_169_100),
            salt: "c2FsdA")
        let entry: JSONObject = [
            "id": "cns_1", "decided_at": "2026-11-20T10:00:01.000Z", "decision": "allowed", "reason": nil,
            "evidence": "passkey", "record": .string(record.text),
        ]
        var reported = entry
        (reported["decision"], reported["outcome"]) = ("rejected", "reported")
        var foreign = entry
        foreign["id"] = "cns_2"
        let transport = ScriptedTransport([
            .answer(200, JSONWriter.string(["requests": [.object(entry), .object(reported)]])),
            .answer(200, JSONWriter.string(["requests": [.object(foreign)]])),
        ])
        let page = try await Self.account(transport).history(limit: 900).start()
        let request = try #require(page.requests.first)
        #expect(request.isAllowed && request.evidence == "passkey" && request.reason == nil && page.next == nil)
        #expect(page.requests.map(\.outcome) == ["allowed", "reported"])
        #expect(request.consent.requestDigest == record.digest(platformHashing).description)
        #expect(transport.requests.first?.url.hasSuffix("/dev_1/requests?limit=50") == true)
        // The record of another request is not passed off as this one.
        let refused = await #expect(throws: NetworkError.self) {
            try await Self.account(transport).history().start()
        }
        #expect(refused?.code == .invalidResponse)
    }

    @Test(
        "An answer of another form is an error, and no crash",
        arguments: ["[]", "{}", #"{"requests":[1],"devices":[1]}"#])
    func damaged(body: String) async throws {
        let transport = ScriptedTransport(Array(repeating: .answer(200, body), count: 3))
        let account = try Self.account(transport)
        await #expect(throws: NetworkError.self) { try await account.pending().start() }
        await #expect(throws: NetworkError.self) { try await account.history().start() }
        await #expect(throws: NetworkError.self) { try await account.devices().start() }
    }

    @Test("Devices name their push service and passkey")
    func devices() async throws {
        let body =
            #"{"devices":[{"id":"dev_1","name":"P","enrolled_at":"2026-11-20T10:00:00.000Z","push":null,"passkey":true,"current":true}]}"#
        let devices = try await Self.account(ScriptedTransport([.answer(200, body)])).devices().start()
        #expect(devices.first?.hasPasskey == true && devices.first?.isCurrent == true)
        #expect(devices.first?.pushService == nil && devices.first?.enrolledAt == Date(Fixtures.now))
    }

    @Test(
        "Quiet hours may span midnight, and are in the device's own time zone",
        arguments: [
            ("22:00", "07:00", "2026-11-20T21:59:59Z", 0, false), ("22:00", "07:00", "2026-11-20T22:00:00Z", 0, true),
            ("22:00", "07:00", "2026-11-20T06:59:59Z", 0, true), ("22:00", "07:00", "2026-11-20T07:00:00Z", 0, false),
            ("12:00", "13:00", "2026-11-20T12:30:00Z", 0, true),
            ("12:00", "13:00", "2026-11-20T12:30:00Z", 3600, false),
            ("00:00", "01:00", "1969-12-31T23:30:00Z", 3600, true),
        ])
    func hours(from: String, to: String, time: String, offset: Int, isQuiet: Bool) throws {
        let hours = try #require(QuietHours(from: from, to: to))
        let date = Date(try #require(Timestamp(iso8601: time)))
        #expect(hours.contains(date, in: try #require(TimeZone(secondsFromGMT: offset))) == isQuiet)
        #expect(hours.fromText == from && hours.toText == to)
    }

    @Test("Quiet hours are read, set and ended")
    func preferences() async throws {
        let transport = ScriptedTransport([
            .answer(200, #"{"quiet_hours":{"from":"22:00","to":"07:00"}}"#), .answer(200, #"{"quiet_hours":null}"#),
            .answer(204, ""), .answer(200, #"{"quiet_hours":{"from":"25:00","to":"07:00"}}"#),
        ])
        let account = try Self.account(transport)
        #expect(try await account.quietHours().start() == QuietHours(from: "22:00", to: "07:00"))
        #expect(try await account.quietHours().start() == nil)
        _ = try await account.setQuietHours(nil).start()
        #expect(transport.requests.last?.body == Array(#"{"quiet_hours":null}"#.utf8))
        #expect(transport.requests.last?.method == .put)
        await #expect(throws: NetworkError.self) { try await account.quietHours().start() }
    }
}
