import AuthorizationCore
import Flows
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: the sweep")
struct SweepContractTests {
    private func sweep(_ made: TemporaryStore, before second: Int) async throws -> Int {
        var cursor = SweepCursor()
        return try await made.store.sweep(&cursor, endedBefore: Samples.start + .seconds(second))
    }

    @Test("Requests that ended are removed, the others stay", arguments: StoreKind.all)
    func removal(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.started("short", lifetime: .seconds(10))
        try await made.started("long", lifetime: .seconds(1000))
        #expect(try await sweep(made, before: 10) == 0, "it ended at 10 s, not before")
        #expect(try await sweep(made, before: 11) == 1)
        #expect(try await made.poll("short") == nil)
        #expect(try await made.poll("long") != nil)
    }

    @Test("An undecided request is logged as expired, exactly once", arguments: StoreKind.all)
    func expiredOnce(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for name in ["undecided", "approved", "denied", "redeemed"] { try await made.started(name) }
        for name in ["approved", "redeemed"] { _ = try await made.resolve(name) }
        _ = try await made.resolve("denied", .reject(reason: nil))
        _ = try await made.redeem("redeemed")
        let removed = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { try await sweep(made, before: 1000) } }
            return try await group.reduce(0, max)
        }
        #expect(removed == 4)
        #expect(try await sweep(made, before: 1000) == 0)
        let log = try await made.database.auditLog("ciba_expired")
        #expect(log.map(\.consent) == [AuthReqIDHash(of: "undecided", Samples.hashing).consentID.rawValue])
        #expect(log.map(\.at) == [Samples.start + .seconds(300)])
    }

    @Test("What was to be told about a removed request goes with it", arguments: StoreKind.all)
    func outboxOfRemoved(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started("short", devices: ["dev_one"], lifetime: .seconds(10))
        try await made.started("long", devices: ["dev_one"], lifetime: .seconds(1000))
        _ = try await sweep(made, before: 100)
        #expect(try await made.database.count("outbox") == 1)
        #expect(try await made.store.due(.all(but: []), limit: 10, now: Samples.start).count == 1)
    }

    @Test("Tickets that expired are removed", arguments: StoreKind.all)
    func tickets(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for (byte, lifetime) in [(1, 10), (2, 1000)] as [(UInt8, Int)] {
            _ = try await made.store.createTicket(
                EnrollmentTicket(
                    hash: [byte], tenant: TenantID("dev"), user: UserID("auth0|ann"), createdAt: Samples.start,
                    expiresAt: Samples.start + .seconds(lifetime)),
                event: AuditEvent(.enrollmentTicketCreated, tenant: TenantID("dev"), at: Samples.start))
        }
        _ = try await sweep(made, before: 100)
        #expect(try await made.database.count("enrollment_ticket") == 1)
    }

    @Test("The tenant's count of undecided requests is set right", arguments: StoreKind.all)
    func gauge(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.started("a", lifetime: .seconds(10))
        try await made.started("b", lifetime: .seconds(1000))
        let limits = StartLimits(
            perMinute: 100, windowStart: Samples.start - .seconds(60), pendingPerUser: 100, pendingPerTenant: 2)
        #expect(try await made.started("c", limits: limits) == .tooManyPendingForTenant)
        _ = try await sweep(made, before: 100)
        #expect(try await made.started("d", limits: limits) == .started)
        #expect(try await made.started("e", limits: limits) == .tooManyPendingForTenant)
        // A process that begins on this database counts what is there.
        let restarted = Store(database: made.database)
        var cursor = SweepCursor()
        _ = try await restarted.sweep(&cursor, endedBefore: Samples.start)
        let (hash, request) = Samples.request("f")
        let outcome = try await restarted.start(
            NewBackchannelRequest(
                hash: hash, request: request, devices: [],
                event: AuditEvent(.backchannelStarted, tenant: request.tenant, at: Samples.start)), limits: limits)
        #expect(outcome == .tooManyPendingForTenant)
    }
}
