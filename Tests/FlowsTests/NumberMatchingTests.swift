import ApprovalWire
import AuthorizationCore
@testable import Flows
import GuardianWire
import Localization
import OAuthWire
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Number matching")
struct NumberMatchingTests {
    /// Places that can demand a number.
    enum Place: CaseIterable {
        case tenant, client, type
    }

    private static let details: [String: String?] = [
        "audience": Samples.api, "authorization_details": #"[{"type":"payment","amount":1}]"#,
    ]

    /// A tenant that demands numbers at `places`.
    private func fixture(
        _ places: Set<Place> = [.tenant], capabilities: Set<DeviceCapability>? = [.numberMatching]
    ) async throws -> FlowFixture {
        let tenant = Samples.tenant { if places.contains(.tenant) { $0.settings.matching = .choose } }
        let client = Samples.client { if places.contains(.client) { $0.matching = .choose } }
        let api = try Samples.resourceServer { api in
            if places.contains(.type) { api.authorizationDetailsTypes[0].matching = .choose }
        }
        let fixture = try await FlowFixture(tenant: tenant, clients: [client], apis: [api], phone: false)
        if let capabilities { try await fixture.enrol(Samples.device(capabilities: capabilities)) }
        return fixture
    }

    private func choices(_ fixture: FlowFixture, _ authReqID: String) async throws -> [String] {
        try await fixture.stored(authReqID).record.display.matchingChoices.map(\.description)
    }

    private func answer(
        _ fixture: FlowFixture, _ id: String, pick: String?, accepted: Bool = true, reported: Bool = false
    ) throws -> String {
        try fixture.answer(id, accepted: accepted) { claims in
            claims["matching_pick"] = pick.map(JSONValue.string)
            if reported { claims["reported"] = true }
            claims["auth0_guardian_reason"] = "my words"
        }
    }

    @Test("Any of tenant, client and type demands a number, and without a demand there is none")
    func demands() async throws {
        for places in [[], [.tenant], [.client], [.type]] as [Set<Place>] {
            let fixture = try await fixture(places)
            for details in [[:], Self.details] {
                let answer = try await fixture.start(details)
                let choices = try await choices(fixture, answer.authReqID)
                let isDemanded = places.contains(.type) ? !details.isEmpty : !places.isEmpty
                #expect(choices.count == (isDemanded ? 3 : 0), "\(places)")
                #expect(answer.matchingCode.map(choices.contains) == (isDemanded ? true : nil))
                #expect(Set(choices).count == choices.count)
            }
        }
    }

    @Test("The right number is at every place, follows from the server's key and the record, and is stored nowhere")
    func derivation() async throws {
        let fixture = try await fixture()
        var places: Set<Int> = []
        for number in 0..<60 {
            var display = RequestRecord.Display()
            display.matchingChoices = MatchingNumber.choices(fixture.random)
            #expect(Set(display.matchingChoices).count == 3)
            let request = Samples.request("r\(number)", display: display).request
            let code = try #require(fixture.secrets.matchingCode(of: request))
            #expect(code == fixture.secrets.matchingCode(of: request))
            places.insert(try #require(display.matchingChoices.firstIndex(of: code)))
            let others = try (1...9 as ClosedRange<UInt8>).map { byte in
                try #require(
                    GuardianTransactionTokens(
                        key: SecretBytes([UInt8](repeating: 200 + byte, count: 32)), hashing: Samples.hashing
                    ).matchingCode(of: request))
            }
            #expect(Set(others + [code]).count > 1, "another key has other numbers")
        }
        #expect(places == [0, 1, 2])
        #expect(fixture.secrets.matchingCode(of: Samples.request().request) == nil)
    }

    /// A tenant that demands a typed number, and a phone with these abilities.
    private func typing(
        _ capabilities: Set<DeviceCapability>, channels: [Client.NotificationChannel]? = nil, language: Language? = nil
    ) async throws -> FlowFixture {
        let tenant = Samples.tenant { $0.settings.matching = .type }
        let client = Samples.client { $0.notificationChannels = channels }
        let fixture = try await FlowFixture(tenant: tenant, clients: [client], phone: false) { $0.language = language }
        try await fixture.enrol(Samples.device(capabilities: capabilities))
        return fixture
    }

    @Test("A number to type is in no record: the right one allows, and one wrong ends the request")
    func typed() async throws {
        for isRight in [true, false] {
            let fixture = try await typing([.numberMatching, .numberTyping])
            let started = try await fixture.start()
            let code = try #require(started.matchingCode)
            let record = try await fixture.stored(started.authReqID).record
            #expect(record.display.isNumberTyped && record.display.matchingChoices.isEmpty)
            #expect(!record.text.contains("\"\(code)\""))
            let id = started.authReqID
            let missing = try await deviceFailure { try await fixture.resolve(id, try answer(fixture, id, pick: nil)) }
            #expect(missing.code == .numberRequired)
            let number = try #require(MatchingNumber(code))
            let wrong = try #require(MatchingNumber((number.value + 1) % 100))
            if isRight {
                try await fixture.resolve(id, try answer(fixture, id, pick: code))
                #expect(try await fixture.stored(id).state == .approved)
            } else {
                let failure = try await deviceFailure {
                    try await fixture.resolve(id, try answer(fixture, id, pick: wrong.description))
                }
                #expect(failure.code == .wrongNumber)
                #expect(try await fixture.stored(id).state == .denied)
            }
        }
    }

