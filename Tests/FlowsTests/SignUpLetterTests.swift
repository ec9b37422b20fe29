import AuthorizationCore
import Flows
import OAuthWire
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

@Suite("Who signs up is asked by mail to confirm the address")
struct SignUpLetterTests {
    private static let strict = Samples.tenant { $0.settings.bruteForceProtection.attemptsPerAddress = 3 }

    private func signUp(
        _ world: LogInWorld, _ email: String = "bob@example.org", language: Language = .english,
        from address: String = World.remote
    ) async throws {
        let visitor = Visitor(address)
        let page = try await world.authorize(visitor, ["screen_hint": "signup"]).page
        _ = try await world.signUp.signUp(
            page, email: email, password: "battery staple", name: nil, language: language, now: world.now
        ).response
    }

    private func verifyEmail(_ world: LogInWorld) -> VerifyEmail {
        VerifyEmail(store: world.store, hashing: Samples.hashing)
    }

    private func ticket(_ world: LogInWorld) async throws -> String {
        let text = try #require(try await world.mails().last?["text"]?.stringValue)
        let link = "https://dev.example/u/email-verification?ticket="
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(link) })
        return String(line.dropFirst(link.count))
    }

    private func verify(_ world: LogInWorld, _ ticket: String) async throws -> EmailTicket {
        try await verifyEmail(world).verify(
            ticket, tenant: world.tenant, remoteAddress: World.remote, now: world.now)
    }

    private func isVerified(_ world: LogInWorld, _ email: String = "bob@example.org") async throws -> Bool? {
        try await world.store.account(email: email, tenant: world.tenant.id)?.user.emailVerified
    }

    @Test("The link in it confirms the address, once")
    func confirmed() async throws {
        let world = try await LogInWorld()
        try await signUp(world)
        #expect(try await world.mails().map { $0["to"] } == ["bob@example.org"])
        #expect(try await isVerified(world) == false)
        let ticket = try await ticket(world)
        #expect(try await verify(world, ticket).email == "bob@example.org")
        #expect(try await isVerified(world) == true)
        #expect(try await pageFailure { _ = try await verify(world, ticket) } == .ticket)
        #expect(try await world.log("svr", "sv").map(\.kind) == ["svr", "sv"])
    }

    @Test("The link ends after 24 hours")
    func ended() async throws {
        let world = try await LogInWorld()
        try await signUp(world)
        let ticket = try await ticket(world)
        world.world.clock.advance(by: .seconds(86_399))
        _ = try await verifyEmail(world).ticket(ticket, tenant: world.tenant, now: world.now)
        world.world.clock.advance(by: .seconds(1))
        #expect(try await pageFailure { _ = try await verify(world, ticket) } == .ticket)
        #expect(try await isVerified(world) == false)
    }

    @Test("It is in the language of the page")
    func french() async throws {
        let world = try await LogInWorld()
        try await signUp(world, language: .french)
        #expect(try await world.mails().first?["subject"]?.stringValue?.hasSuffix("confirmer votre adresse") == true)
    }

    @Test("There is none where the tenant wants none, nor for an address that is taken")
    func none() async throws {
        let quiet = try await LogInWorld(tenant: Samples.tenant { $0.settings.verifiesEmails = false })
        try await signUp(quiet)
        #expect(try await quiet.mails().isEmpty)
        #expect(try await quiet.log("svr", "fvr").isEmpty)
        let world = try await LogInWorld()
        #expect(
            try await interactionFailure { try await signUp(world, "ann@example.org") }.reason == .cannotSignUp)
        #expect(try await world.mails().isEmpty)
        #expect(try await world.log("svr", "fvr").isEmpty)
    }

    @Test("One address has few of them sent; who signs up from there afterwards gets an account without one")
    func fewFromAnAddress() async throws {
        let world = try await LogInWorld(tenant: Self.strict)
        for name in ["a", "b", "c", "d"] { try await signUp(world, "\(name)@example.org") }
        #expect(try await world.mails().map { $0["to"] } == ["a@example.org", "b@example.org", "c@example.org"])
        #expect(try await isVerified(world, "d@example.org") == false)
        #expect(try await world.log("fvr").count == 1)
        try await signUp(world, "e@example.org", from: "192.0.2.99")
        #expect(try await world.mails().count == 4)
        world.world.clock.advance(by: .seconds(3600))
        try await signUp(world, "f@example.org")
        #expect(try await world.mails().map { $0["to"] } == ["f@example.org"], "the window has passed")
    }

    @Test("One mailbox gets few of them, whatever stands behind its + and wherever they come from")
    func fewToAMailbox() async throws {
        let world = try await LogInWorld()
        for number in 1...7 { try await signUp(world, "bob+\(number)@example.org", from: "192.0.2.\(number)") }
        #expect(try await world.mails().count == 5)
        try await signUp(world, "bobby@example.org")
        try await signUp(world, "bob@example.com")
        #expect(try await world.mails().count == 7)
    }

    @Test("An upstream account is linked to the user of an address that was confirmed, and not before")
    func linked() async throws {
        let email = "octocat@github.example"
        let world = try await LogInWorld(tenant: Samples.tenant { $0.settings.linksVerifiedEmails = true })
        try await signUp(world, email)
        let account = try #require(try await world.store.account(email: email, tenant: world.tenant.id))
        let upstream = try UpstreamWorld(tenant: { $0.settings.linksVerifiedEmails = true })
        func logIn(as number: Int) async throws -> UserID {
            upstream.github.person.id = number
            let github = upstream.github
            let (location, _, attempt) = try await upstream.start("github")
            let callback = try await upstream.callback(
                from: location, of: HandlerClient([UpstreamWorld.github: { github.handle($0) }]))
            return try await FinishUpstreamLogIn(
                providers: upstream.providers, accounts: world.store, sealer: Samples.sealer,
                verifier: OpenSSLVerifier(), hashing: Samples.hashing
            ).finish(
                attempt, callback: callback, directory: upstream.directory, client: ClientID("app"),
                remoteAddress: nil, now: world.now
            ).user.id
        }
        #expect(try await logIn(as: 1) == UserID("github|1"))
        _ = try await verify(world, try await ticket(world))
        #expect(try await logIn(as: 2) == account.user.id)
        #expect(try await world.mails().count == 1, "whom a provider vouches for is not asked")
    }
}
