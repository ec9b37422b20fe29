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
        // Each writing connection has a lane of the audit log, whose first entry costs more.
        let kind = StoreKind(testDescription: "one writer") { try await TemporaryStore(.postgreSQL, writers: 1) }
        let made = try await kind.populated()
        func waits(_ work: () async throws -> Void) async throws -> Int {
            let before = try #require(made.exchanges)
            try await work()
            return try #require(made.exchanges) - before
        }
        try await made.enrolled(try Samples.device())
        try await made.started("first", devices: ["dev_one"])
        let start = try await waits { try await made.started("second", devices: ["dev_one"]) }
        let poll = try await waits { _ = try await made.poll("second") }
        let decision = try await waits { _ = try await made.resolve("second", .allow) }
        let redemption = try await waits { _ = try await made.redeem("second") }
        #expect(try await made.poll("second")?.state == .redeemed)
        #expect([start, poll, decision, redemption] == [4, 1, 4, 3])
    }
}
