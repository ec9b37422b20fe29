import Audit
import AuthorizationCore
import Configuration
@testable import Flows
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Addresses that refuse mail")
struct BounceContractTests {
    private static let tenant = LoginSamples.tenant

    private func event(_ user: UserID) -> AuditEvent {
        AuditEvent(.emailBounced, tenant: Self.tenant, at: Samples.start, user: user)
    }

    @Test(
        "A refused address is noted once, and forgotten when it changes or is verified anew", arguments: StoreKind.all)
    func life(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let store = made.store
        try await store.change { transaction in
            for (id, email) in [("auth0|dora", "dora@example.org"), ("auth0|bob", "bob@example.org")]
                as [(String, EmailAddress)]
            {
                var user = User(id: UserID(id), createdAt: Samples.start)
                (user.email, user.emailVerified) = (email, true)
                try transaction.put(user, passwordHash: nil, in: Self.tenant)
            }
        }
        let address = try #require(EmailAddress(parsing: "dora@example.org"))
        let bounce = EmailBounce(at: Samples.start, status: "5.1.1")
        func retire() async throws -> [UserID] {
            try await store.retire(address: address, of: Self.tenant, bounce: bounce, mailedAt: Samples.start) {
                self.event($0)
            }
        }
        func dora() async throws -> User? { try await store.account(UserID("auth0|dora"), tenant: Self.tenant)?.user }
        func put(_ change: @escaping @Sendable (inout User) -> Void) async throws {
            guard var user = try await dora() else { return }
            change(&user)
            let changed = user
            try await store.change { try $0.put(changed, passwordHash: nil, in: Self.tenant) }
        }
        #expect(try await dora()?.approvalAddress != nil)
        #expect(try await retire().map(\.rawValue) == ["auth0|dora"])
        #expect(try await retire().isEmpty)
        #expect(try await dora()?.emailBounce == bounce)
        #expect(try await dora()?.approvalAddress == nil)
        try await put { $0.name = "Ann" }
        #expect(try await dora()?.emailBounce == bounce, "another change keeps it")
        try await put { $0.emailVerified = false }
        #expect(try await dora()?.emailBounce == bounce)
        try await put { $0.emailVerified = true }
        #expect(try await dora()?.approvalAddress != nil)
        _ = try await retire()
        try await put { $0.email = "dora@example.net" }
        #expect(try await dora()?.emailBounce == nil)
        #expect(try await store.account(UserID("auth0|bob"), tenant: Self.tenant)?.user.approvalAddress != nil)
        #expect(try await made.database.auditLog("email_bounced").count == 2)
    }

    @Test(
        "A refusal of a mail from before the address was verified says nothing of it, however it was verified",
        arguments: StoreKind.all)
    func verifiedSince(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let store = made.store
        let (mailed, verified) = (Samples.start, Samples.start + .seconds(60))
        @Sendable func ticket(_ kind: UserTicket.Kind, _ hash: [UInt8], _ user: User) -> UserTicket {
            UserTicket(
                kind: kind, hash: hash, user: user.id, email: user.email, provesEmail: true, resultURL: nil,
                createdAt: mailed, expiresAt: verified + .seconds(60), isForFirstDevice: false)
        }
        let ways: [@Sendable (User) async throws -> Bool] = [
            { user in
                var changed = user
                (changed.emailVerified, changed.updatedAt) = (true, verified)
                let now = changed
                try await store.change { try $0.put(now, passwordHash: nil, in: Self.tenant) }
                return true
            },
            { user in
                let hash = [UInt8](repeating: 1, count: 32)
                let made = ticket(.email, hash, user)
                try await store.change { try $0.put(made, in: Self.tenant) }
                return try await store.verifyEmail(
                    ticket: hash, tenant: Self.tenant, now: verified, event: self.event(user.id))
            },
            { user in
                let hash = [UInt8](repeating: 2, count: 32)
                let made = ticket(.password, hash, user)
                try await store.change { try $0.put(made, in: Self.tenant) }
                return try await store.setPassword(
                    "hash", ticket: hash, forgiving: nil, tenant: Self.tenant, now: verified,
                    event: self.event(user.id)
                ) { _ in nil }
            },
        ]
        for (index, verify) in ways.enumerated() {
            let address = try #require(EmailAddress(parsing: "dora\(index)@example.org"))
            var dora = User(id: UserID("auth0|dora\(index)"), createdAt: Samples.start)
            dora.email = address
            let user = dora
            func retire(mailedAt: Timestamp) async throws -> Bool {
                try await !store.retire(
                    address: address, of: Self.tenant, bounce: EmailBounce(at: verified, status: "5.1.1"),
                    mailedAt: mailedAt
                ) { self.event($0) }.isEmpty
            }
            try await store.change { try $0.put(user, passwordHash: nil, in: Self.tenant) }
            #expect(try await retire(mailedAt: mailed), "\(index): it is not verified")
            #expect(try await verify(user))
            #expect(try await !retire(mailedAt: mailed), "\(index)")
            #expect(try await store.account(user.id, tenant: Self.tenant)?.user.approvalAddress == address, "\(index)")
            #expect(try await retire(mailedAt: verified), "\(index): a later mail")
        }
    }

    @Test("The mail of a request that came back is settled anew, once, and no other entry is", arguments: StoreKind.all)
    func reopened(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started(channel: .email)
        try await made.store.enqueue(LoginSamples.mail())
        func due() async throws -> [DeliveryEntry] {
            try await made.store.dueDeliveries(.mail, perLane: 9, limit: 9, now: Samples.start)
        }
        let entries = try await due()
        #expect(entries.map { $0.delivery.request != nil } == [true, false])
        func reopen(_ entry: Int64, _ tenant: String = "dev") async throws -> Bool {
            try await made.store.reopen(entry, of: TenantID(tenant), problem: "it came back", now: Samples.start)
        }
        #expect(try await !reopen(entries[0].id), "it was not sent yet")
        try await made.store.settle(
            entries.map { DeliverySettlement(id: $0.id, step: .sent) }, by: "node", now: Samples.start)
        #expect(try await !reopen(entries[0].id, "other"))
        #expect(try await !reopen(entries[1].id), "it asks for nothing")
        #expect(try await reopen(entries[0].id))
        #expect(try await !reopen(entries[0].id))
        let again = try await due()
        #expect(again.map(\.id) == [entries[0].id])
        #expect(again.map(\.delivery.payload) == [Delivery.returned] && again.map(\.problem) == ["it came back"])
    }
}
