import AuthorizationCore
@testable import Flows
import Localization
import OAuthWire
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Logging in, signing up and passwords")
struct LoginTests {
    @Test("A wrong password and an unknown address get the same answer for the same work")
    func sameAnswer() async throws {
        let fixture = try await LoginFixture()
        let visitor = Visitor()
        let page = try await fixture.authorize(visitor).page
        let wrong = try await interactionFailure { _ = try await fixture.logIn(page.id, visitor, password: "wrong") }
        #expect(fixture.passwords.comparisons == 1)
        let unknown = try await interactionFailure {
            _ = try await fixture.logIn(page.id, visitor, email: "bob@example.org", password: "wrong")
        }
        #expect(fixture.passwords.comparisons == 2)
        #expect(wrong == unknown)
        #expect(wrong.reason == .wrongCredentials)
        #expect(try await fixture.log("fp", "fu").map(\.kind) == ["fp", "fu"])
        #expect(try await fixture.log("fp", "fu").map(\.user) == ["auth0|ann", nil])
        #expect(try await fixture.log("fp").map(\.remoteAddress) == [FlowFixture.remote])
    }

    @Test("The hash for unknown addresses logs nobody in, and neither does a password that is too long")
    func nobody() async throws {
        let fixture = try await LoginFixture()
        let visitor = Visitor()
        let page = try await fixture.authorize(visitor).page
        for (email, password) in [
            ("bob@example.org", "nothing"), ("ann@example.org", ""),
            ("ann@example.org", String(repeating: "x", count: 10_000)),
        ] {
            let failure = try await interactionFailure {
                _ = try await fixture.logIn(page.id, visitor, email: email, password: password)
            }
            #expect(failure.reason == .wrongCredentials)
        }
        let failure = try await interactionFailure {
            _ = try await fixture.logIn(page.id, visitor, email: "no@address", password: "x")
        }
        #expect(failure.reason == .email)
    }

    @Test("Upper case and spaces in the typed address do not matter")
    func spelling() async throws {
        let fixture = try await LoginFixture()
        let visitor = Visitor()
        let page = try await fixture.authorize(visitor).page
        _ = try await fixture.logIn(page.id, visitor, email: " Ann@Example.ORG ").response
        #expect(try await fixture.count(.sessions) == 1)
    }

