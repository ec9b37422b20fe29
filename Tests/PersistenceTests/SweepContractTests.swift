import Administration
import Audit
import AuthorizationCore
import Configuration
@testable import Flows
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Store contract: the sweep")
struct SweepContractTests {
    private func sweep(_ made: TemporaryStore, before second: Int) async throws -> Int {
        try await made.sweepAll(endedBefore: Samples.start + .seconds(second))
    }

    @Test("Ended requests are deleted, the others stay", arguments: StoreKind.all)
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
        try await made.enrolled(Samples.device())
        for name in ["undecided", "approved", "denied", "redeemed"] { try await made.started(name) }
        for name in ["approved", "redeemed"] { _ = try await made.resolve(name) }
        _ = try await made.resolve("denied", .reject(reason: nil))
        _ = try await made.redeem("redeemed")
        let removed = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { try await sweep(made, before: 1000) } }
            return try await group.reduce(0, +)
        }
        #expect(removed == 4)
        #expect(try await sweep(made, before: 1000) == 0)
        let log = try await made.database.auditLog("ciba_expired")
        #expect(log.map(\.consent) == [AuthReqIDHash(of: "undecided", Samples.hashing).consentID.rawValue])
        #expect(log.map(\.at) == [Samples.start + .seconds(1000)])
    }

    @Test(
        "An expiry is logged at once, and the request stays until its retention ends", arguments: StoreKind.all)
    func expiry(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started("undecided", lifetime: .seconds(10))
        for (second, count) in [(9, 0), (10, 1), (11, 1)] {
            var cursor = SweepCursor()
            _ = try await made.store.sweep(
                &cursor, endedBefore: Samples.start, now: Samples.start + .seconds(second))
            #expect(try await made.database.auditLog("ciba_expired").count == count, "after \(second) s")
        }
        #expect(try await made.poll("undecided")?.state == .expired)
        #expect(try await made.resolve("undecided") == .notPending)
    }

    @Test("An expired queue entry is deleted after half an hour without a worker", arguments: StoreKind.all)
    func entriesOfRemoved(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started("short", devices: ["dev_one"], lifetime: .seconds(10))
        try await made.started("long", devices: ["dev_one"], lifetime: .seconds(1000))
        _ = try await sweep(made, before: 1810)
        #expect(try await made.database.count("delivery") == 2)
        _ = try await sweep(made, before: 1811)
        #expect(try await made.database.count("delivery") == 1)
        #expect(try await made.store.dueNotices(now: Samples.start).count == 1)
    }

    @Test("Dead letters stay for 30 days", arguments: StoreKind.all)
    func deadLetters(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started(devices: ["dev_one"])
        let entries = try await made.store.dueDeliveries(
            .notifications, perLane: 9, limit: 9, now: Samples.start)
        try await made.store.settle(
            entries.map { DeliverySettlement(id: $0.id, step: .dead(problem: "410")) }, by: "node",
            now: Samples.start + .seconds(5))
        let month = 30 * 86_400
        _ = try await sweep(made, before: month + 5)
        #expect(try await made.database.count("delivery WHERE state = 1") == 1)
        _ = try await sweep(made, before: month + 6)
        #expect(try await made.database.count("delivery") == 0)
        #expect(try await made.database.auditLog("gd_send_pn_failure").isEmpty)
    }

    @Test("Expired tickets are deleted", arguments: StoreKind.all)
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

    @Test("Expired rows are deleted, and live ones stay", arguments: StoreKind.all)
    func logIn(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let tables: [StaticString] = [
            "authorization_transaction", "pushed_request", "authorization_code", "refresh_token_family", "session",
            "session_client", "password_ticket", "password_failure", "revoked_authorization",
        ]
        func counts() async throws -> [Int] {
            var counts: [Int] = []
            for table in tables { counts.append(try await made.database.count(table)) }
            return counts
        }
        // Each expires 600 s after the start. Unused sessions and families expire earlier.
        try await made.store.create(LoginSamples.transaction())
        try await made.store.push(
            PushedAuthorizationRequest(
                hash: [1], tenant: LoginSamples.tenant, client: LoginSamples.agent, parameters: "",
                expiresAt: LoginSamples.start + .seconds(600)))
        try await made.kept(LoginSamples.family(LoginSamples.hash("family"), idleLifetime: 600))
        try await made.give()
        _ = try await made.store.countFailure(
            [AttemptLimit(AttemptKey(.password, account: "ann", hashing: Samples.hashing), 9)],
            tenant: LoginSamples.tenant,
            now: LoginSamples.start,
            windowStart: LoginSamples.start - .seconds(600),
            event: LoginSamples.event(.wrongPassword))
        try await made.store.revoke(
            AuthorizationID("other"), tenant: LoginSamples.tenant, tokensExpireAt: LoginSamples.start + .seconds(600),
            event: LoginSamples.event(.tokenRevoked))
        #expect(try await counts() == tables.map { _ in 1 })
        _ = try await sweep(made, before: 110)
        #expect(try await counts() == tables.map { _ in 1 })
        _ = try await sweep(made, before: 600)
        #expect(try await counts() == [1, 1, 1, 1, 0, 0, 1, 1, 1], "the session was idle")
        _ = try await sweep(made, before: 601)
        #expect(try await counts() == [0, 0, 1, 0, 0, 0, 0, 0, 0], "the code's token lives")
        _ = try await sweep(made, before: 60 + 3600)
        #expect(try await made.database.count("authorization_code") == 1)
        _ = try await sweep(made, before: 60 + 3601)
        #expect(try await made.database.count("authorization_code") == 0)
    }

    @Test(
        "Logout notices are swept after their own lifetime, whatever the retention",
        arguments: StoreKind.all)
    func logouts(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        #expect(try await made.complete())
        try await made.store.change { transaction in
            _ = try transaction.end(session: SessionID("session"), in: LoginSamples.tenant, now: LoginSamples.start)
        }
        let due = try await made.store.dueDeliveries(
            .logoutNotices, perLane: 9, limit: 9, now: LoginSamples.start)
        let retry = DeliveryStep.retry(at: LoginSamples.start + .seconds(5), problem: "it answered 503")
        try await made.store.settle(
            [DeliverySettlement(id: try #require(due.first).id, step: retry)], by: "node", now: LoginSamples.start)
        // Without retention, all other rows are expired.
        _ = try await made.sweepAll(
            endedBefore: LoginSamples.start + .seconds(3600), now: LoginSamples.start + .seconds(3600))
        #expect(try await made.database.count("delivery WHERE queue = 'logout_notices'") == 1)
        #expect(try await made.database.auditLog("oidc_backchannel_logout_failed").isEmpty)
        _ = try await made.sweepAll(endedBefore: LoginSamples.start, now: LoginSamples.start + .seconds(3601))
        #expect(try await made.database.count("delivery WHERE queue = 'logout_notices'") == 0)
        let entries = try await made.database.auditLog("oidc_backchannel_logout_failed")
        #expect(entries.map(\.user) == ["auth0|ann"])
        #expect(entries.map(\.client) == ["agent"])
    }

    @Test("Rows beyond one step and one batch are all swept", arguments: StoreKind.all)
    func manyRows(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.database.write { connection in
            for index in 0..<6000 {
                let end = LoginSamples.start + .seconds(index.isMultiple(of: 3) ? 1000 : 10)
                try connection.execute(
                    """
                    INSERT INTO delivery (tenant, queue, recipient, payload, sealed, created_at, due_at, expires_at,
                        attempts, state)
                    VALUES ('dev', 'mail', '', '', \([UInt8(1)]), 0, 0, \(end - .seconds(1800)), 0, 0)
                    """)
                try connection.execute(
                    """
                    INSERT INTO revoked_authorization (id, tenant, expires_at)
                    VALUES (\("\(index)"), 'dev', \(end))
                    """)
            }
        }
        _ = try await sweep(made, before: 100)
        #expect(try await made.database.count("delivery") == 2000)
        #expect(try await made.database.count("revoked_authorization") == 2000)
    }

    @Test("A step reads 5,000 requests and 5,000 rows of one other table", arguments: StoreKind.all)
    func oneTableAStep(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.database.write { connection in
            for index in 0..<5001 {
                try connection.execute(
                    """
                    INSERT INTO pushed_request (hash, tenant, client, parameters, expires_at)
                    VALUES (\(Array("\(index)".utf8)), 'dev', 'agent', '', 0)
                    """)
            }
        }
        var cursor = SweepCursor()
        var left: [Int] = []
        for _ in 0..<4 {
            let before = made.accesses.reads
            _ = try await made.store.sweep(&cursor, endedBefore: Samples.start, now: Samples.start)
            #expect(made.accesses.reads == before + 2)
            left.append(try await made.database.count("pushed_request"))
        }
        #expect(left == [5001, 1, 0, 0])
    }

    @Test("A step that removed most of its rows asks for another at once")
    func behind() async throws {
        let made = try await StoreKind.all[0].populated()
        for (ended, isBehind) in [(2500, false), (2501, true)] {
            try await made.database.write { connection in
                try connection.execute("DELETE FROM authorization_transaction")
                for index in 0..<5000 {
                    try connection.execute(
                        """
                        INSERT INTO authorization_transaction (hash, tenant, client, browser_hash, parameters, progress,
                            created_at, expires_at, revision)
                        VALUES (\(Array("\(index)".utf8)), 'dev', 'agent', \([UInt8(1)]), '', '{}', 0,
                            \(index < ended ? Samples.start - .seconds(1) : Samples.start), 0)
                        """)
                }
            }
            var cursor = SweepCursor()
            _ = try await made.store.sweep(&cursor, endedBefore: Samples.start, now: Samples.start)
            #expect(cursor.isBehind == isBehind, "after \(ended)")
            _ = try await made.store.sweep(&cursor, endedBefore: Samples.start, now: Samples.start)
            #expect(!cursor.isBehind)
        }
    }

    @Test("A sweep without expired rows writes nothing", arguments: StoreKind.all)
    func nothingEnded(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started(devices: ["dev_one"])
        try await made.kept(LoginSamples.family(LoginSamples.hash("family"), idleLifetime: 600))
        let before = made.accesses.changes
        try await made.sweepAll(endedBefore: Samples.start)
        try await made.store.sweepUsedTokens(endedBefore: Samples.start)
        #expect(made.accesses.changes == before)
    }

    @Test("Decisions are kept until the end that was stored with them", arguments: StoreKind.all)
    func approvals(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        for days in [30, 10, 20] {
            let id = "\(days)"
            try await made.started(id, lifetime: .seconds(300))
            #expect(
                try await made.resolve(id, keptUntil: Samples.start + .seconds(days * 86_400))
                    == .resolved(AuthReqIDHash(of: id, Samples.hashing)))
        }
        func left(after days: Int) async throws -> Int {
            try await made.store.sweepApprovals(now: Samples.start + .seconds(days * 86_400 + 1))
            return try await made.database.count("approval")
        }
        #expect(try await left(after: 9) == 3)
        #expect(try await left(after: 10) == 2)
        #expect(try await left(after: 25) == 1)
        #expect(try await left(after: 30) == 0)
    }

    @Test("The sweep corrects the tenant's count of undecided requests", arguments: StoreKind.all)
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
        // A new process counts existing requests.
        let restarted = Store(database: made.database, hashing: Samples.hashing, rows: Samples.sealer)
        try await restarted.countPending(now: Samples.start + .seconds(100))
        let (hash, request) = Samples.request("f")
        let outcome = try await restarted.start(
            NewBackchannelRequest(
                request: try Samples.vault.seal(request, hash), devices: [],
                event: AuditEvent(.backchannelStarted, tenant: request.tenant, at: Samples.start)), limits: limits)
        #expect(outcome == .tooManyPendingForTenant)
    }

    @Test("A row that cannot be read keeps no other from its end", arguments: StoreKind.all)
    func unreadable(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for change in ["channel = 'zzz'", "expires_at = -9223372036854775808"] {
            for name in ["a", "b", "c"] { try await made.started("\(change) \(name)", lifetime: .seconds(10)) }
            try await made.database.write { connection in
                try connection.execute(
                    """
                    UPDATE backchannel_request SET \(raw: change)
                    WHERE sequence = (SELECT max(sequence) - 1 FROM backchannel_request)
                    """)
            }
            let before = try await made.database.auditLog("ciba_expired").count
            var cursor = SweepCursor()
            repeat {
                _ = try await made.store.sweep(
                    &cursor, endedBefore: Samples.start, now: Samples.start + .seconds(20))
            } while !cursor.isAtStart
            #expect(try await made.database.auditLog("ciba_expired").count == before + 2, "\(change)")
        }
        #expect(made.store.changedRowCount > 0)
        // Tables behind the one with the row are swept, too.
        try await made.database.execute(
            """
            INSERT INTO session (sequence, hash, id, tenant, "user", auth_time, methods, connection, created_at,
                expires_at, idle_expires_at, last_used_at, seal)
            VALUES (9223372036854775807, \([UInt8]([1])), 's', 'dev', 'auth0|ann', 1, '', '', 1, 1, 1, 1, \([UInt8]()));
            """)
        #expect(try await made.sweepAll(endedBefore: Samples.start) >= 0)
    }
}
