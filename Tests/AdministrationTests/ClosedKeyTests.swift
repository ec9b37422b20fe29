import Audit
@testable import Administration
import AuthorizationCore
import Configuration
import JOSE
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Signing keys that cannot be opened")
struct ClosedKeyTests {
    private let now = Samples.start + .seconds(3600)

    private func fixture() async throws -> AdministrationFixture {
        let fixture = try await AdministrationFixture()
        for tenant in ["dev", "shop"] {
            try await fixture.apply(
                """
                {"tenants": [{"id": "\(tenant)", "name": "T", "host": "\(tenant).example",
                    "apis": [{"identifier": "a", "signing_alg": "ES256"}]}]}
                """)
        }
        return fixture
    }

    private func key(
        _ fixture: AdministrationFixture, _ status: SigningKey.Status, of tenant: String = "dev"
    ) async throws -> SigningKey {
        let keys = try await fixture.part(tenant)?.signingKeys ?? []
        return try #require(keys.first { $0.status == status && $0.algorithm == .es256 })
    }

    /// Keys whose next key cannot be opened.
    private func closedNext(
        _ fixture: AdministrationFixture
    ) async throws -> (keys: FakeKeys, current: SigningKey, next: SigningKey, manage: ManageSigningKeys) {
        let keys = FakeKeys()
        let (current, next) = (try await key(fixture, .current), try await key(fixture, .next))
        // Avoids ids of the file's keys.
        for _ in 0..<20 { _ = try keys.make(.es256, tenant: next.tenant, status: .next, now: now) }
        keys.close(next.id)
        return (keys, current, next, ManageSigningKeys(store: fixture.store, keys: keys))
    }

    @Test("An unreadable signing key affects no other key, tenant or change, stays published, and is reported once")
    func configuration() async throws {
        let fixture = try await fixture()
        let keys = FakeKeys()
        let closed = try await key(fixture, .current)
        keys.close(closed.id)
        let problems = Problems()
        let live = ConfigurationCache(
            store: fixture.store, keys: keys, hashing: Samples.hashing, sealer: Samples.sealer, schemas: Samples.schemas
        ) { problems.add($0) }
        #expect(try await live.refresh())
        #expect(try await !live.refresh())
        #expect(problems.all.count == 1)
        let dev = try #require(live.current.tenants.first { $0.tenant.id == TenantID("dev") })
        #expect(dev.keys.signer(for: .es256) == nil)
        #expect(dev.keys.signer(for: .rs256) != nil)
        #expect(dev.keys.published.keys.contains { $0.keyID == closed.id.rawValue })
        let shop = try #require(live.current.tenants.first { $0.tenant.id == TenantID("shop") })
        #expect(shop.keys.signer(for: .es256) != nil)
        try await fixture.apply(#"{"tenants": [{"id": "late", "name": "T", "host": "late.example"}]}"#)
        #expect(try await live.refresh())
        #expect(live.current.tenants.count == 3)
    }

    @Test("A restored database is read once, although its version is lower")
    func restored() async throws {
        let fixture = try await fixture()
        let store = VersionedStore(wrapped: fixture.store)
        let live = ConfigurationCache(
            store: store, keys: FakeKeys(), hashing: Samples.hashing, sealer: Samples.sealer, schemas: Samples.schemas)
        for version in [7, 3, 4] as [Int64] {
            store.number.withLock { $0 = version }
            if version == 3 {
                try await fixture.apply(#"{"tenants": [{"id": "late", "name": "T", "host": "late.example"}]}"#)
            }
            #expect(try await live.refresh())
            #expect(try await !live.refresh())
            #expect(live.current.tenants.count == (version == 7 ? 2 : 3))
        }
    }

    /// A store with a settable version.
    private final class VersionedStore: ConfigurationStore {
        let number = Mutex<Int64>(0)
        private let wrapped: any ConfigurationStore

        init(wrapped: any ConfigurationStore) { self.wrapped = wrapped }

        func version() async throws -> Int64 { number.withLock { $0 } }

        func objects(
            _ parts: Set<ConfigurationPart>, of tenant: TenantID?
        ) async throws -> [ConfigurationObjects] { try await wrapped.objects(parts, of: tenant) }

        func commit(_ commit: ConfigurationCommit, ifVersion version: Int64?) async throws -> [[UInt8]]? {
            try await wrapped.commit(commit, ifVersion: version)
        }

        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any UserReader) throws -> Result
        ) async throws -> Result { try await wrapped.read(body) }

        func change<Result: Sendable>(
            _ body: @escaping @Sendable (any UserTransaction) throws -> Result
        ) async throws -> Result { try await wrapped.change(body) }
    }

    @Test("Rotation refuses a next key that cannot be opened; after its revocation, its successor signs")
    func rotate() async throws {
        let fixture = try await fixture()
        let (_, current, next, manage) = try await closedNext(fixture)
        await #expect(throws: FakeKeys.Failure.self) {
            try await manage.rotate(
                .es256, for: AdministrativeContext(tenant: next.tenant, actor: .account("jo"), now: now))
        }
        #expect(try await key(fixture, .current).id == current.id, "nothing is changed")
        #expect(try await key(fixture, .next).id == next.id)
        _ = try await manage.revoke(
            next.id, for: AdministrativeContext(tenant: next.tenant, actor: .account("jo"), now: now))
        let successor = try await key(fixture, .next)
        let signing = try await manage.rotate(
            .es256, for: AdministrativeContext(tenant: next.tenant, actor: .account("jo"), now: now))
        #expect(signing.map(\.id) == [successor.id])
    }

    @Test("Revoking a current key also revokes a next key that cannot be opened, and a new key signs")
    func revokeCurrent() async throws {
        let fixture = try await fixture()
        let (keys, current, next, manage) = try await closedNext(fixture)
        _ = try await manage.revoke(
            current.id, for: AdministrativeContext(tenant: next.tenant, actor: .account("jo"), now: now))
        let all = try await manage.list(next.tenant)
        #expect(all.filter { [current.id, next.id].contains($0.id) }.allSatisfy { $0.status == .revoked })
        for status in [SigningKey.Status.current, .next] {
            let key = try await key(fixture, status)
            #expect(key.id != next.id)
            _ = try keys.signer(for: key)
        }
    }

    @Test("Keys that can be opened get certificates")
    func certify() async throws {
        let fixture = try await fixture()
        let keys = FakeKeys()
        let closed = try await key(fixture, .current)
        keys.close(closed.id)
        let manage = ManageSigningKeys(store: fixture.store, keys: keys)
        let all = try await manage.list(closed.tenant).count + manage.list(TenantID("shop")).count
        #expect(try await manage.certify(now: now) == all - 1)
        #expect(try await key(fixture, .current).certificate.isEmpty)
        #expect(try await !key(fixture, .current, of: "shop").certificate.isEmpty)
    }
}

private final class Problems: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func add(_ text: String) { texts.withLock { $0.append(text) } }
}
