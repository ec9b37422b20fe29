@testable import Flows
import Persistence
import PostgreSQLCluster
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Store contract: nodes that share the store")
struct SharedNodeContractTests {
    @Test("Requests that are waited for wait until they have a decision", arguments: StoreKind.all)
    func waiting(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        for name in ["pending", "decided"] { try await made.started(name, devices: ["dev_one"]) }
        #expect(try await made.resolve("decided") == .resolved(AuthReqIDHash(of: "decided", Samples.hashing)))
        let hashes = ["pending", "decided", "unknown"].map { AuthReqIDHash(of: $0, Samples.hashing) }
        #expect(try await made.store.waiting(hashes) == [hashes[0]])
        let many = (0..<OtherNodes.batch - 1).map { AuthReqIDHash(of: "\($0)", Samples.hashing) }
        #expect(try await made.store.waiting(many + [hashes[0]]) == [hashes[0]])
    }

    @Test("One node does a shared work, until its lease ends", arguments: StoreKind.all)
    func lease(kind: StoreKind) async throws {
        let made = try await kind.make()
        // A server looks at its own clock, too.
        let start = try await Self.clock(made) ?? Samples.start
        @Sendable func isHeld(by owner: String, at second: Int) async throws -> Bool {
            let now = start + .seconds(second)
            return try await made.store.lease(.cleanup, to: owner, until: now + .seconds(5), now: now)
        }
        #expect(try await isHeld(by: "one", at: 0))
        #expect(try await !isHeld(by: "two", at: 4))
        #expect(try await isHeld(by: "one", at: 4))
        #expect(try await !isHeld(by: "two", at: 8))
        #expect(try await isHeld(by: "two", at: 9))
        #expect(try await winners { try await isHeld(by: "\($0)", at: 15) } == 1)
        try await made.database.write { try $0.execute("UPDATE work_lease SET leased_until = 9000000000000000") }
        #expect(try await isHeld(by: "three", at: 15), "whoever wrote that keeps the work from all")
    }

    /// The engine's own clock. Nil if it has none.
    private static func clock(_ made: TemporaryStore) async throws -> Timestamp? {
        try await made.database.read { connection in
            try connection.dialect.clock.flatMap { clock in
                try connection.first("SELECT \(raw: clock)") { Timestamp(milliseconds: try $0.int64(0)) }
            }
        }
    }

    @Test(
        "A node whose clock is 30 seconds wrong is not ready, and gets no shared work",
        .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL server is installed"))
    func clocks() async throws {
        let made = try await StoreKind.postgreSQL.make()
        let clock = try #require(try await Self.clock(made))
        for (difference, isRight) in [(-31, false), (-5, true), (0, true), (20, true), (90, false)] {
            let now = clock + .seconds(difference)
            #expect(await made.store.isReady(now: now) == isRight, "\(difference)")
            let isHeld = try await made.store.lease(.cleanup, to: "\(difference)", until: now, now: now)
            #expect(isHeld == isRight, "\(difference)")
        }
    }

    @Test("A node asks for a shared work every 10 seconds, and has it until the lease ends if it cannot ask")
    func renewal() async throws {
        let made = try await TemporaryStore()
        var one = WorkLease(.cleanup, owner: "one", made.store)
        var two = WorkLease(.cleanup, owner: "two", made.store)
        #expect(try await one.isHeld(now: Samples.start))
        #expect(try await !two.isHeld(now: Samples.start))
        let changes = made.accesses.changes
        #expect(try await one.isHeld(now: Samples.start + .milliseconds(9_999)))
        #expect(made.accesses.changes == changes)
        #expect(try await one.isHeld(now: Samples.start + .seconds(10)))
        #expect(made.accesses.changes == changes + 1)
        made.failChanges(with: .busy)
        await #expect(throws: (any Error).self) { try await one.isHeld(now: Samples.start + .seconds(20)) }
        made.failChanges(with: nil)
        #expect(try await !two.isHeld(now: Samples.start + .seconds(39)))
        #expect(try await two.isHeld(now: Samples.start + .seconds(49)))
        #expect(try await !one.isHeld(now: Samples.start + .seconds(50)))
        var alone = WorkLease(.cleanup, owner: "three", nil)
        #expect(try await alone.isHeld(now: Samples.start))
    }
}
