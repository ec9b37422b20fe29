import Audit
import AuthorizationCore
import Flows
import Persistence
import PostgreSQLCluster
import Primitives
import TestSupport
import Testing

@Suite("Round trips to PostgreSQL", .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL server is installed"))
struct RoundTripTests {
    @Test("A frequent request waits for the server as often as docs/decisions/0030 says")
    func counts() async throws {
        let made = try await StoreKind.postgreSQL.populated()
        func waits(_ work: () async throws -> Void) async throws -> Int {
            let before = try #require(made.exchanges)
            try await work()
            return try #require(made.exchanges) - before
        }
        try await made.enrolled(try Samples.device())
        // The audit log's first entry, and statements that are prepared, cost no more.
        try await made.started("first", devices: ["dev_one"])
        let start = try await waits { try await made.started("second", devices: ["dev_one"]) }
        let poll = try await waits { _ = try await made.poll("second") }
        let decision = try await waits { _ = try await made.resolve("second", .allow) }
        let redemption = try await waits { _ = try await made.redeem("second") }
        #expect(try await made.poll("second")?.state == .redeemed)
        #expect([start, poll, decision, redemption] == [4, 1, 4, 3])
    }
}
