import Audit
import AuthorizationCore
import Configuration
@testable import Flows
import OpenSSLCrypto
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: authenticator apps")
struct AuthenticatorContractTests {
    private let author = AccountAuthor(
        user: LoginSamples.ann, tenant: LoginSamples.tenant, session: SessionID("session"),
        cookie: LoginSamples.hash("session"))

    private func add(
        _ made: TemporaryStore, to user: UserID = LoginSamples.ann, tenant: TenantID = LoginSamples.tenant
    ) async throws -> AuthenticatorID {
        let new = try NewAuthenticator(
            ForeignAuthenticator(TimedPassword(base32: "JBSWY3DPEHPK3PXP"), named: "Work"), of: user, tenant: tenant,
            at: LoginSamples.start,
            Samples.sealer, SystemRandom())
        try await made.store.change { try $0.add(new, in: tenant) }
        return new.authenticator.id
    }

    @Test("They are their person's, come behind the phones, and end with the person", arguments: StoreKind.all)
    func kept(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let id = try await add(made)
        try await made.enrolled(Samples.device("dev_one", identifier: "A"), sealedTOTP: [1, 2])
        _ = try await add(made, to: LoginSamples.bob)
        let (ann, tenant) = (LoginSamples.ann, LoginSamples.tenant)
        let kept = try await made.store.oneTimePasswords(of: ann, tenant: tenant)
        #expect(kept.map(\.holder) == [.device(DeviceID("dev_one")), .authenticator(id)])
        #expect(try await made.store.oneTimePasswords(of: ann, tenant: LoginSamples.other).isEmpty)
        #expect(try await made.store.authenticators(of: ann, tenant: tenant).map(\.name) == ["Work"])
        try await made.delete(ann)
        #expect(try await made.database.count("authenticator") == 1)
    }

    @Test("RFC 6238 clause 5.2: a code is accepted once, by one of 100 at the same time", arguments: StoreKind.all)
    func once(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let id = try await add(made)
        @Sendable func use(_ step: Int64, _ tenant: TenantID = LoginSamples.tenant) async throws -> Bool {
            try await made.store.useOneTimePassword(.authenticator(id), step: step, tenant: tenant)
        }
        #expect(try await use(7, LoginSamples.other) == false)
        #expect(try await winners { _ in try await use(7) } == 1)
        #expect(try await use(6) == false)
        #expect(try await use(8))
    }

    @Test(
        "The account page removes the author's own, and earlier second factors count no more", arguments: StoreKind.all)
    func removed(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        let (id, other) = (try await add(made), try await add(made, to: LoginSamples.bob))
        let event = AuditEvent(.accountChanged, tenant: author.tenant, at: LoginSamples.start, user: author.user)
        #expect(try await made.store.apply(.removeAuthenticator(other), by: author, event: event, mail: nil) == nil)
        #expect(try await made.store.apply(.removeAuthenticator(id), by: author, event: event, mail: nil) != nil)
        #expect(try await made.store.apply(.removeAuthenticator(id), by: author, event: event, mail: nil) == nil)
        #expect(try await made.database.count("authenticator") == 1)
        let approver = try await made.store.approver(.id(author.user), tenant: author.tenant)
        #expect(approver?.factorRemovedAt == LoginSamples.start)
    }

    @Test("A login's code for a first phone enrols nobody who has an authenticator app", arguments: StoreKind.all)
    func enrolment(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let ann = LoginSamples.ann
        func ticket(_ name: String, ofLogin: Bool) -> EnrollmentTicket {
            EnrollmentTicket(
                hash: LoginSamples.hash(name), tenant: author.tenant, user: ann, createdAt: LoginSamples.start,
                expiresAt: LoginSamples.start + .seconds(60), accessEndings: ofLogin ? 0 : nil, isForFirstDevice: true)
        }
        let event = AuditEvent(.enrollmentTicketCreated, tenant: author.tenant, at: LoginSamples.start, user: ann)
        for (name, ofLogin) in [("login", true), ("invitation", false)] {
            #expect(try await made.store.createTicket(ticket(name, ofLogin: ofLogin), event: event))
        }
        func isUsable(_ name: String) async throws -> Bool {
            try await made.store.ticket(LoginSamples.hash(name), tenant: author.tenant, now: LoginSamples.start) != nil
        }
        #expect(try await isUsable("login"))
        _ = try await add(made)
        #expect(try await !isUsable("login"), "the password alone is not enough any more")
        #expect(try await !isUsable("invitation"), "nor is a mail from before")
    }
}
