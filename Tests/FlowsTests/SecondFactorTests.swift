import AuthorizationCore
import Flows
import GuardianWire
import JOSE
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("The second factor of a log-in")
struct SecondFactorTests {
    private static func tenant(_ policy: MultiFactorPolicy) -> Tenant {
        Samples.tenant {
            $0.settings.multiFactor = policy
            $0.settings.bruteForceProtection.attemptsPerAddress = 3
        }
    }

    private static let secret = Array("12345678901234567890".utf8)

    private func code(_ world: LogInWorld, step offset: Int = 0) throws -> String {
        let password = try #require(OneTimePassword(secret: SecretBytes(Self.secret)))
        let counter = OneTimePassword.counter(at: world.now + .seconds(30 * offset), period: 30)
        return password.code(counter: counter, hashing: Samples.hashing)
    }

    /// Logs in with the password and stands before the second factor.
    private func pending(
        _ world: LogInWorld, _ visitor: Visitor, _ changes: [String: String?] = [:]
    ) async throws -> OpenTransaction {
        let answer = try await world.enter(visitor, changes)
        #expect(answer.sessionCookie == nil, "one factor makes no session")
        return try answer.page
    }

    /// What the phone got last, and its answer.
    private func decide(_ world: LogInWorld, accept: Bool) async throws -> String {
        let requests = try await world.world.pendingStore.pending(
            user: UserID("auth0|ann"), tenant: world.tenant.id, after: 0, now: world.now, limit: 9)
        let request = try #require(requests.last)
        let secrets = world.world.secrets
        let device = DeviceID("dev_one")
        let tenant = world.tenant.id
        let claims: JSONObject = [
            "iss": "PHONE-1",
            "sub": .string(secrets.challenge(tenant: tenant, consent: request.consentID, device: device)),
            "aud": "https://dev.example/appliance-mfa/api/resolve-transaction",
            "iat": JSONValue(world.now.seconds), "exp": JSONValue(world.now.seconds + 30),
            "auth0_guardian_method": "push", "auth0_guardian_accepted": .bool(accept),
        ]
        let answer = try JWS.sign(JSONWriter.bytes(.object(claims)), type: "JWT", with: Keys.signer(.es256))
        try await world.world.resolve(
            "", answer, token: secrets.token(tenant: tenant, consent: request.consentID, device: device))
        return request.bindingMessage
    }

    @Test(
        "Policies: never asks nobody, when-enrolled those with a device, always everyone",
        arguments: [
            (MultiFactorPolicy.never, true, false), (.whenEnrolled, false, false), (.whenEnrolled, true, true),
            (.always, true, true), (.always, false, true),
        ])
    func policies(policy: MultiFactorPolicy, phone: Bool, asked: Bool) async throws {
        let world = try await LogInWorld(tenant: Self.tenant(policy), phone: phone)
        let answer = try await world.enter(Visitor())
        if case .interact(let page) = answer.next {
            #expect(asked)
            if phone {
                #expect(page.step == .multiFactor(SecondFactors(push: true, oneTimePassword: false, hasDevice: true)))
            } else {
                #expect(page.step == .enrollDevice)
            }
        } else {
            #expect(!asked)
        }
    }

    @Test("A push shows the same number on both screens; allowing it makes the session, with amr and acr")
    func push() async throws {
        let world = try await LogInWorld(tenant: Self.tenant(.always), phone: true)
        let visitor = Visitor()
        let page = try await pending(world, visitor)
        let sent = try await world.second.sendPush(page, language: .english, now: world.now)
        let number = try #require(sent.pushNumber)
        guard case .waiting = try await world.second.checkPush(sent, now: world.now) else {
            Issue.record("it waits for the phone")
            return
        }
        #expect(try await decide(world, accept: true) == "Log in: \(number)")
        let open = try await world.open(page.id, visitor)
        #expect(open.pushNumber == number)
        guard case .decided(let answer) = try await world.second.checkPush(open, now: world.now) else {
            Issue.record("it was decided")
            return
        }
        let code = try await world.code(visitor.take(answer).response)
        #expect(code.access.methods == ["pwd", "pop", "mfa"])
        #expect(code.access.contextClass == "http://schemas.openid.net/pape/policies/2007/06/multi-factor")
        #expect(answer.sessionCookie?.utf8.count == 43)
        #expect(try await world.log("gd_auth_login_succeed").map(\.user) == ["auth0|ann"])
        #expect(try await world.log("ciba_exchange_succeeded").isEmpty, "no tokens came of it")
        _ = try await world.authorize(visitor).response
    }

