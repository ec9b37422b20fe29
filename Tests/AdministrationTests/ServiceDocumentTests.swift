import AuthorizationCore
import Configuration
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Services in tenants' documents")
struct ServiceDocumentTests {
    private func cache(
        _ store: any ConfigurationStore, _ problems: ServiceProblems = ServiceProblems()
    ) -> ConfigurationCache {
        ConfigurationCache(
            store: store, keys: FakeKeys(), hashing: Samples.hashing, sealer: Samples.sealer, schemas: Samples.schemas
        ) { problems.add($0) }
    }

    private func fixture() async throws -> AdministrationFixture {
        let fixture = try await AdministrationFixture()
        for tenant in ["dev", "shop"] {
            try await fixture.apply(#"{"tenants": [{"id": "\#(tenant)", "name": "T", "host": "\#(tenant).example"}]}"#)
        }
        return fixture
    }

    @Test("A changed document is in the next snapshot, for its tenant alone, and under each of the tenant's names")
    func selection() async throws {
        let fixture = try await fixture()
        let live = cache(fixture.store)
        _ = try await live.refresh()
        #expect(live.current.tenants.allSatisfy { $0.pushServices.selection == .guardian })
        let chosen = TenantDocument(
            .guardianSetting, id: PushServices.selectionID, document: ["provider": "direct"])
        try await fixture.store.change { try $0.put(chosen, in: TenantID("dev")) }
        #expect(try await live.refresh())
        #expect(live.current.tenant(id: TenantID("dev"))?.pushServices.selection == .direct)
        #expect(live.current.tenant(host: "dev.example")?.pushServices.selection == .direct)
        #expect(live.current.tenant(id: TenantID("shop"))?.pushServices.selection == .guardian)
    }

    @Test("A document that cannot be opened counts as absent and is reported once, until it changes")
    func unopenable() async throws {
        let fixture = try await fixture()
        let problems = ServiceProblems()
        let live = cache(fixture.store, problems)
        func put(_ document: TenantDocument) async throws {
            try await fixture.store.change { try $0.put(document, in: TenantID("dev")) }
            _ = try await live.refresh()
        }
        let broken = TenantDocument(.pushProvider, id: "sns", document: [:], sealedSecrets: [1, 2, 3])
        try await put(broken)
        try await put(TenantDocument(.promptPartial, id: "login", document: [:]))
        #expect(problems.all.count == 1)
        #expect(problems.all.first?.hasPrefix("dev: the document push_provider/sns cannot be opened") == true)
        try await put(TenantDocument(.pushProvider, id: "sns", document: [:], sealedSecrets: [1, 2]))
        #expect(problems.all.count == 2)
    }

    @Test("Credentials keep their stamp, by which senders know them, until their own document changes")
    func stamp() async throws {
        let fixture = try await fixture()
        let live = cache(fixture.store)
        func stamp(after document: TenantDocument) async throws -> CredentialStamp {
            try await fixture.store.change { try $0.put(document, in: TenantID("dev")) }
            _ = try await live.refresh()
            return try #require(live.current.tenant(id: TenantID("dev"))?.pushServices.amazon?.stamp)
        }
        func credentials(_ secret: String) throws -> TenantDocument {
            try TenantDocument(
                .pushProvider, id: "sns",
                document: [
                    "aws_access_key_id": "AKIDEXAMPLE", "aws_region": "eu-central-1",
                    "sns_apns_platform_application_arn": "arn:aws:sns:eu-central-1:123456789012:app/APNS/phones",
                ], secrets: ["aws_secret_access_key": .string(secret)], of: TenantID("dev"), with: Samples.sealer)
        }
        let first = try await stamp(after: credentials("one"))
        let chosen = TenantDocument(.guardianSetting, id: PushServices.selectionID, document: ["provider": "sns"])
        #expect(try await stamp(after: chosen) == first)
        #expect(live.current.tenant(id: TenantID("dev"))?.pushServices.selection == .sns)
        #expect(try await stamp(after: credentials("two")) != first)
    }
}

private final class ServiceProblems: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func add(_ text: String) { texts.withLock { $0.append(text) } }
}