    @Test("All hundred numbers to type occur, and follow from the server's key and the record")
    func typedDerivation() async throws {
        let fixture = try await typing([.numberTyping])
        var numbers: Set<Int> = []
        for number in 0..<2000 {
            var display = RequestRecord.Display()
            display.isNumberTyped = true
            let request = Samples.request("r\(number)", display: display).request
            numbers.insert(try #require(fixture.secrets.matchingCode(of: request)).value)
        }
        #expect(numbers == Set(0...99))
    }

    @Test("A demand to type falls back to three numbers, and then to the message in the person's language")
    func typedFallback() async throws {
        let picking = try await typing([.numberMatching])
        #expect(try await choices(picking, picking.start().authReqID).count == 3)
        let page = try await typing([.numberMatching], channels: [.page])
        let onPage = try await page.start().authReqID
        #expect(try await page.stored(onPage).record.display.isNumberTyped, "a page takes every number")
        for (language, word) in [(nil, "Number"), (.german, "Zahl"), (.french, "Nombre")] as [(Language?, String)] {
            let fixture = try await typing([], language: language)
            let started = try await fixture.start()
            let request = try await fixture.stored(started.authReqID)
            let message = fixture.secrets.message(of: request, to: try Samples.device())
            let code = try #require(started.matchingCode)
            #expect(
                message.hasPrefix("TX-4711. \(word)") && message.hasSuffix(code),
                "\(message)")
            try await fixture.resolve(started.authReqID, try answer(fixture, started.authReqID, pick: nil))
            #expect(try await fixture.stored(started.authReqID).state == .approved, "no trap")
        }
    }

    @Test("A start that is repeated gets the same number, also after the demand has ended")
    func repeated() async throws {
        var fixture = try await fixture()
        let first = try await fixture.start(keys: ["a"])
        #expect(first.matchingCode != nil)
        fixture.clock.advance(by: .seconds(3))
        #expect(try await fixture.start(keys: ["a"]) == first)
        fixture.configuration = try Samples.configuration()
        #expect(try await fixture.start(keys: ["a"]) == first)
        #expect(try await fixture.start(keys: ["b"]).matchingCode == nil)
    }

    @Test("A repetition of a start whose row was changed is refused")
    func changed() async throws {
        let fixture = try await fixture()
        _ = try await fixture.start(keys: ["a"])
        try await fixture.made.database.execute("UPDATE backchannel_request SET sealed_record = \([UInt8]([0]))")
        let error = try await oauthError { _ = try await fixture.start(keys: ["a"]) }
        #expect(error.code == .invalidRequest && error.description.text.contains("new key"))
        #expect(try await fixture.made.database.auditLog("ciba_request_tampered").count == 1)
    }

    @Test("The right number allows")
    func right() async throws {
        let fixture = try await fixture()
        let started = try await fixture.start()
        try await fixture.resolve(
            started.authReqID, try answer(fixture, started.authReqID, pick: started.matchingCode))
        #expect(try await fixture.poll(started.authReqID) == "tokens")
        #expect(try await fixture.made.database.auditLog("gd_auth_succeed").count == 1)
    }

    @Test("An allow without a number from a phone that shows numbers changes nothing, and the refusal is logged")
    func missing() async throws {
        let fixture = try await fixture()
        let started = try await fixture.start()
        let failure = try await deviceFailure {
            try await fixture.resolve(started.authReqID, try answer(fixture, started.authReqID, pick: nil))
        }
        #expect(failure.code == .numberRequired)
        #expect(try await fixture.stored(started.authReqID).state == .pending)
        #expect(try await fixture.made.database.auditLog("gd_auth_failed").count == 1)
        try await fixture.resolve(
            started.authReqID, try answer(fixture, started.authReqID, pick: started.matchingCode))
        #expect(try await fixture.stored(started.authReqID).state == .approved)
    }

    @Test("A number that is no text of two digits changes nothing", arguments: ["7", "077", "4a", "", "٤٢"])
    func malformed(pick: String) async throws {
        let fixture = try await fixture()
        let id = try await fixture.start().authReqID
        let failure = try await deviceFailure {
            try await fixture.resolve(id, try answer(fixture, id, pick: pick))
        }
        #expect(failure.code == .invalidChallenge && failure.message.contains("matching_pick"))
        #expect(try await fixture.stored(id).state == .pending)
    }