    @Test("A second factor alone does not let a session last longer, a new log-in does")
    func stepUpLifetime() async throws {
        var world = try await LogInWorld(tenant: Self.tenant(.never))
        try await world.enrol(secret: Self.secret)
        let visitor = Visitor()
        _ = try await world.enter(visitor).response
        let before = try #require(try await world.session(of: visitor))
        world.world.clock.advance(by: .seconds(600))
        world.settings { $0.multiFactor = .always }
        let page = try await world.authorize(visitor).page
        let answer = visitor.take(try await world.second.logIn(page, code: try code(world), now: world.now))
        #expect(try answer.error == nil)
        let steppedUp = try #require(try await world.session(of: visitor))
        #expect(steppedUp.id == before.id && steppedUp.hash != before.hash)
        #expect(steppedUp.authentication.methods == ["pwd", "otp", "mfa"])
        #expect(steppedUp.authentication.at == before.authentication.at)
        #expect(steppedUp.createdAt == before.createdAt)
        #expect(steppedUp.expiresAt == before.expiresAt)
        world.settings { $0.multiFactor = .never }
        _ = try await world.enter(visitor, ["prompt": "login"]).response
        let renewed = try #require(try await world.session(of: visitor))
        #expect(renewed.id == before.id)
        #expect(renewed.createdAt == world.now)
        #expect(renewed.expiresAt == before.expiresAt + .seconds(600))
    }

    @Test("A rejected push ends the log-in: the person is told, and the client gets access_denied")
    func rejected() async throws {
        let world = try await LogInWorld(tenant: Self.tenant(.always), phone: true)
        let visitor = Visitor()
        let page = try await pending(world, visitor)
        let sent = try await world.second.sendPush(page, language: .french, now: world.now)
        #expect(try await decide(world, accept: false).hasPrefix("Connexion: "))
        guard case .decided(let answer) = try await world.second.checkPush(sent, now: world.now),
            case .ended(let text, let response) = answer.next
        else {
            Issue.record("it ended")
            return
        }
        #expect(text[.english].contains("rejected"))
        #expect(response.parameters["error"] == "access_denied")
        #expect(try await world.count(.sessions) == 0)
        #expect(try await pageFailure { _ = try await world.open(page.id, visitor) } == .transaction)
        #expect(try await world.log("gd_auth_failed").count == 1)
    }

    @Test("A push that was not answered expires and can be sent again; one that waits is not sent twice")
    func expired() async throws {
        let world = try await LogInWorld(tenant: Self.tenant(.always), phone: true)
        let visitor = Visitor()
        let page = try await pending(world, visitor)
        let sent = try await world.second.sendPush(page, language: .english, now: world.now)
        let same = try await world.second.sendPush(sent, language: .english, now: world.now)
        #expect(same.pushNumber == sent.pushNumber)
        #expect(try await world.log("gd_start_auth").count == 1)
        world.world.clock.advance(by: .seconds(120))
        guard case .expired = try await world.second.checkPush(sent, now: world.now) else {
            Issue.record("it expired")
            return
        }
        _ = try await world.second.sendPush(sent, language: .english, now: world.now)
        #expect(try await world.log("gd_start_auth").count == 2)
    }

