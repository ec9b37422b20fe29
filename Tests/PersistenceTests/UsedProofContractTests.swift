import Audit
import AuthorizationCore
import Flows
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: used proofs of devices")
struct UsedProofContractTests {
    private static let tenant = TenantID("dev")
    private static let consent = ConsentID("cns_AAAA")

    private func read(
        _ made: TemporaryStore, _ proof: String, of consent: ConsentID = consent, by device: String = "dev_one",
        at now: Timestamp = Samples.start, in other: Store? = nil
    ) async throws -> Bool {
        let store: any ConsentStore = other ?? made.store
        return try await store.read(
            consent,
            with: UsedProof(hash: Samples.hashing.sha256(Array(proof.utf8)), expiresAt: now + .seconds(60)),
            event: AuditEvent(
                .consentFetched, tenant: Self.tenant, at: now, device: DeviceID(device), consent: consent))
    }

    private func readings(_ made: TemporaryStore) async throws -> [String?] {
        try await made.database.auditLog("rich_consents_access").map(\.device)
    }

    @Test("RFC 9449 11.1: of many concurrent uses of a proof, at several nodes, one counts", arguments: StoreKind.all)
    func once(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.withSecondStore { second in
            let counted = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<32 {
                    group.addTask { try await read(made, "one", in: number % 2 == 0 ? made.store : second) }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(counted == 1)
            #expect(try await !read(made, "one", in: second))
        }
        #expect(try await readings(made) == ["dev_one"])
    }

    @Test("Each device's first reading of each request is logged", arguments: StoreKind.all)
    func entries(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for number in 0..<5 { #expect(try await read(made, "\(number)")) }
        #expect(try await read(made, "second", by: "dev_two"))
        #expect(try await read(made, "other", of: ConsentID("cns_BBBB")))
        #expect(try await readings(made) == ["dev_one", "dev_two", "dev_one"])
    }

    @Test("A proof is kept while it is valid; its jti may be used again later", arguments: StoreKind.all)
    func expiry(kind: StoreKind) async throws {
        let made = try await kind.populated()
        #expect(try await read(made, "one"))
        for seconds: Int64 in [0, 59] {
            try await made.store.sweepUsedTokens(endedBefore: Samples.start + .seconds(seconds))
            #expect(try await !read(made, "one", at: Samples.start + .seconds(seconds)))
        }
        #expect(try await read(made, "one", at: Samples.start + .seconds(60)))
        try await made.store.sweepUsedTokens(endedBefore: Samples.start + .seconds(121))
        #expect(try await made.database.count("used_token") == 0)
    }
}
