import Audit
import AuthorizationCore
@testable import Flows
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: starting a request under a key")
struct EarlierStartContractTests {
    private let key = StartKey(hash: [UInt8](repeating: 1, count: 32), body: [2])
    private let tenant = TenantID("dev")

    /// The start under the key as it is stored.
    private func earlier(_ name: String, body: [UInt8] = [2], in made: TemporaryStore) async throws -> EarlierStart {
        let hash = AuthReqIDHash(of: name, Samples.hashing)
        let stored = try #require(try await made.store.request(hash, tenant: tenant))
        return EarlierStart(request: stored.request, body: body)
    }

    @Test("The key finds its request and changes nothing again, also with another body", arguments: StoreKind.all)
    func repeated(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        #expect(try await made.store.earlierStart(key.hash, tenant: tenant, now: Samples.start) == nil)
        #expect(try await made.started("a", devices: ["dev_one"], key: key) == .started)
        let before = try await made.database.count("delivery")
        #expect(try await made.started("b", devices: ["dev_one"], key: key) == .repeated(earlier("a", in: made)))
        let other = StartKey(hash: key.hash, body: [3])
        #expect(try await made.started("b", devices: ["dev_one"], key: other) == .repeated(earlier("a", in: made)))
        #expect(
            try await made.store.earlierStart(key.hash, tenant: tenant, now: Samples.start) == earlier("a", in: made))
        #expect(try await made.store.earlierStart(key.hash, tenant: TenantID("other"), now: Samples.start) == nil)
        #expect(try await made.database.count("backchannel_request") == 1)
        #expect(try await made.database.count("delivery") == before)
        #expect(try await made.database.auditLog("ciba_start_succeeded").count == 1)
    }

    @Test("A repetition is found before limits and before the user is read", arguments: StoreKind.all)
    func beforeLimits(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let one = StartLimits(
            perMinute: 1, windowStart: Samples.start - .seconds(60), pendingPerUser: 1, pendingPerTenant: 1)
        #expect(try await made.started("a", limits: one, key: key) == .started)
        #expect(try await made.started("b", limits: one, key: key) == .repeated(earlier("a", in: made)))
        #expect(
            try await made.started("c", user: "auth0|eve", limits: one, key: key) == .repeated(earlier("a", in: made)))
        #expect(try await made.started("d", limits: one) == .tooManyPendingForTenant)
    }

    @Test("An expired request releases its key, decided or not", arguments: StoreKind.all)
    func expired(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        let end = Samples.start + .seconds(300)
        #expect(try await made.started("a", devices: ["dev_one"], key: key) == .started)
        #expect(try await made.resolve("a") != .notPending)
        let last = end - .milliseconds(1)
        #expect(try await made.started("b", at: last, key: key) == .repeated(earlier("a", in: made)))
        #expect(try await made.store.earlierStart(key.hash, tenant: tenant, now: end) == nil)
        let next = StartKey(hash: key.hash, body: [3])
        #expect(try await made.started("b", at: end, key: next) == .started)
        #expect(try await made.started("c", at: end, key: next) == .repeated(earlier("b", body: [3], in: made)))
        #expect(try await made.database.count("backchannel_request") == 2)
    }

    @Test("A refused start keeps no key", arguments: StoreKind.all)
    func refused(kind: StoreKind) async throws {
        let made = try await kind.populated()
        #expect(try await made.started("a", user: "auth0|eve", key: key) == .approverChanged)
        #expect(try await made.started("b", key: key) == .started)
    }

    @Test("Two servers on one database that get hundreds of equal starts at once store one", arguments: StoreKind.all)
    func racing(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        let before = try await made.database.count("delivery")
        let outcomes = try await made.withSecondStore { second in
            try await withThrowingTaskGroup(of: StartOutcome.self) { group in
                for index in 0..<400 {
                    let store = index % 2 == 0 ? made.store : second
                    group.addTask { try await made.started("r\(index)", devices: ["dev_one"], key: key, in: store) }
                }
                return try await group.reduce(into: [StartOutcome]()) { $0.append($1) }
            }
        }
        #expect(outcomes.filter { $0 == .started }.count == 1)
        let repeated = outcomes.filter { $0 != .started }
        let stored = try #require(
            try await made.store.earlierStart(key.hash, tenant: tenant, now: Samples.start))
        #expect(repeated.count == 399)
        #expect(repeated.allSatisfy { $0 == .repeated(stored) })
        #expect(try await made.database.count("backchannel_request") == 1)
        #expect(try await made.database.count("delivery") == before + 1)
        #expect(try await made.database.auditLog("ciba_start_succeeded").count == 1)
    }
}
