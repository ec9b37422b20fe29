import ApprovalWire
import Audit
import AuthorizationCore
@testable import Flows
import GuardianWire
import JOSE
import Localization
import OAuthWire
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("The second factor of a login")
struct SecondFactorTests {
    private static let secret = Array("12345678901234567890".utf8)

    private func code(_ fixture: LoginFixture, step offset: Int = 0) throws -> String {
        let password = try #require(OneTimePassword(secret: SecretBytes(Self.secret)))
        let counter = OneTimePassword.counter(at: fixture.now + .seconds(30 * offset), period: 30)
        return password.code(counter: counter, hashing: Samples.hashing)
    }

    @Test(
        "Policies: never asks no user, when-enrolled users with a device, always every user",
        arguments: [
            (MultiFactorPolicy.never, true, false), (.whenEnrolled, false, false), (.whenEnrolled, true, true),
            (.always, true, true), (.always, false, true),
        ])
    func policies(policy: MultiFactorPolicy, phone: Bool, needsFactor: Bool) async throws {
        let fixture = try await LoginFixture(tenant: LoginFixture.tenant(demanding: policy), phone: phone)
        let answer = try await fixture.enter(Visitor())
        if case .interact(let page) = answer.next {
            #expect(needsFactor)
            if phone {
                #expect(page.step == .multiFactor(SecondFactors(push: true, oneTimePassword: false, hasFactor: true)))
            } else {
                #expect(page.step == .enrollDevice)
            }
        } else {
            #expect(!needsFactor)
        }
    }

    @Test("A push shows the same number on both screens; allowing it makes the session, with amr and acr")
    func push() async throws {
        let fixture = try await LoginFixture(tenant: LoginFixture.tenant(demanding: .always), phone: true)
        let visitor = Visitor()
        let page = try await fixture.pending(visitor)
        let sent = try await fixture.push.send(page, language: .english)
        let number = try #require(sent.pushNumber)
        guard case .waiting = try await fixture.push.check(sent) else {
            Issue.record("it waits for the phone")
            return
        }
        #expect(try await fixture.decide(accept: true) == "Log in: \(number)")
        let open = try await fixture.open(page.id, visitor)
        #expect(open.pushNumber == number)
        guard case .decided(let answer) = try await fixture.push.check(open) else {
            Issue.record("it was decided")
            return
        }
        let code = try await fixture.code(visitor.take(answer).response)
        #expect(code.access.methods == ["pwd", "pop", "mfa"])
        #expect(code.access.contextClass == "http://schemas.openid.net/pape/policies/2007/06/multi-factor")
        #expect(answer.sessionCookie?.utf8.count == 43)
        #expect(try await fixture.log("gd_auth_login_succeed").map(\.user) == ["auth0|ann"])
        #expect(try await fixture.log("ciba_exchange_succeeded").isEmpty, "no tokens came of it")
        _ = try await fixture.authorize(visitor).response
    }

    @Test("A tenant that demands passkeys pushes logins to phones with one alone, and one-time passwords remain")
    func demandedPasskey() async throws {
        var tenant = LoginFixture.tenant(demanding: .always)
        tenant.settings.evidence = .passkey
        func step(push: Bool, oneTimePassword: Bool) -> AuthorizationStep {
            .multiFactor(SecondFactors(push: push, oneTimePassword: oneTimePassword, hasFactor: true))
        }
        let other = try await LoginFixture(tenant: tenant)
        try await other.enrol(secret: Self.secret)
        #expect(try await other.pending(Visitor()).step == step(push: false, oneTimePassword: true))

        let fixture = try await LoginFixture(tenant: tenant, phone: true)
        func factors() async throws -> AuthorizationStep { try await fixture.pending(Visitor()).step }
        #expect(try await factors() == step(push: false, oneTimePassword: false))
        let (store, device) = (fixture.fixture.made.store, DeviceID("dev_one"))
        let event = AuditEvent(.passkeyRegistered, tenant: tenant.id, at: fixture.now)
        #expect(try await store.register(try Samples.passkey(of: device, event), tenant: tenant.id))
        #expect(try await factors() == step(push: false, oneTimePassword: false), "it signs no digests")
        _ = try await store.update(
            device, tenant: tenant.id, with: DeviceAccountUpdate(capabilities: [.signedDigest]), event: event)
        #expect(try await factors() == step(push: true, oneTimePassword: false))
        _ = try await fixture.push.send(try await fixture.pending(Visitor()), language: .english)
        let failure = try await deviceFailure { _ = try await fixture.decide(accept: true) }
        #expect(failure.reason == .invalidChallenge, "its answer does not sign the digest")
    }

