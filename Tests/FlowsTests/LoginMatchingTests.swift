@testable import Administration
import ApprovalWire
import Audit
import AuthorizationCore
import Configuration
@testable import Flows
import GuardianWire
import JOSE
import Localization
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Number matching of logins")
struct LoginMatchingTests {
    private func fixture(
        _ phones: [Set<DeviceCapability>], _ change: (inout TenantSettings) -> Void = { _ in }
    ) async throws -> LoginFixture {
        let tenant = Samples.tenant {
            $0.settings.multiFactor = .always
            change(&$0.settings)
        }
        let fixture = try await LoginFixture(tenant: tenant)
        for (number, capabilities) in phones.enumerated() {
            try await fixture.fixture.enrol(
                Samples.device("dev_\(number)", identifier: "PHONE-\(number)", capabilities: capabilities))
        }
        return fixture
    }

    private func sent(
        _ fixture: LoginFixture, from address: String = FlowFixture.remote
    ) async throws -> LoginTransaction {
        try await fixture.push.send(try await fixture.enter(Visitor(address)).page, language: .english)
    }

    private func request(_ fixture: LoginFixture) async throws -> BackchannelRequest {
        let requests = try await fixture.fixture.pendingStore.pending(
            user: UserID("auth0|ann"), tenant: fixture.tenant.id, after: 0, now: fixture.now, limit: 9)
        let sealed = try #require(requests.last)
        return try #require(try await fixture.fixture.vault.opened(sealed))
    }

    private func allow(_ fixture: LoginFixture, _ request: BackchannelRequest, pick: MatchingNumber?) async throws {
        try await answer(
            fixture, request,
            ["auth0_guardian_accepted": true, "matching_pick": pick.map { .string($0.description) } ?? .null])
    }

    private func answer(
        _ fixture: LoginFixture, _ request: BackchannelRequest, _ members: JSONObject
    ) async throws {
        let (secrets, device) = (fixture.fixture.secrets, DeviceID("dev_0"))
        var claims: JSONObject = [
            "iss": "PHONE-0", "sub": .string(secrets.challenge(of: request, device: device)),
            "aud": "https://dev.example/appliance-mfa/api/resolve-transaction",
            "iat": JSONValue(fixture.now.seconds), "exp": JSONValue(fixture.now.seconds + 30),
            "auth0_guardian_method": "push",
        ]
        for (name, value) in members { claims[name] = value }
        let answer = try JWS.sign(JSONWriter.bytes(.object(claims)), type: "JWT", with: Keys.signer(.es256))
        try await fixture.fixture.resolve("", answer, token: secrets.token(of: request, device: device))
    }

    @Test("A login asks for a number if one of the phones can show numbers and the tenant has not turned it off")
    func demand() async throws {
        let able: Set<DeviceCapability> = [.numberMatching, .signedDigest]
        for (phones, setting, isAsked) in [
            ([able], LoginMatching.choose, true), ([[], able], .choose, true), ([[]], .choose, false),
            ([[.signedDigest]], .choose, false), ([able], .off, false),
        ] as [([Set<DeviceCapability>], LoginMatching, Bool)] {
            let fixture = try await fixture(phones) { $0.loginMatching = setting }
            let sent = try await sent(fixture)
            let request = try await request(fixture)
            let number = try #require(sent.pushNumber)
            #expect(sent.pushMatching == (isAsked ? .choose : nil))
            #expect(request.record.display.matchingChoices.isEmpty == !isAsked)
            #expect(fixture.fixture.secrets.matchingCode(of: request) == (isAsked ? number : nil))
            #expect(request.record.bindingMessage == (isAsked ? "Log in" : "Log in: \(number)"))
        }
    }

    @Test("A tenant that demands numbers of every request demands them of logins, too")
    func demandOfTenant() async throws {
        let fixture = try await fixture([[.numberMatching]]) {
            $0.loginMatching = .off
            $0.matching = .choose
        }
        #expect(try await sent(fixture).pushMatching == .choose)
    }

    @Test("The page's number lets the login go on, and the page keeps it")
    func right() async throws {
        let fixture = try await fixture([[.numberMatching]])
        let sent = try await sent(fixture)
        #expect(try await fixture.push.send(sent, language: .english).pushNumber == sent.pushNumber)
        try await allow(fixture, try await request(fixture), pick: sent.pushNumber)
        guard case .decided(let answer) = try await fixture.push.check(sent) else {
            Issue.record("it was decided")
            return
        }
        #expect(try answer.response.parameters["code"] != nil)
    }

    @Test("A wrong number ends the login, the page says so, and no client has to wait for it")
    func wrong() async throws {
        let fixture = try await fixture([[.numberMatching]]) { $0.rejectionsBeforePause = 1 }
        let sent = try await sent(fixture)
        let request = try await request(fixture)
        let wrong = try #require(request.record.display.matchingChoices.first { $0 != sent.pushNumber })
        let failure = try await deviceFailure { try await allow(fixture, request, pick: wrong) }
        #expect(failure.code == .wrongNumber)
        guard case .decided(let answer) = try await fixture.push.check(sent),
            case .ended(let text, let response) = answer.next
        else {
            Issue.record("it ended")
            return
        }
        #expect(text[.english].contains("another number"))
        #expect(response.parameters["error"] == "access_denied")
        #expect(try await fixture.log("ciba_wrong_number").count == 1)
        #expect(try await fixture.fixture.made.database.count("rejection_pause") == 0)
    }

