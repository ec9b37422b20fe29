@testable import Administration
import Audit
import AuthorizationCore
import Configuration
@testable import Flows
import Localization
import Primitives
import TestSupport
import Testing

@Suite("Logging in by username")
struct UsernameLoginTests {
    private static let strict = Samples.tenant {
        $0.settings.bruteForceProtection.attemptsPerAddress = 3
        $0.settings.bruteForceProtection.attemptsPerAccount = 9
        $0.settings.bruteForceProtection.window = 600
    }

    private static func withoutAddress(_ user: inout User) { (user.email, user.username) = (nil, "hanna") }

    private func failure(
        _ fixture: LoginFixture, _ name: String, _ password: String = "wrong", from address: String = "192.0.2.1"
    ) async throws -> InteractionFailure {
        let visitor = Visitor(address)
        let page = try await fixture.authorize(visitor).page
        return try await interactionFailure {
            _ = try await fixture.logIn(page.id, visitor, email: name, password: password)
        }
    }

    @Test("A person without an address logs in by username, in either case", arguments: ["hanna", " Hanna ", "HANNA"])
    func name(_ typed: String) async throws {
        let fixture = try await LoginFixture(ann: Self.withoutAddress)
        let visitor = Visitor()
        let page = try await fixture.authorize(visitor).page
        _ = try await fixture.logIn(page.id, visitor, email: typed).response
        #expect(try await fixture.session(of: visitor)?.authentication.user.rawValue == "auth0|ann")
    }

    @Test("A person with both names logs in by either")
    func both() async throws {
        let fixture = try await LoginFixture(ann: { $0.username = "hanna" })
        for name in ["hanna", "ann@example.org"] {
            let visitor = Visitor()
            let page = try await fixture.authorize(visitor).page
            _ = try await fixture.logIn(page.id, visitor, email: name).response
        }
        #expect(try await fixture.count(.sessions) == 2)
    }

    @Test("An unknown username gets the answer of an unknown address and of a wrong password, for the same work")
    func unknown() async throws {
        let fixture = try await LoginFixture(ann: Self.withoutAddress)
        let failures = [
            try await failure(fixture, "bob@example.org"), try await failure(fixture, "bob"),
            try await failure(fixture, "hanna"),
        ]
        #expect(Set(failures.map(\.reason)) == [.wrongCredentials])
        #expect(failures.allSatisfy { $0 == failures[0] })
        #expect(fixture.passwords.comparisons == 3)
    }

    @Test("An unknown username counts and blocks as a known one does")
    func unknownCounts() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict, ann: Self.withoutAddress)
        for name in ["hanna", "Bob", "bob@example.org"] {
            var reasons: [InteractionFailure.Reason] = []
            for _ in 0..<4 { reasons.append(try await failure(fixture, name).reason) }
            #expect(reasons == [.wrongCredentials, .wrongCredentials, .wrongCredentials, .tooManyAttempts], "\(name)")
        }
        #expect(try await failure(fixture, "bob").reason == .tooManyAttempts)
    }

    @Test("Guesses at a person count together, whichever name was typed, and either name shows and lifts the block")
    func together() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict, ann: { $0.username = "hanna" })
        for name in ["hanna", "ann@example.org", "Hanna"] { _ = try await failure(fixture, name) }
        #expect(try await failure(fixture, "ann@example.org", LoginFixture.password).reason == .tooManyAttempts)
        #expect(try await failure(fixture, "hanna", LoginFixture.password).reason == .tooManyAttempts)
        #expect(try await fixture.mails().map { $0["to"] } == ["ann@example.org"])
        let blocks = ManageUserBlocks(store: fixture.fixture.made.store, hashing: Samples.hashing)
        let administrator = AdministrativeContext(
            tenant: fixture.tenant.id, actor: .account("root"), now: fixture.now)
        #expect(try await blocks.lift(.identifier("hanna"), for: administrator).count == 1)
        let visitor = Visitor("192.0.2.1")
        _ = try await fixture.enter(visitor).response
    }

    @Test("An administrator sees and lifts blocks of a person without an address, and of an unknown username")
    func blocks() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict, ann: Self.withoutAddress)
        let blocks = ManageUserBlocks(store: fixture.fixture.made.store, hashing: Samples.hashing)
        let administrator = AdministrativeContext(
            tenant: fixture.tenant.id, actor: .account("root"), now: fixture.now)
        for name in ["hanna", "bob"] {
            for _ in 0..<3 { _ = try await failure(fixture, name) }
            #expect(try await blocks.lift(.identifier(name), for: administrator).map(\.identifier) == [name])
            #expect(try await failure(fixture, name).reason == .wrongCredentials)
        }
        #expect(try await fixture.mails().isEmpty, "nobody has an address")
    }

    @Test("The log names the person and the username of a known account, and no unknown text, which may be a password")
    func log() async throws {
        let fixture = try await LoginFixture(ann: Self.withoutAddress)
        for name in ["hanna", "my secret passphrase"] { _ = try await failure(fixture, name) }
        let (known, unknown) = (
            try #require(try await fixture.log("fp").first), try #require(try await fixture.log("fu").first)
        )
        #expect(known.user == "auth0|ann" && known.details.contains(#""username":"hanna""#))
        #expect(unknown.user == nil && !unknown.details.contains("passphrase"))
    }

    @Test("A database with usernames names them in its messages, whoever is meant")
    func messages() async throws {
        let database = LoginConnection(
            name: LoginConnection.defaultDatabaseName, displayName: "",
            kind: .database(allowsSignUp: true, hasUsernames: true))
        let fixture = try await LoginFixture(connections: [database], ann: Self.withoutAddress)
        for name in ["hanna", "bob", "bob@example.org"] {
            #expect(
                try await failure(fixture, name).texts.map { $0[.english] } == [
                    "Wrong e-mail address, username or password."
                ])
        }
        for text in ["", "a@b", "\u{7}"] { #expect(try await failure(fixture, text).reason == .email) }
    }
}
