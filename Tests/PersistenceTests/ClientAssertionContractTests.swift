import AuthorizationCore
import Flows
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: client assertions")
struct ClientAssertionContractTests {
    private static func hash(_ text: String) -> [UInt8] { Samples.hashing.sha256(Array(text.utf8)) }

    @Test("An assertion is used once; exactly one of many concurrent uses counts", arguments: StoreKind.all)
    func once(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let tenant = TenantID("dev")
        let end = Samples.start + .seconds(300)
        let counted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<32 {
                group.addTask { try await made.store.use(Self.hash("one"), tenant: tenant, until: end) }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(counted == 1)
        #expect(try await made.store.use(Self.hash("two"), tenant: tenant, until: end))
        #expect(try await !made.store.use(Self.hash("one"), tenant: tenant, until: end + .seconds(1)))
    }

    @Test("Only expired assertions are deleted, in any number", arguments: StoreKind.all)
    func sweep(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let tenant = TenantID("dev")
        for number in 0..<1200 {
            let end = Samples.start + .seconds(number < 1100 ? 10 : 20)
            _ = try await made.store.use(Self.hash("\(number)"), tenant: tenant, until: end)
        }
        try await made.store.sweepUsedTokens(endedBefore: Samples.start + .seconds(10))
        #expect(try await made.database.count("used_token") == 1200, "it ended at 10 s, not before")
        try await made.store.sweepUsedTokens(endedBefore: Samples.start + .seconds(11))
        #expect(try await made.database.count("used_token") == 100)
        #expect(
            try await !made.store.use(
                Self.hash("1199"), tenant: tenant, until: Samples.start + .seconds(20)))
    }
}