    private func miss(_ fixture: LoginFixture, from address: String) async throws {
        let sent = try await sent(fixture, from: address)
        let request = try await request(fixture)
        let wrong = request.record.display.matchingChoices.first { $0 != sent.pushNumber }
        _ = try await deviceFailure { try await allow(fixture, request, pick: wrong) }
    }

    private func report(_ fixture: LoginFixture, from address: String) async throws {
        _ = try await sent(fixture, from: address)
        try await answer(
            fixture, try await request(fixture), ["auth0_guardian_accepted": false, "reported": true])
    }

    private func blocked(_ fixture: LoginFixture, from address: String) async throws -> InteractionFailure {
        try await interactionFailure { _ = try await sent(fixture, from: address) }
    }

    @Test("Wrong numbers end a login's way to the phone for their address, and not for the person elsewhere")
    func wrongNumbers() async throws {
        let fixture = try await fixture([[.numberMatching]]) { $0.requestsPerMinutePerUser = 100 }
        for _ in 0..<3 { try await miss(fixture, from: "192.0.2.66") }
        let failure = try await blocked(fixture, from: "192.0.2.66")
        #expect(failure.reason == .tooManyAttempts && failure.retryAfter == 3600)
        #expect(try await fixture.log("gd_start_auth").count == 3)
        _ = try await sent(fixture, from: "198.51.100.7")
        fixture.fixture.clock.advance(by: .seconds(3600))
        try await miss(fixture, from: "192.0.2.66")
    }

    @Test("One report ends it at once, and the person gets a mail that names the address")
    func report() async throws {
        let fixture = try await fixture([[.numberMatching]])
        try await report(fixture, from: "192.0.2.66")
        #expect(try await blocked(fixture, from: "192.0.2.66").reason == .tooManyAttempts)
        _ = try await sent(fixture, from: "198.51.100.7")
        let mails = try await fixture.mails()
        #expect(mails.map { $0["subject"]?.stringValue } == ["Tenant dev: login reported"])
        #expect(mails.first?["text"]?.stringValue?.contains("192.0.2.66") == true)
    }

    @Test("Reports from many addresses fill no mailbox")
    func manyReports() async throws {
        let fixture = try await fixture([[.numberMatching]]) { $0.requestsPerMinutePerUser = 100 }
        for host in 1...6 { try await report(fixture, from: "192.0.2.\(host)") }
        #expect(try await fixture.mails().count == FailedLogin.mailLimit)
    }

    @Test("An administrator sees both blocks, and lifts them")
    func lifted() async throws {
        let fixture = try await fixture([[.numberMatching]])
        try await report(fixture, from: "192.0.2.66")
        for _ in 0..<3 { try await miss(fixture, from: "198.51.100.7") }
        let blocks = ManageUserBlocks(store: fixture.fixture.made.store, hashing: Samples.hashing)
        let ann = ManageUserBlocks.Subject.user(UserID("auth0|ann"))
        let shown = try await blocks.blocks(of: ann, in: fixture.tenant.id, now: fixture.now)
        #expect(shown.map(\.address) == ["198.51.100.7", "192.0.2.66"])
        let context = AdministrativeContext(tenant: fixture.tenant.id, actor: .account("root"), now: fixture.now)
        #expect(try await blocks.lift(ann, for: context).count == 2)
        for address in ["192.0.2.66", "198.51.100.7"] { _ = try await sent(fixture, from: address) }
    }

    @Test("Logins sent from one address do not keep the person from logging in elsewhere")
    func flooded() async throws {
        let fixture = try await fixture([[.numberMatching]])
        for _ in 0..<5 { _ = try await sent(fixture, from: "192.0.2.66") }
        for _ in 0..<20 {
            #expect(try await blocked(fixture, from: "192.0.2.66").reason == .tooManyRequests)
        }
        for _ in 0..<5 { _ = try await sent(fixture, from: "198.51.100.7") }
        #expect(try await blocked(fixture, from: "203.0.113.9").reason == .tooManyRequests, "ten a minute in all")
    }

    @Test("Rejections of a client's requests keep nobody from logging in")
    func paused() async throws {
        let tenant = Samples.tenant {
            $0.settings.multiFactor = .always
            $0.settings.rejectionsBeforePause = 1
        }
        let fixture = try await LoginFixture(
            tenant: tenant,
            clients: [
                LoginFixture.app {
                    $0.grantTypes.insert(.ciba)
                    $0.authenticationMethod = .clientSecretPost
                    $0.secretHashes = [Samples.hashing.sha256(Array(Samples.secret.utf8))]
                }
            ], phone: true)
        let id = try await fixture.fixture.start(client: "app").authReqID
        try await fixture.fixture.reject(id)
        let error = try await oauthError { _ = try await fixture.fixture.start(client: "app") }
        #expect(error.code == .tooManyRequests)
        _ = try await sent(fixture)
    }
}