    @Test("Who waits for the phone is told at once that it decided, and loses nothing by leaving before")
    func awaited() async throws {
        for accept in [true, false] {
            let world = try await LogInWorld(tenant: Self.tenant(.always), phone: true)
            let visitor = Visitor()
            let page = try await pending(world, visitor)
            let sent = try await world.second.sendPush(page, language: .english, now: world.now)
            let left = Task { try await world.second.awaitDecision(sent, now: world.now) }
            await world.world.timer.awaitSleepers()
            left.cancel()
            _ = await left.result
            let waiting = Task { try await world.second.awaitDecision(sent, now: world.now) }
            await world.world.timer.awaitSleepers()
            _ = try await decide(world, accept: accept)
            #expect(try await waiting.value == false)
            // What was decided before is no reason to wait.
            #expect(try await world.second.awaitDecision(sent, now: world.now) == false)
            guard case .decided = try await world.second.checkPush(sent, now: world.now) else {
                Issue.record("it was decided")
                return
            }
            #expect(world.world.hub.waiting == 0)
        }
    }

    @Test("Fifty seconds are waited at most, and no longer than the request on the phone lives; a stop ends it at once")
    func longestWait() async throws {
        let world = try await LogInWorld(tenant: Self.tenant(.always), phone: true)
        let page = try await pending(world, Visitor())
        let sent = try await world.second.sendPush(page, language: .english, now: world.now)
        for (seconds, goesOn) in [(50, true), (50, true), (20, false)] {
            let waiting = Task { try await world.second.awaitDecision(sent, now: world.now) }
            await world.world.timer.awaitSleepers()
            world.world.timer.advance(by: .seconds(seconds))
            #expect(try await waiting.value == goesOn)
        }
        #expect(try await world.second.awaitDecision(sent, now: world.now) == false)
        guard case .expired = try await world.second.checkPush(sent, now: world.now) else {
            Issue.record("it expired")
            return
        }
        let again = try await world.second.sendPush(sent, language: .english, now: world.now)
        let waiting = Task { try await world.second.awaitDecision(again, now: world.now) }
        await world.world.timer.awaitSleepers()
        world.world.hub.release()
        #expect(try await waiting.value == false)
        #expect(try await world.second.awaitDecision(again, now: world.now) == false)
        #expect(world.world.hub.waiting == 0)
    }

    @Test("Where exchanges end sooner, less is waited")
    func shorterWait() async throws {
        let world = try await LogInWorld(tenant: Self.tenant(.always), phone: true)
        let second = SecondFactor(
            transactions: world.transactions, sealer: Samples.sealer, enroll: world.enroll, outbox: world.world.signal,
            decisions: world.world.hub, timer: world.world.timer, hold: .seconds(8))
        let sent = try await second.sendPush(
            try await pending(world, Visitor()), language: .english, now: world.now)
        let waiting = Task { try await second.awaitDecision(sent, now: world.now) }
        await world.world.timer.awaitSleepers()
        world.world.timer.advance(by: .seconds(8))
        #expect(try await waiting.value)
    }

    @Test("Requests of clients and of log-ins are counted apart, and neither keeps the user from the other")
    func countedApart() async throws {
        let tenant = Samples.tenant {
            $0.settings.multiFactor = .always
            $0.settings.pendingRequestsPerUser = 7
        }
        let world = try await LogInWorld(
            tenant: tenant, clients: [LogInWorld.app(), Samples.client()], phone: true)
        func push() async throws {
            _ = try await world.second.sendPush(
                try await pending(world, Visitor()), language: .english, now: world.now)
        }
        for _ in 0..<5 { try await push() }
        #expect(try await interactionFailure { try await push() }.reason == .tooManyRequests)
        for _ in 0..<5 { _ = try await world.world.start() }
        #expect(try await oauthError { _ = try await world.world.start() }.code == .tooManyRequests)
        world.world.clock.advance(by: .seconds(61))
        for _ in 0..<2 { _ = try await world.world.start() }
        let error = try await oauthError { _ = try await world.world.start() }
        #expect(error.description.text.contains("too many undecided requests"))
        for _ in 0..<5 { try await push() }
    }