    @Test(
        "A wrong number rejects for good, with evidence and an entry of its own, and the phone is told",
        arguments: [[.numberMatching], []] as [Set<DeviceCapability>])
    func wrong(capabilities: Set<DeviceCapability>) async throws {
        let fixture = try await fixture(capabilities: capabilities)
        try await fixture.enrol(Samples.device("dev_two", identifier: "two", capabilities: capabilities))
        let started = try await fixture.start()
        let id = started.authReqID
        let told = fixture.signal.count
        let other = try #require(try await choices(fixture, id).first { $0 != started.matchingCode })
        let failure = try await deviceFailure {
            try await fixture.resolve(id, try answer(fixture, id, pick: other))
        }
        #expect(failure.code == .wrongNumber)
        let stored = try await fixture.stored(id)
        #expect(stored.state == .denied && stored.outcome?.decision == .reject(reason: nil))
        #expect(fixture.signal.count == told + 1, "the other devices are told")
        #expect(try await fixture.poll(id) == "access_denied")
        let entry = try #require(try await fixture.made.database.auditLog("ciba_wrong_number").first)
        #expect(entry.user == "auth0|ann" && entry.client == "agent" && entry.device == "dev_one")
        #expect(try await fixture.made.database.auditLog("gd_auth_succeed", "gd_auth_rejected").isEmpty)
        let receipt = try await fixture.receipts.issue(
            fixture.consent(id), to: .client(ClientID("agent")), fixture.context)
        let verified = try ReceiptVerifier(
            keys: fixture.configuration.keys.published, verifier: fixture.verifier, hashing: Samples.hashing
        ).verify(receipt)
        #expect(verified.claims.evidence.decision == .rejected)
        #expect(verified.rejectedPick?.description == other)
        #expect(verified.proven.contains { $0.contains("with the number \(other)") })
        let late = try await deviceFailure {
            try await fixture.resolve(id, try answer(fixture, id, pick: started.matchingCode))
        }
        #expect(late.code == .loginTransactionNotFound, "there is no second try")
    }

    @Test("A rejection needs no number, and a wrong one changes nothing about it")
    func rejected() async throws {
        let fixture = try await fixture()
        for pick in [nil, "00"] {
            let id = try await fixture.start().authReqID
            try await fixture.resolve(id, try answer(fixture, id, pick: pick, accepted: false))
            #expect(try await fixture.stored(id).outcome?.decision == .reject(reason: "my words"))
        }
        #expect(try await fixture.made.database.auditLog("gd_auth_rejected").count == 2)
    }

    @Test("A phone that cannot show numbers has the right one in its message, and allows without")
    func otherPhone() async throws {
        let fixture = try await fixture(capabilities: [])
        try await fixture.enrol(Samples.device("dev_two", identifier: "B", capabilities: [.numberMatching]))
        let started = try await fixture.start()
        let request = try await fixture.stored(started.authReqID)
        let code = try #require(started.matchingCode)
        let composer = NotificationComposer(secrets: fixture.secrets)
        for (device, text) in [("dev_one", "TX-4711. Number: \(code)"), ("dev_two", "TX-4711")] {
            let stored = try await fixture.enrollmentStore.device(DeviceID(device), tenant: fixture.tenant.id)
            let payload = composer.notification(
                of: request, to: try #require(stored).device, configuration: fixture.configuration)
            #expect(payload.body == "\(request.record.client.name): \(text)")
        }
        try await fixture.allow(started.authReqID)
        #expect(try await fixture.stored(started.authReqID).state == .approved)
    }

    @Test("A number that nobody asked for is ignored")
    func superfluous() async throws {
        let fixture = try await fixture([])
        let id = try await fixture.start().authReqID
        try await fixture.resolve(id, try answer(fixture, id, pick: "42"))
        #expect(try await fixture.stored(id).state == .approved)
    }

    @Test("A report rejects with an entry of its own; an answer cannot allow and report")
    func reported() async throws {
        let fixture = try await fixture()
        let started = try await fixture.start()
        let id = started.authReqID
        let failure = try await deviceFailure {
            try await fixture.resolve(
                id, try answer(fixture, id, pick: started.matchingCode, accepted: true, reported: true))
        }
        #expect(failure.code == .invalidChallenge)
        try await fixture.resolve(id, try answer(fixture, id, pick: nil, accepted: false, reported: true))
        #expect(try await fixture.stored(id).outcome?.decision == .reject(reason: "my words"))
        let entry = try #require(try await fixture.made.database.auditLog("ciba_reported").first)
        #expect(entry.user == "auth0|ann" && entry.client == "agent")
        #expect(try JSONReader.parse(entry.details)["reason"] == "my words")
        #expect(try await fixture.made.database.auditLog("gd_auth_rejected").isEmpty)
    }

    @Test("The record names the client's logo, and whether it is the tenant's own")
    func client() async throws {
        let client = Samples.client { $0.logoURL = "https://shop.example/logo.png" }
        let fixture = try await FlowFixture(clients: [client, Samples.client("plain")])
        let shown = try await fixture.stored(try await fixture.start().authReqID).record
        #expect(shown.display.clientLogo == "https://shop.example/logo.png" && shown.display.isFirstParty == true)
        let plain = try await fixture.stored(try await fixture.start(client: "plain").authReqID).record
        #expect(plain.display.clientLogo == nil && plain.display.isFirstParty == true)
    }
}