    @Test("A code is offered to people whose phone shows one: Guardian's, and those that name the capability")
    func codeOffered() async throws {
        let fixture = try await LoginFixture(tenant: LoginFixture.tenant(demanding: .always))
        try await fixture.enrol(secret: Self.secret)
        let event = AuditEvent(.deviceUpdated, tenant: fixture.tenant.id, at: fixture.now)
        for (capabilities, isOffered) in [
            ([], true), ([.signedDigest, .numberMatching], false), ([.signedDigest, .oneTimeCode], true),
        ] as [(Set<DeviceCapability>, Bool)] {
            _ = try await fixture.fixture.made.store.update(
                DeviceID("dev_one"), tenant: fixture.tenant.id,
                with: DeviceAccountUpdate(capabilities: capabilities), event: event)
            let step = try await fixture.pending(Visitor()).step
            #expect(step == .multiFactor(SecondFactors(push: true, oneTimePassword: isOffered, hasFactor: true)))
        }
    }

    @Test("A second factor alone does not let a session last longer, a new login does")
    func stepUpLifetime() async throws {
        var fixture = try await LoginFixture(tenant: LoginFixture.tenant(demanding: .never))
        try await fixture.enrol(secret: Self.secret)
        let visitor = Visitor()
        _ = try await fixture.enter(visitor).response
        let before = try #require(try await fixture.session(of: visitor))
        fixture.fixture.clock.advance(by: .seconds(600))
        fixture.settings { $0.multiFactor = .always }
        let page = try await fixture.authorize(visitor).page
        let answer = visitor.take(try await fixture.codes.logIn(page, code: try code(fixture)))
        #expect(try answer.error == nil)
        let steppedUp = try #require(try await fixture.session(of: visitor))
        #expect(steppedUp.id == before.id && steppedUp.hash != before.hash)
        #expect(steppedUp.authentication.methods == ["pwd", "otp", "mfa"])
        #expect(steppedUp.authentication.at == before.authentication.at)
        #expect(steppedUp.createdAt == before.createdAt)
        #expect(steppedUp.expiresAt == before.expiresAt)
        fixture.settings { $0.multiFactor = .never }
        _ = try await fixture.enter(visitor, ["prompt": "login"]).response
        let renewed = try #require(try await fixture.session(of: visitor))
        #expect(renewed.id == before.id)
        #expect(renewed.createdAt == fixture.now)
        #expect(renewed.expiresAt == before.expiresAt + .seconds(600))
    }

    @Test("A rejected push ends the login: the page says so, and the client gets access_denied")
    func rejected() async throws {
        let fixture = try await LoginFixture(tenant: LoginFixture.tenant(demanding: .always), phone: true)
        let visitor = Visitor()
        let page = try await fixture.pending(visitor)
        let sent = try await fixture.push.send(page, language: .french)
        #expect(try await fixture.decide(accept: false).hasPrefix("Connexion: "))
        guard case .decided(let answer) = try await fixture.push.check(sent),
            case .ended(let text, let response) = answer.next
        else {
            Issue.record("it ended")
            return
        }
        #expect(text[.english].contains("rejected"))
        #expect(response.parameters["error"] == "access_denied")
        #expect(try await fixture.count(.sessions) == 0)
        #expect(try await pageFailure { _ = try await fixture.open(page.id, visitor) } == .transaction)
        #expect(try await fixture.log("gd_auth_failed").count == 1)
    }