    @Test("RFC 8265 4.2.2: a password logs in however its letters are composed, and an older hash is renewed")
    func composition() async throws {
        let (composed, decomposed) = ("über den Fluss", "u\u{308}ber den Fluss")
        for (kept, typed) in [
            (PlainPasswords.encoded(composed), decomposed), (PlainPasswords.encoded(decomposed), decomposed),
        ] {
            let fixture = try await LoginFixture()
            let before = try #require(try await fixture.store.account(UserID("auth0|ann"), tenant: fixture.tenant.id))
            let old = try #require(before.passwordHash)
            #expect(
                try await fixture.store.replacePasswordHash(
                    of: before.user.id, old, by: kept, tenant: fixture.tenant.id))
            let visitor = Visitor()
            let page = try await fixture.authorize(visitor).page
            _ = try await fixture.logIn(page.id, visitor, password: typed).response
            let after = try await fixture.store.account(before.user.id, tenant: fixture.tenant.id)
            #expect(after?.passwordHash == PlainPasswords.encoded(composed))
        }
    }

    @Test("A wrong password costs the same for a known and an unknown address, however it is composed")
    func composedWork() async throws {
        let fixture = try await LoginFixture()
        let visitor = Visitor()
        let page = try await fixture.authorize(visitor).page
        for (index, email) in ["ann@example.org", "bob@example.org"].enumerated() {
            _ = try await interactionFailure {
                _ = try await fixture.logIn(page.id, visitor, email: email, password: "u\u{308}ber")
            }
            #expect(fixture.passwords.comparisons == 2 * (index + 1))
        }
    }

    @Test("A block is revealed only with the right password")
    func blocked() async throws {
        let fixture = try await LoginFixture(ann: { $0.blocked = true })
        let visitor = Visitor()
        let page = try await fixture.authorize(visitor).page
        let wrong = try await interactionFailure { _ = try await fixture.logIn(page.id, visitor, password: "wrong") }
        #expect(wrong.reason == .wrongCredentials)
        let right = try await interactionFailure { _ = try await fixture.logIn(page.id, visitor) }
        #expect(right.reason == .userBlocked)
        #expect(try await fixture.log("f").count == 1)
        #expect(try await fixture.count(.sessions) == 0)
    }

    // MARK: brute force

    static let strict = Samples.tenant {
        $0.settings.bruteForceProtection.attemptsPerAddress = 3
        $0.settings.bruteForceProtection.attemptsPerAccount = 5
        $0.settings.bruteForceProtection.window = 600
    }

    func guess(
        _ fixture: LoginFixture, _ times: Int, from address: String, email: String = "ann@example.org"
    ) async throws -> [InteractionFailure.Reason] {
        let visitor = Visitor(address)
        let page = try await fixture.authorize(visitor).page
        var reasons: [InteractionFailure.Reason] = []
        for _ in 0..<times {
            reasons.append(
                try await interactionFailure {
                    _ = try await fixture.logIn(page.id, visitor, email: email, password: "guess")
                }.reason)
        }
        return reasons
    }

    private func logIn(_ fixture: LoginFixture, from address: String) async throws {
        let visitor = Visitor(address)
        _ = try await fixture.enter(visitor).response
    }

    @Test("Wrong passwords block the account from their address, for the right password too, with one mail")
    func perAddress() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict)
        #expect(
            try await guess(fixture, 5, from: "192.0.2.1") == [
                .wrongCredentials, .wrongCredentials, .wrongCredentials, .tooManyAttempts, .tooManyAttempts,
            ])
        let blocked = try await interactionFailure { try await logIn(fixture, from: "192.0.2.1") }
        #expect(blocked.reason == .tooManyAttempts)
        #expect(blocked.retryAfter == 600)
        #expect(fixture.passwords.comparisons == 3, "a blocked attempt tries nothing")
        try await logIn(fixture, from: "192.0.2.2")
        #expect(try await fixture.log("limit_wc").count == 1)
        let mail = try #require(try await fixture.mails().first)
        #expect(try await fixture.mails().count == 1)
        #expect(mail["to"] == "ann@example.org")
        #expect(mail["text"]?.stringValue?.contains("from the address 192.0.2.1") == true)
    }

    @Test("Wrong passwords from everywhere together block the account from everywhere")
    func perAccount() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict, ann: { $0.language = .french })
        _ = try await guess(fixture, 2, from: "192.0.2.1")
        _ = try await guess(fixture, 2, from: "192.0.2.2")
        #expect(try await guess(fixture, 2, from: "192.0.2.3") == [.wrongCredentials, .tooManyAttempts])
        #expect(try await interactionFailure { try await logIn(fixture, from: "192.0.2.9") }.reason == .tooManyAttempts)
        #expect(try await fixture.mails().map { $0["subject"]?.stringValue } == ["Tenant dev : connexion bloquée"])
    }

    @Test("A block ends with its window")
    func window() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict)
        _ = try await guess(fixture, 3, from: "192.0.2.1")
        fixture.fixture.clock.advance(by: .seconds(599))
        #expect(try await interactionFailure { try await logIn(fixture, from: "192.0.2.1") }.reason == .tooManyAttempts)
        fixture.fixture.clock.advance(by: .seconds(2))
        try await logIn(fixture, from: "192.0.2.1")
    }

    @Test("A right password forgives wrong ones from its address, and not those from elsewhere")
    func forgiven() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict)
        for _ in 0..<2 {
            _ = try await guess(fixture, 2, from: "192.0.2.1")
            try await logIn(fixture, from: "192.0.2.1")
        }
        #expect(try await guess(fixture, 2, from: "192.0.2.2") == [.wrongCredentials, .tooManyAttempts])
    }

    @Test("An e-mail address without an account is blocked the same, without a mail")
    func unknownBlocked() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict)
        #expect(
            try await guess(fixture, 4, from: "192.0.2.1", email: "bob@example.org") == [
                .wrongCredentials, .wrongCredentials, .wrongCredentials, .tooManyAttempts,
            ])
        #expect(try await fixture.mails().isEmpty)
    }

    @Test("A network address that tries one password at many accounts is blocked for all of them, without a mail")
    func spraying() async throws {
        let fixture = try await LoginFixture(
            tenant: Samples.tenant { $0.settings.bruteForceProtection.attemptsPerAddressInAll = 5 })
        for name in ["a", "b", "c", "d"] {
            #expect(
                try await guess(fixture, 1, from: "2001:db8:0:1::1", email: "\(name)@example.org") == [
                    .wrongCredentials
                ])
        }
        // A successful login neither counts nor forgives.
        try await logIn(fixture, from: "2001:db8:0:1::2")
        #expect(try await guess(fixture, 1, from: "2001:db8:0:1::3") == [.wrongCredentials])
        let comparisons = fixture.passwords.comparisons
        let blocked = try await interactionFailure { try await logIn(fixture, from: "2001:db8:0:1::1") }
        #expect(blocked.reason == .tooManyAttempts)
        #expect(blocked.retryAfter == 3600)
        #expect(blocked.texts.first?[.english].contains("from your network") == true)
        #expect(blocked.texts.first?[.french].contains("depuis votre réseau") == true)
        #expect(fixture.passwords.comparisons == comparisons, "a blocked attempt tries nothing")
        #expect(try await fixture.log("limit_mu").count == 1)
        #expect(try await fixture.log("limit_wc").isEmpty)
        #expect(try await fixture.mails().isEmpty)
        try await logIn(fixture, from: "2001:db8:0:2::1")
        fixture.fixture.clock.advance(by: .seconds(3601))
        try await logIn(fixture, from: "2001:db8:0:1::1")
    }

    @Test("Sign-ups from one address are limited")
    func manySignUps() async throws {
        let fixture = try await LoginFixture(
            tenant: Samples.tenant { $0.settings.bruteForceProtection.attemptsPerAddressInAll = 3 })
        for name in ["a", "b", "c"] { _ = try await signUp(fixture, Visitor(), email: "\(name)@example.com").response }
        let failure = try await interactionFailure {
            _ = try await signUp(fixture, Visitor(), email: "d@example.com")
        }
        #expect(failure.reason == .tooManyAttempts)
        _ = try await signUp(fixture, Visitor("192.0.2.99"), email: "d@example.com").response
    }

    @Test("Attempts at unknown accounts leave thirty entries a minute; attempts at a known one leave all")
    func strangers() async throws {
        let fixture = try await LoginFixture()
        for number in 0..<40 {
            _ = try await guess(fixture, 1, from: "192.0.2.\(number)", email: "nobody-\(number)@example.org")
        }
        #expect(try await fixture.log("fu").count == 30)
        _ = try await guess(fixture, 11, from: "192.0.2.99", email: "nobody@example.org")
        #expect(try await fixture.log("fu", "limit_wc").count == 30)
        _ = try await guess(fixture, 11, from: "192.0.2.99")
        #expect(try await fixture.log("fp").count == 10)
        #expect(try await fixture.log("limit_wc").count == 1)
    }

    // MARK: sign-up

    @Test("Sign-ups with addresses that are taken leave thirty entries a minute")
    func takenOnAndOn() async throws {
        let fixture = try await LoginFixture()
        for number in 0..<40 {
            _ = try await interactionFailure {
                _ = try await signUp(fixture, Visitor("192.0.2.\(number)"), email: "ann@example.org")
            }
        }
        #expect(try await fixture.log("fs").count == 30)
    }

    private func signUp(
        _ fixture: LoginFixture, _ visitor: Visitor, email: String = "bob@example.org",
        password: String = "battery staple", name: String? = "Bob"
    ) async throws -> AuthorizationAnswer {
        let page = try await fixture.authorize(visitor, ["screen_hint": "signup"]).page
        return visitor.take(
            try await fixture.signUp.signUp(
                try await fixture.open(page.id, visitor), email: email, password: password, name: name,
                language: .english))
    }

    @Test("Signing up makes a user of the database and logs them in")
    func signUp() async throws {
        let fixture = try await LoginFixture()
        let code = try await fixture.code(signUp(fixture, Visitor()).response)
        #expect(code.access.user.rawValue.hasPrefix("auth0|"))
        let account = try #require(try await fixture.store.account(email: "bob@example.org", tenant: fixture.tenant.id))
        #expect(account.user.id == code.access.user)
        #expect(account.user.name == "Bob")
        #expect(!account.user.emailVerified)
        #expect(try await fixture.log("ss").count == 1)
        let visitor = Visitor()
        let page = try await fixture.authorize(visitor).page
        _ = try await fixture.logIn(page.id, visitor, email: "bob@example.org", password: "battery staple").response
    }

    @Test("A user without a name gets the address as name, as Auth0 does")
    func nameless() async throws {
        let fixture = try await LoginFixture()
        _ = try await signUp(fixture, Visitor(), name: nil).response
        let account = try #require(try await fixture.store.account(email: "bob@example.org", tenant: fixture.tenant.id))
        #expect(account.user.name == "bob@example.org")
        #expect(account.user.nickname == "bob")
    }

    @Test("The sign-up form rarely and only indirectly reveals that an address is taken")
    func taken() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict)
        for reason: InteractionFailure.Reason in [.cannotSignUp, .cannotSignUp, .cannotSignUp, .tooManyAttempts] {
            let failure = try await interactionFailure {
                _ = try await signUp(fixture, Visitor(), email: "ANN@example.org")
            }
            #expect(failure.reason == reason)
        }
        #expect(try await fixture.log("fs").count == 3)
        _ = try await signUp(fixture, Visitor("192.0.2.99"), email: "carol@example.org").response
    }

    @Test("Many taken addresses at once use up the sign-ups of their network address, and of no other")
    func takenAtOnce() async throws {
        let fixture = try await LoginFixture(
            tenant: Samples.tenant { tenant in
                tenant.settings.bruteForceProtection.attemptsPerAddress = 3
                tenant.settings.bruteForceProtection.attemptsPerAccount = 5
            })
        func attempts(_ number: Int, from network: String) async throws -> [InteractionFailure.Reason] {
            try await withThrowingTaskGroup(of: InteractionFailure.Reason.self) { group in
                for host in 1...number {
                    group.addTask {
                        try await interactionFailure {
                            _ = try await signUp(fixture, Visitor("\(network)::\(host)"), email: "ann@example.org")
                        }.reason
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        _ = try await attempts(20, from: "2001:db8:0:1")
        #expect(try await attempts(1, from: "2001:db8:0:1") == [.tooManyAttempts])
        #expect(try await attempts(1, from: "2001:db8:0:2") == [.cannotSignUp])
        _ = try await signUp(fixture, Visitor("2001:db8:0:3::1"), email: "carol@example.org").response
    }

    @Test("A weak password is refused with every reason, and nothing is kept")
    func weak() async throws {
        let fixture = try await LoginFixture()
        let failure = try await interactionFailure { _ = try await signUp(fixture, Visitor(), password: "bob") }
        #expect(failure.reason == .password)
        #expect(failure.texts.count == 2)
        #expect(try await fixture.store.account(email: "bob@example.org", tenant: fixture.tenant.id) == nil)
    }

    @Test("Nobody signs up if the database does not allow it")
    func notAllowed() async throws {
        let fixture = try await LoginFixture(connections: [
            LoginConnection(name: "db", displayName: "", kind: .database(allowsSignUp: false))
        ])
        #expect(try await interactionFailure { _ = try await signUp(fixture, Visitor()) }.reason == .otherStep)
    }

    @Test("RFC 9106: a hash of another cost is replaced at the next login, and only if the password is right")
    func raisedCost() async throws {
        let fixture = try await LoginFixture()
        let (tenant, user) = (fixture.tenant.id, UserID("auth0|ann"))
        func stored() async throws -> String? { try await fixture.store.account(user, tenant: tenant)?.passwordHash }
        let outdated = PlainPasswords.outdated(LoginFixture.password)
        #expect(
            try await fixture.store.replacePasswordHash(
                of: user, PlainPasswords.encoded(LoginFixture.password), by: outdated, tenant: tenant))
        let page = try await fixture.authorize(Visitor()).page
        _ = try await interactionFailure {
            _ = try await fixture.logIn.logIn(page, name: "ann@example.org", password: "wrong")
        }
        #expect(try await stored() == outdated)
        _ = try await fixture.enter(Visitor()).response
        #expect(try await stored() == PlainPasswords.encoded(LoginFixture.password))
    }

    // MARK: upstream

    @Test("A user whom another provider authenticated goes on, by a connection that the client may use")
    func upstream() async throws {
        let fixture = try await LoginFixture(connections: [.defaultDatabase, LoginFixture.github])
        let visitor = Visitor()
        let page = try await fixture.authorize(visitor, ["connection": "github"]).page
        #expect(page.step == .upstream(connection: "github"))
        let kept = try await fixture.upstream.keepAttempt(["state_hash": "abc"], in: page)
        let (attempt, back) = try await fixture.upstream.takeAttempt(
            from: try await fixture.open(kept.id, visitor))
        #expect(attempt == ["state_hash": "abc"])
        let again = try await fixture.open(kept.id, visitor)
        #expect(
            try await interactionFailure { _ = try await fixture.upstream.takeAttempt(from: again) }.reason
                == .otherStep)
        let ann = Samples.account()
        #expect(
            try await interactionFailure {
                _ = try await fixture.upstream.logIn(back, as: ann, connection: "gitlab", at: nil)
            }.reason == .otherStep)
        let answer = visitor.take(
            try await fixture.upstream.logIn(back, as: ann, connection: "github", at: nil))
        #expect(try await fixture.code(answer.response).access.methods == ["fed"])
        let blocked = Samples.account("github|1") { $0.blocked = true }
        let other = try await fixture.authorize(Visitor()).page
        #expect(
            try await interactionFailure {
                _ = try await fixture.upstream.logIn(
                    other, as: blocked, connection: "github", at: nil)
            }.reason == .userBlocked)
    }

    @Test("A session of a connection that the client may not use does not count for it")
    func foreignConnection() async throws {
        var github = LoginFixture.github
        github.enabledClients = [ClientID("second")]
        let fixture = try await LoginFixture(
            clients: [LoginFixture.app(), LoginFixture.app("second")], connections: [.defaultDatabase, github])
        let visitor = Visitor()
        let page = try await fixture.authorize(visitor, ["connection": "github", "client_id": "second"]).page
        _ = visitor.take(
            try await fixture.upstream.logIn(
                page, as: Samples.account(), connection: "github", at: nil))
        #expect(try await fixture.authorize(visitor, ["client_id": "second", "prompt": "none"]).error == nil)
        #expect(try await fixture.authorize(visitor, ["prompt": "none"]).error == "login_required")
        #expect(try await fixture.authorize(visitor).page.step == .logIn)
        #expect(try await fixture.authorize(visitor, ["prompt": "select_account"]).page.step == .logIn)
        // A login here makes another session, which the client that may use both accepts.
        _ = try await fixture.enter(visitor)
        #expect(try await fixture.authorize(visitor, ["client_id": "second", "prompt": "none"]).error == nil)
    }
}
