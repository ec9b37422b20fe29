import AuthorizationCore
@testable import Flows
import Localization
import OAuthWire
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("A request for a new password does not tell whether the account exists")
struct ForgottenPasswordTests {
    /// Work for an answer that its time could reveal.
    private struct Work: Equatable {
        let reads: Int
        let changes: Int
        let auditEntries: Int
        let sealedBytes: [Int]
    }

    private final class CountingSealer: Sealer {
        let sizes = Mutex<[Int]>([])

        func seal(_ plaintext: [UInt8], context: String) throws -> [UInt8] {
            sizes.withLock { $0.append(plaintext.count) }
            return try Samples.sealer.seal(plaintext, context: context)
        }

        func open(_ sealed: [UInt8], context: String) throws -> SecretBytes {
            try Samples.sealer.open(sealed, context: context)
        }
    }

    private func work(
        _ fixture: LoginFixture, for email: String, from address: String = FlowFixture.remote
    ) async throws -> Work {
        let sealer = CountingSealer()
        let recover = RecoverPassword(
            store: fixture.store, passwords: fixture.passwords, hashing: Samples.hashing,
            random: fixture.fixture.random, moving: fixture.moving,
            mail: MailComposer(sealer: sealer), refusals: fixture.fixture.refusals)
        let entries = try await fixture.fixture.made.database.auditLog().count
        let before = fixture.fixture.made.accesses
        try await recover.request(
            email: email, language: .english, context: fixture.context(address))
        let after = fixture.fixture.made.accesses
        return Work(
            reads: after.reads - before.reads, changes: after.changes - before.changes,
            auditEntries: try await fixture.fixture.made.database.auditLog().count - entries,
            sealedBytes: sealer.sizes.withLock { $0 })
    }

    @Test("An unknown address costs as much work as a known one, and gets no mail")
    func unknown() async throws {
        let fixture = try await LoginFixture()
        let known = try await work(fixture, for: "ann@example.org")
        #expect(known.changes == 1 && known.auditEntries == 1 && known.sealedBytes.count == 1)
        #expect(try await fixture.mails().count == 1)
        #expect(try await work(fixture, for: "bob@example.org") == known)
        #expect(try await fixture.mails().count == 1)
        #expect(try await fixture.log("fcpr").count == 1)
        #expect(try await fixture.log("fcpr").first?.details.contains("no such user") == true)
    }

    @Test("The address of a blocked user costs as much work, too")
    func blocked() async throws {
        let known = try await work(LoginFixture(), for: "ann@example.org")
        let fixture = try await LoginFixture(ann: { $0.blocked = true })
        #expect(try await work(fixture, for: "ann@example.org") == known)
        #expect(try await fixture.mails().isEmpty)
        #expect(try await fixture.log("fcpr").first?.details.contains("user is blocked") == true)
    }

    @Test("An address with too many requests costs as much work, known or not")
    func overLimit() async throws {
        let fixture = try await LoginFixture()
        let known = try await work(fixture, for: "ann@example.org")
        for _ in 0..<8 {
            #expect(try await work(fixture, for: "ann@example.org") == known)
            #expect(try await work(fixture, for: "bob@example.org") == known)
        }
        #expect(try await fixture.mails().count == 5)
        let refused = try await fixture.log("fcpr").filter { $0.user != nil }
        #expect(refused.count == 4)
        #expect(refused.allSatisfy { $0.details.contains("too many requests") })
    }

    @Test(
        "A stranger's many requests leave the owner requests from elsewhere, and a working link")
    func owner() async throws {
        let fixture = try await LoginFixture(
            tenant: Samples.tenant { $0.settings.bruteForceProtection.window = 604_800 })
        for _ in 0..<9 { _ = try await work(fixture, for: "ann@example.org", from: "192.0.2.1") }
        #expect(try await fixture.mails().count == 5)
        _ = try await work(fixture, for: "ann@example.org", from: "192.0.2.2")
        #expect(try await fixture.mails().count == 6)
        for host in 3..<30 { _ = try await work(fixture, for: "ann@example.org", from: "192.0.2.\(host)") }
        #expect(try await fixture.mails().count == 20)
        // However long wrong passwords count, mails count no longer than a link works.
        fixture.fixture.clock.advance(by: .seconds(3600))
        _ = try await work(fixture, for: "ann@example.org", from: "192.0.2.1")
        #expect(try await fixture.mails().count == 1)
    }

    @Test("One network address has a limit for all accounts together, and gets an error beyond it")
    func address() async throws {
        let fixture = try await LoginFixture(
            tenant: Samples.tenant { $0.settings.bruteForceProtection.attemptsPerAddressInAll = 3 })
        for name in ["a", "b", "c"] { _ = try await work(fixture, for: "\(name)@example.org") }
        let changes = fixture.fixture.made.accesses.changes
        for email in ["d@example.org", "ann@example.org"] {
            let failure = try await interactionFailure { _ = try await work(fixture, for: email) }
            #expect(failure.reason == .tooManyAttempts)
            #expect(failure.retryAfter == 3600)
        }
        #expect(fixture.fixture.made.accesses.changes == changes)
        _ = try await work(fixture, for: "ann@example.org", from: "192.0.2.99")
        #expect(try await fixture.mails().count == 1)
    }

    @Test("Endless requests leave thirty entries a minute, and cost the same with and without an account")
    func onAndOn() async throws {
        let fixture = try await LoginFixture()
        for number in 0..<40 { _ = try await work(fixture, for: "nobody-\(number)@example.org") }
        #expect(try await fixture.log("fcpr", "scpr").count == 30)
        let known = try await work(fixture, for: "ann@example.org")
        #expect(known.changes == 1 && known.auditEntries == 0)
        #expect(try await work(fixture, for: "bob@example.org") == known)
        #expect(try await fixture.mails().count == 1)
        fixture.fixture.clock.advance(by: .seconds(61))
        _ = try await work(fixture, for: "bob@example.org")
        #expect(try await fixture.log("fcpr").last?.details.contains(#""left_out":12"#) == true)
    }
}