    @Test("Requests of clients and of logins are counted apart, and neither keeps the user from the other")
    func countedApart() async throws {
        let tenant = Samples.tenant {
            $0.settings.multiFactor = .always
            $0.settings.pendingRequestsPerUser = 7
        }
        let fixture = try await LoginFixture(
            tenant: tenant, clients: [LoginFixture.app(), Samples.client()], phone: true)
        func push() async throws {
            _ = try await fixture.push.send(
                try await fixture.pending(Visitor()), language: .english)
        }
        for _ in 0..<5 { try await push() }
        #expect(try await interactionFailure { try await push() }.reason == .tooManyRequests)
        for _ in 0..<5 { _ = try await fixture.fixture.start() }
        #expect(try await oauthError { _ = try await fixture.fixture.start() }.code == .tooManyRequests)
        fixture.fixture.clock.advance(by: .seconds(61))
        for _ in 0..<2 { _ = try await fixture.fixture.start() }
        let error = try await oauthError { _ = try await fixture.fixture.start() }
        #expect(error.description.text.contains("too many undecided requests"))
        for _ in 0..<5 { try await push() }
    }

    @Test("A phone is not flooded: the limit of requests to one user holds here too")
    func flood() async throws {
        let fixture = try await LoginFixture(tenant: LoginFixture.tenant(demanding: .always), phone: true)
        for _ in 0..<5 {
            let page = try await fixture.pending(Visitor())
            _ = try await fixture.push.send(page, language: .english)
        }
        let visitor = Visitor()
        let page = try await fixture.pending(visitor)
        let failure = try await interactionFailure {
            _ = try await fixture.push.send(page, language: .english)
        }
        #expect(failure.reason == .tooManyRequests)
        #expect(failure.retryAfter == 60)
        #expect(try await fixture.open(page.id, visitor).pushNumber == nil)
    }

