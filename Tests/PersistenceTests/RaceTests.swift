import Audit
import AuthorizationCore
import Configuration
@testable import Flows
import Persistence
import PostgreSQLCluster
import Primitives
import SQL
import Synchronization
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Races between two nodes for one row each: `make races` runs 200,000 of each kind, and the tests a few.
@Suite(
    "Two nodes race for one row, and exactly one wins",
    .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL server is installed"))
struct RaceTests {
    private static let races = getenv("COUNTERSIGN_RACES").flatMap { Int(String(cString: $0)) } ?? 100
    /// Races of one person, so that counting a person's requests stays short.
    private static let share = 50
    private static let workers = 8
    private static let tenant = LoginSamples.tenant
    private static let now = LoginSamples.start + .seconds(10)

    private final class Course: Sendable {
        let next = Atomic<Int>(0)
        let wins = Mutex<[Kind: Int]>([:])
    }

    private enum Kind: String, CaseIterable { case key, decision, redemption, rotation, jti, ticket }

    @Test("Idempotency-Key, decision, redemption, rotation, jti and ticket")
    func races() async throws {
        let made = try await StoreKind.postgreSQL.populated()
        try await made.withSecondStore { other in
            let course = Course()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.workers {
                    group.addTask {
                        while true {
                            let first = course.next.add(Self.share, ordering: .relaxed).oldValue
                            guard first < Self.races else { return }
                            let numbers = first..<min(first + Self.share, Self.races)
                            let won = try await Self.race(numbers, made, other)
                            course.wins.withLock { $0.merge(won, uniquingKeysWith: +) }
                            Self.report(numbers.upperBound)
                        }
                    }
                }
                try await group.waitForAll()
            }
            for kind in Kind.allCases { #expect(course.wins.withLock { $0[kind] } == Self.races, "\(kind)") }
        }
        try await check(made)
    }

    /// Compares the tables: each thing is there once, with one entry of the log.
    private func check(_ made: TemporaryStore) async throws {
        func count(_ table: String) async throws -> Int {
            try await made.database.first("SELECT count(*) FROM \(raw: table)") { try $0.int(0) } ?? 0
        }
        #expect(try await count("backchannel_request WHERE state = 3") == Self.races)
        #expect(try await count("approval") == Self.races)
        #expect(try await count("refresh_token_family WHERE counter = 1") == Self.races)
        #expect(try await count("used_token") == Self.races)
        let enrolled = (Self.races + Self.share - 1) / Self.share
        #expect(try await count("enrollment_ticket WHERE used_by IS NOT NULL") == Self.races + enrolled)
        let kinds = try await made.database.query("SELECT kind, count(*) FROM audit_log GROUP BY kind") {
            (try $0.text(0), try $0.int(1))
        }
        let entries = Dictionary(uniqueKeysWithValues: kinds)
        for kind: AuditEvent.Kind in [.backchannelStarted, .approved, .exchanged, .refreshTokenExchanged] {
            #expect(entries[kind.rawValue] == Self.races, "\(kind)")
        }
    }

    private static func report(_ done: Int) {
        guard races >= 10_000, done / 10_000 != (done - share) / 10_000 else { return }
        print("races: \(done) of \(races) of each kind")
    }

    /// Makes both attempts at once.
    private static func both<Result: Sendable>(
        _ one: Store, _ two: Store, _ attempt: @escaping @Sendable (Store) async throws -> Result
    ) async throws -> [Result] {
        async let first = attempt(one)
        async let second = attempt(two)
        return try await [first, second]
    }

    /// Races of one person. Returns how many were won once.
    private static func race(
        _ numbers: Range<Int>, _ made: TemporaryStore, _ other: Store
    ) async throws -> [Kind: Int] {
        let user = UserID("auth0|\(numbers.lowerBound)")
        let phone = DeviceID("dev_\(numbers.lowerBound)")
        let store = made.store
        try await store.change { try $0.put(Samples.user(user.rawValue), passwordHash: nil, in: tenant) }
        try await made.enrolled(try Samples.device(phone.rawValue, user: user.rawValue, identifier: "decides"))
        var won: [Kind: Int] = [:]
        func note(_ kind: Kind, _ isOnce: Bool) { won[kind, default: 0] += isOnce ? 1 : 0 }
        for number in numbers {
            let name = "race \(number)"
            let hash = LoginSamples.hash(name)
            let key = StartKey(hash: hash, body: [1])
            let starts = try await both(store, other) { store in
                try await made.started(name, user: user.rawValue, devices: [phone.rawValue], key: key, in: store)
            }
            note(.key, starts.count { if case .started = $0 { true } else { false } } == 1)
            let decisions = try await both(store, other) { store in
                try await made.resolve(name, device: phone.rawValue, at: now, in: store)
            }
            note(.decision, decisions.count { $0 != .notPending } == 1)
            let access = LoginSamples.access(name, user: user)
            let redemptions = try await both(store, other) { store in
                try await store.redeem(
                    Redemption(
                        hash: AuthReqIDHash(of: name, Samples.hashing), client: LoginSamples.agent, user: user,
                        login: nil, tenant: tenant, now: now, refreshToken: LoginSamples.family(hash, access: access),
                        event: AuditEvent(.exchanged, tenant: tenant, at: now)))
            }
            note(.redemption, redemptions.count { $0 } == 1)
            let rotations = try await both(store, other) { store in
                try await store.rotate(
                    hash, from: 0, tenant: tenant, now: now, idleExpiresAt: nil,
                    event: LoginSamples.event(.refreshTokenExchanged))
            }
            note(.rotation, rotations.count { $0 } == 1)
            let uses = try await both(store, other) { store in
                try await store.use(hash, tenant: tenant, until: now + .seconds(60))
            }
            note(.jti, uses.count { $0 } == 1)
            note(.ticket, try await ticketRace(number, of: user, store, other))
        }
        return won
    }

    private static func ticketRace(
        _ number: Int, of user: UserID, _ store: Store, _ other: Store
    ) async throws -> Bool {
        let ticket = LoginSamples.hash("ticket \(number)")
        let created = LoginSamples.event(.enrollmentTicketCreated)
        _ = try await store.createTicket(
            EnrollmentTicket(
                hash: ticket, tenant: tenant, user: user, createdAt: Samples.start, expiresAt: now + .seconds(600)),
            event: created)
        // Enrolling the same phone again takes the place of the one before.
        let enrolled = try await both(store, other) { store in
            let id = "ticket_\(number)_\(UInt64.random(in: 0 ... .max))"
            return try await store.enroll(
                try Samples.device(id, user: user.rawValue, identifier: "enrols"), tokenHash: [1], sealedTOTP: nil,
                ticket: ticket, now: now, event: LoginSamples.event(.enrolled))
        }
        return enrolled.count { $0 } == 1
    }
}