    @Test("A phone is not flooded: the limit of requests to one user holds here too")
    func flood() async throws {
        let world = try await LogInWorld(tenant: Self.tenant(.always), phone: true)
        for _ in 0..<5 {
            let page = try await pending(world, Visitor())
            _ = try await world.second.sendPush(page, language: .english, now: world.now)
        }
        let visitor = Visitor()
        let page = try await pending(world, visitor)
        let failure = try await interactionFailure {
            _ = try await world.second.sendPush(page, language: .english, now: world.now)
        }
        #expect(failure.reason == .tooManyRequests)
        #expect(failure.retryAfter == 60)
        #expect(try await world.open(page.id, visitor).pushNumber == nil)
    }

    @Test("No client gets tokens for a push of a log-in: nothing of its auth_req_id is told or kept but a hash")
    func noTokens() async throws {
        let world = try await LogInWorld(tenant: Self.tenant(.always), phone: true)
        let visitor = Visitor()
        let page = try await pending(world, visitor)
        _ = try await world.second.sendPush(page, language: .english, now: world.now)
        let requests = try await world.world.pendingStore.pending(
            user: UserID("auth0|ann"), tenant: world.tenant.id, after: 0, now: world.now, limit: 9)
        let request = try #require(requests.first)
        #expect(request.scope.isEmpty)
        #expect(request.audience == world.tenant.userinfoAudience)
        #expect(request.client.rawValue == "app")
    }

    @Test("RFC 6238: a code of this time step or the one beside it, each once", arguments: [-1, 0, 1])
    func oneTimePassword(offset: Int) async throws {
        let world = try await LogInWorld(tenant: Self.tenant(.whenEnrolled))
        try await world.enrol(secret: Self.secret)
        let visitor = Visitor()
        let page = try await pending(world, visitor)
        #expect(page.step == .multiFactor(SecondFactors(push: true, oneTimePassword: true, hasDevice: true)))
        let code = try code(world, step: offset)
        let typed = code.prefix(3) + " " + code.suffix(3)
        let answer = visitor.take(try await world.second.logIn(page, code: String(typed), now: world.now))
        #expect(try await world.code(answer.response).access.methods == ["pwd", "otp", "mfa"])
        let other = try await pending(world, Visitor())
        let replayed = try await interactionFailure {
            _ = try await world.second.logIn(other, code: code, now: world.now)
        }
        #expect(replayed.reason == .wrongCode)
    }

    @Test("Codes further away, and wrong ones, count as brute force; a right password does not forgive them")
    func wrongCodes() async throws {
        let world = try await LogInWorld(tenant: Self.tenant(.whenEnrolled))
        try await world.enrol(secret: Self.secret)
        for code in [try code(world, step: 2), try code(world, step: -2), ""] {
            let page = try await pending(world, Visitor())
            let failure = try await interactionFailure {
                _ = try await world.second.logIn(page, code: code, now: world.now)
            }
            #expect(failure.reason == .wrongCode)
        }
        let page = try await pending(world, Visitor())
        let blocked = try await interactionFailure {
            _ = try await world.second.logIn(page, code: try code(world), now: world.now)
        }
        #expect(blocked.reason == .tooManyAttempts)
        #expect(try await world.log("gd_auth_failed").count == 3)
        #expect(try await world.log("limit_wc").count == 1)
        let mails = try await world.mails()
        #expect(mails.map { $0["to"] } == ["ann@example.org"], "whoever the password belongs to is told, once")
        #expect(mails.first?["text"]?.stringValue?.contains("wrong codes") == true)
    }