    @Test("No client gets tokens for a push of a login: its auth_req_id is kept as a hash only")
    func noTokens() async throws {
        let fixture = try await LoginFixture(tenant: LoginFixture.tenant(demanding: .always), phone: true)
        let visitor = Visitor()
        let page = try await fixture.pending(visitor)
        _ = try await fixture.push.send(page, language: .english)
        let requests = try await fixture.fixture.pendingStore.pending(
            user: UserID("auth0|ann"), tenant: fixture.tenant.id, after: 0, now: fixture.now, limit: 9)
        let sealed = try #require(requests.first)
        let request = try #require(
            try await fixture.fixture.vault.opened(sealed))
        #expect(request.scope.isEmpty)
        #expect(request.audience == fixture.tenant.userinfoAudience)
        #expect(request.client.rawValue == "app")
    }

    @Test("RFC 6238: a code of this time step or the one beside it, each once", arguments: [-1, 0, 1])
    func oneTimePassword(offset: Int) async throws {
        let fixture = try await LoginFixture(tenant: LoginFixture.tenant(demanding: .whenEnrolled))
        try await fixture.enrol(secret: Self.secret)
        let visitor = Visitor()
        let page = try await fixture.pending(visitor)
        #expect(page.step == .multiFactor(SecondFactors(push: true, oneTimePassword: true, hasFactor: true)))
        let code = try code(fixture, step: offset)
        let typed = code.prefix(3) + " " + code.suffix(3)
        let answer = visitor.take(try await fixture.codes.logIn(page, code: String(typed)))
        #expect(try await fixture.code(answer.response).access.methods == ["pwd", "otp", "mfa"])
        let other = try await fixture.pending(Visitor())
        let replayed = try await interactionFailure {
            _ = try await fixture.codes.logIn(other, code: code)
        }
        #expect(replayed.reason == .wrongCode)
    }

    @Test("Codes further away, and wrong ones, count as brute force; a right password does not forgive them")
    func wrongCodes() async throws {
        let fixture = try await LoginFixture(tenant: LoginFixture.tenant(demanding: .whenEnrolled))
        try await fixture.enrol(secret: Self.secret)
        for code in [try code(fixture, step: 2), try code(fixture, step: -2), ""] {
            let page = try await fixture.pending(Visitor())
            let failure = try await interactionFailure {
                _ = try await fixture.codes.logIn(page, code: code)
            }
            #expect(failure.reason == .wrongCode)
        }
        let page = try await fixture.pending(Visitor())
        let blocked = try await interactionFailure {
            _ = try await fixture.codes.logIn(page, code: try code(fixture))
        }
        #expect(blocked.reason == .tooManyAttempts)
        #expect(try await fixture.log("gd_auth_failed").count == 3)
        #expect(try await fixture.log("limit_wc").count == 1)
        let mails = try await fixture.mails()
        #expect(mails.map { $0["to"] } == ["ann@example.org"], "whoever the password belongs to is told, once")
        #expect(mails.first?["text"]?.stringValue?.contains("wrong codes") == true)
    }

    @Test("always: a user without a device enrols one, and the login goes on to it")
    func enrol() async throws {
        let fixture = try await LoginFixture(tenant: LoginFixture.tenant(demanding: .always))
        let visitor = Visitor()
        let page = try await fixture.pending(visitor)
        #expect(page.step == .enrollDevice)
        let (uri, _) = try await fixture.firstDevice.enrollment(page)
        let (same, _) = try await fixture.firstDevice.enrollment(try await fixture.open(page.id, visitor))
        #expect(uri == same, "one ticket, however often the page is shown")
        #expect(try await fixture.open(page.id, visitor).step == .enrollDevice)
        let request = EnrollmentRequest(
            identifier: "PHONE-1", name: "Ann's", pushCredentials: nil,
            publicKey: try Keys.signer(.es256).publicKey)
        _ = try await fixture.enroll.enroll(
            request, ticket: try #require(EnrollmentTicketAuthorization(ticket: uri.transactionID)),
            context: fixture.fixture.context)
        let next = try await fixture.open(page.id, visitor)
        guard case .multiFactor(let factors) = next.step else {
            Issue.record("the new device is asked")
            return
        }
        #expect(factors.push)
        #expect(
            try await interactionFailure { _ = try await fixture.firstDevice.enrollment(next) }.reason
                == .otherStep, "the password alone enrols no second device")
    }

    @Test("A session with one factor is stepped up and gets a new cookie; auth_time stays that of the password")
    func stepUp() async throws {
        var fixture = try await LoginFixture()
        try await fixture.enrol(secret: Self.secret)
        let visitor = Visitor()
        let began = fixture.now
        _ = try await fixture.enter(visitor).response
        let before = visitor.sessionCookie
        fixture.settings { $0.multiFactor = .whenEnrolled }
        fixture.fixture.clock.advance(by: .seconds(60))
        let page = try await fixture.authorize(visitor).page
        let answer = visitor.take(
            try await fixture.codes.logIn(page, code: try code(fixture)))
        let code = try await fixture.code(answer.response)
        #expect(code.access.methods == ["pwd", "otp", "mfa"])
        #expect(code.access.authTime == began)
        #expect(visitor.sessionCookie != before)
        #expect(try await fixture.count(.sessions) == 1)
    }

    @Test("An API whose consent policy asks for MFA in the transaction gets it in each")
    func transactional() async throws {
        let fixture = try await LoginFixture(apis: [try Samples.resourceServer { $0.requiresTransactionalMFA = true }])
        try await fixture.enrol(secret: Self.secret)
        let visitor = Visitor()
        for _ in 0..<2 {
            let changes: [String: String?] = ["audience": Samples.api, "scope": "openid pay:send"]
            let answer = try await fixture.authorize(visitor, changes)
            let open =
                try answer.page.step == .logIn ? try await fixture.logIn(answer.page.id, visitor).page : answer.page
            let done = visitor.take(try await fixture.codes.logIn(open, code: try code(fixture)))
            await #expect(throws: Never.self) { try await fixture.code(done.response) }
            fixture.fixture.clock.advance(by: .seconds(30))
        }
    }

    @Test("Forms of another step are refused, and \"not you\" begins anew")
    func otherSteps() async throws {
        let fixture = try await LoginFixture(tenant: LoginFixture.tenant(demanding: .always), phone: true)
        let visitor = Visitor()
        let page = try await fixture.pending(visitor)
        for failure in [
            try await interactionFailure { _ = try await fixture.allow(page) },
            try await interactionFailure { _ = try await fixture.logIn(page.id, visitor) },
            try await interactionFailure { _ = try await fixture.codes.logIn(page, code: "123456") },
            try await interactionFailure { _ = try await fixture.firstDevice.enrollment(page) },
            try await interactionFailure {
                _ = try await fixture.transactions.selectAccount(page, other: false)
            },
        ] { #expect(failure.reason == .otherStep) }
        let again = try await fixture.transactions.selectAccount(page, other: true).page
        #expect(again.step == .logIn)
        #expect(again.user == nil)
    }
}
