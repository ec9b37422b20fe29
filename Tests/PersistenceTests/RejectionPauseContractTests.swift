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

@Suite("Store contract: pauses after rejections")
struct RejectionPauseContractTests {
    private static let rules: PauseRules = {
        var settings = TenantSettings()
        settings.rejectionsBeforePause = 1
        settings.rejectionPause = 100
        return PauseRules(settings)
    }()
    private let at = Samples.start + .seconds(10)

    private func reject(
        _ made: TemporaryStore, _ name: String, tenant: String = "dev", client: String = "agent",
        device: String = "dev_one", isReport: Bool = false, in other: Store? = nil
    ) async throws -> ResolveOutcome {
        try await made.resolve(
            name, .reject(reason: nil), tenant: tenant, client: client, device: device, at: at,
            pause: .counted(isReport: isReport, Self.rules), in: other)
    }

    /// Ends of the pauses that starts of Ann's agents find, by tenant, client, user and login.
    private func start(
        _ made: TemporaryStore, _ name: String, tenant: String = "dev", client: String = "agent",
        user: String = "auth0|ann", after seconds: Int = 20, login: [UInt8]? = nil, in other: Store? = nil
    ) async throws -> StartOutcome {
        try await made.started(
            name, tenant: tenant, client: client, user: user, at: Samples.start + .seconds(seconds), login: login,
            in: other)
    }

    @Test("A rejection pauses this client for this person alone, and no login", arguments: StoreKind.all)
    func paused(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started("a")
        #expect(try await reject(made, "a") != .notPending)
        let end = at + .seconds(100)
        let rows = try await made.database.count("backchannel_request")
        #expect(try await start(made, "b") == .paused(until: end))
        #expect(try await made.database.count("backchannel_request") == rows)
        #expect(try await start(made, "c", client: "other") == .started)
        #expect(try await start(made, "d", user: "auth0|bob") == .started)
        #expect(try await start(made, "e", tenant: "other") == .started)
        #expect(try await start(made, "f", login: [1]) == .started)
        #expect(try await start(made, "g", after: 109) == .paused(until: end))
        #expect(try await start(made, "h", after: 110) == .started)
    }

    @Test("A decision that is not taken changes no pause", arguments: StoreKind.all)
    func notTaken(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started("a")
        _ = try await made.resolve("a", pause: .forgotten(requestedAt: at))
        #expect(try await reject(made, "a") == .notPending)
        #expect(try await reject(made, "never") == .notPending)
        #expect(try await made.database.count("rejection_pause") == 0)
    }

    @Test(
        "An allow of a later request deletes the pause. That of an earlier one, and a login's decision, leave it",
        arguments: StoreKind.all)
    func forgotten(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        for name in ["a", "b", "c", "d"] { try await made.started(name) }
        _ = try await reject(made, "a")
        _ = try await made.resolve("b", pause: .none)
        #expect(try await start(made, "x") == .paused(until: at + .seconds(100)))
        // At the same moment is not later.
        _ = try await made.resolve("c", pause: .forgotten(requestedAt: at))
        #expect(try await start(made, "x") == .paused(until: at + .seconds(100)))
        _ = try await made.resolve("d", pause: .forgotten(requestedAt: at + .milliseconds(1)))
        #expect(try await made.database.count("rejection_pause") == 0)
        #expect(try await start(made, "x") == .started)
    }

    @Test("Each of hundreds of rejections at two servers at once counts", arguments: StoreKind.all)
    func racing(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        let names = (0..<200).map { "r\($0)" }
        for name in names { try await made.started(name) }
        let late = try await made.withSecondStore { second in
            try await withThrowingTaskGroup(of: StartOutcome?.self) { group in
                for (index, name) in names.enumerated() {
                    let store = index % 2 == 0 ? made.store : second
                    group.addTask {
                        #expect(try await reject(made, name, isReport: index < 5, in: store) != .notPending)
                        return try await start(made, "late \(name)", in: index % 2 == 0 ? second : made.store)
                    }
                }
                return try await group.reduce(into: [StartOutcome]()) { if let outcome = $1 { $0.append(outcome) } }
            }
        }
        #expect(late.allSatisfy { if case .paused = $0 { true } else { false } }, "the other server knows at once")
        let counts = try await made.database.first("SELECT rejections, reports FROM rejection_pause") { row in
            [try row.int(0), try row.int(1)]
        }
        #expect(counts == [200, 5])
    }

    @Test("The sweep deletes what is forgotten, and a deleted user leaves no pause", arguments: StoreKind.all)
    func removal(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.enrolled(Samples.device("dev_bob", user: "auth0|bob"))
        try await made.started("a")
        try await made.started("b", user: "auth0|bob")
        _ = try await reject(made, "a")
        _ = try await reject(made, "b", device: "dev_bob")
        let end = at + PauseRules.memory
        try await made.sweepAll(endedBefore: Samples.start, now: end - .milliseconds(1))
        #expect(try await made.database.count("rejection_pause") == 2)
        try await made.delete(UserID("auth0|bob"))
        #expect(try await made.database.count("rejection_pause") == 1)
        try await made.sweepAll(endedBefore: Samples.start, now: end)
        #expect(try await made.database.count("rejection_pause") == 0)
    }
}