    @Test("always: a user without a device enrols one, and the log-in goes on to it")
    func enrol() async throws {
        let world = try await LogInWorld(tenant: Self.tenant(.always))
        let visitor = Visitor()
        let page = try await pending(world, visitor)
        #expect(page.step == .enrollDevice)
        let (uri, _) = try await world.second.enrollment(page, now: world.now)
        let (same, _) = try await world.second.enrollment(try await world.open(page.id, visitor), now: world.now)
        #expect(uri == same, "one ticket, however often the page is shown")
        #expect(try await world.open(page.id, visitor).step == .enrollDevice)
        let request = EnrollmentRequest(
            identifier: "PHONE-1", name: "Ann's", pushCredentials: nil,
            publicKey: try Keys.signer(.es256).publicKey)
        _ = try await world.enroll.enroll(
            request, ticket: try #require(EnrollmentTicketAuthorization(ticket: uri.transactionID)),
            tenant: world.tenant, remoteAddress: World.remote, now: world.now)
        let next = try await world.open(page.id, visitor)
        guard case .multiFactor(let factors) = next.step else {
            Issue.record("the new device is asked")
            return
        }
        #expect(factors.push)
        #expect(
            try await interactionFailure { _ = try await world.second.enrollment(next, now: world.now) }.reason
                == .otherStep, "the password alone enrols no second device")
    }

    @Test("A session with one factor is stepped up and gets a new cookie; auth_time stays that of the password")
    func stepUp() async throws {
        var world = try await LogInWorld()
        try await world.enrol(secret: Self.secret)
        let visitor = Visitor()
        let began = world.now
        _ = try await world.enter(visitor).response
        let before = visitor.sessionCookie
        world.settings { $0.multiFactor = .whenEnrolled }
        world.world.clock.advance(by: .seconds(60))
        let page = try await world.authorize(visitor).page
        let answer = visitor.take(
            try await world.second.logIn(page, code: try code(world), now: world.now))
        let code = try await world.code(answer.response)
        #expect(code.access.methods == ["pwd", "otp", "mfa"])
        #expect(code.access.authTime == began)
        #expect(visitor.sessionCookie != before)
        #expect(try await world.count(.sessions) == 1)
    }

    @Test("An API whose consent policy asks for MFA in the transaction gets it in each")
    func transactional() async throws {
        let world = try await LogInWorld(apis: [try Samples.resourceServer { $0.requiresTransactionalMFA = true }])
        try await world.enrol(secret: Self.secret)
        let visitor = Visitor()
        for _ in 0..<2 {
            let asked: [String: String?] = ["audience": Samples.api, "scope": "openid pay:send"]
            let answer = try await world.authorize(visitor, asked)
            let open =
                try answer.page.step == .logIn ? try await world.logIn(answer.page.id, visitor).page : answer.page
            let done = visitor.take(try await world.second.logIn(open, code: try code(world), now: world.now))
            _ = try await world.code(done.response)
            world.world.clock.advance(by: .seconds(30))
        }
    }

    @Test("Forms of another step are refused, and \"not you\" begins anew")
    func otherSteps() async throws {
        let world = try await LogInWorld(tenant: Self.tenant(.always), phone: true)
        let visitor = Visitor()
        let page = try await pending(world, visitor)
        for failure in [
            try await interactionFailure { _ = try await world.allow(page) },
            try await interactionFailure { _ = try await world.logIn(page.id, visitor) },
            try await interactionFailure { _ = try await world.second.logIn(page, code: "123456", now: world.now) },
            try await interactionFailure { _ = try await world.second.enrollment(page, now: world.now) },
            try await interactionFailure {
                _ = try await world.logIn.selectAccount(page, other: false, now: world.now)
            },
        ] { #expect(failure.reason == .otherStep) }
        let again = try await world.logIn.selectAccount(page, other: true, now: world.now).page
        #expect(again.step == .logIn)
        #expect(again.user == nil)
    }
}
