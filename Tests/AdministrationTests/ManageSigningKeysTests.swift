import Configuration
import Audit
@testable import Administration
import AuthorizationCore
import JOSE
import Primitives
import TestSupport
import Testing

@Suite("Managing signing keys")
struct ManageSigningKeysTests {
    private let tenant = TenantID("dev")
    private let now = Samples.start + .seconds(3600)

    private func fixture() async throws -> (AdministrationFixture, ManageSigningKeys) {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(
            """
            {"tenants": [{"id": "dev", "name": "Dev", "host": "dev.example",
                "apis": [{"identifier": "a", "signing_alg": "ES256"}]}]}
            """)
        let keys = FakeKeys()
        // Avoids ids of the file's keys.
        for _ in 0..<10 { _ = try keys.make(.es256, tenant: tenant, status: .next, now: now) }
        return (fixture, ManageSigningKeys(store: fixture.store, keys: keys))
    }

    private func key(
        _ manage: ManageSigningKeys, _ status: SigningKey.Status, _ algorithm: JWSAlgorithm = .es256
    ) async throws -> SigningKey? {
        try await manage.list(tenant).first { $0.status == status && $0.algorithm == algorithm }
    }

    @Test("Rotation: the next key signs, the current one stays published, and a new next key is created")
    func rotate() async throws {
        let (fixture, manage) = try await fixture()
        let current = try #require(try await key(manage, .current))
        let next = try #require(try await key(manage, .next))
        let rsa = try #require(try await key(manage, .current, .rs256))
        let version = try await fixture.store.version()
        let signing = try await manage.rotate(
            .es256, for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: now))
        #expect(signing.map(\.id) == [next.id])
        #expect(try await key(manage, .current)?.id == next.id)
        #expect(try await key(manage, .previous)?.id == current.id)
        #expect(try await key(manage, .previous)?.changedAt == now)
        let new = try #require(try await key(manage, .next))
        #expect(![current.id, next.id].contains(new.id))
        #expect(try await key(manage, .current, .rs256)?.id == rsa.id, "other algorithms stay")
        #expect(try await fixture.store.version() > version, "servers take the change up")
        let log = try await fixture.made.database.auditLog("key_rotated")
        #expect(log.map(\.details) == [#"{"kid":"\#(next.id)","alg":"ES256"}"#])
        #expect(log.map(\.actor) == ["account:jo"])
        #expect(log.map(\.object) == ["key \(next.id)"])
    }

    @Test("Previous keys stay published while their tokens may be valid, then are revoked with an audit entry")
    func retire() async throws {
        let (fixture, manage) = try await fixture()
        let old = try #require(try await key(manage, .current))
        _ = try await manage.rotate(.es256, for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: now))
        let end = now + .seconds(31 * 86_400)
        #expect(try await manage.retire(endedBefore: end, now: end).isEmpty)
        #expect(try await key(manage, .previous)?.id == old.id)
        let retired = try await manage.retire(endedBefore: end + .milliseconds(1), now: end)
        #expect(retired.map(\.id) == [old.id])
        #expect(try await key(manage, .previous) == nil)
        #expect(try await manage.retire(endedBefore: end + .seconds(1), now: end).isEmpty, "once")
        let log = try await fixture.made.database.auditLog("key_revoked")
        #expect(log.map(\.object) == ["key \(old.id)"])
        #expect(log.map(\.actor) == ["system"])
        #expect(log.first?.details.contains("no token that it signed is valid any more") == true)
    }

    @Test("Rotation stops at eight previous keys of an algorithm, until one is revoked or retired")
    func rotationLimit() async throws {
        let (fixture, manage) = try await fixture()
        func rotate(at moment: Timestamp) async throws {
            _ = try await manage.rotate(
                .es256, for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: moment))
        }
        for index in 0..<ManageSigningKeys.previousLimit { try await rotate(at: now + .seconds(index)) }
        let version = try await fixture.store.version()
        let until = now + SigningKey.lifeAfterUse
        await #expect(throws: ManageSigningKeys.Failure.tooManyPrevious(.es256, until: until)) {
            try await rotate(at: now + .seconds(60))
        }
        await #expect(throws: ManageSigningKeys.Failure.tooManyPrevious(.es256, until: until)) {
            _ = try await manage.rotate(
                nil, for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: now + .seconds(60)))
        }
        #expect(try await fixture.store.version() == version, "nothing was changed")
        let oldest = try #require(try await key(manage, .previous))
        _ = try await manage.revoke(
            oldest.id, for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: now + .seconds(61)))
        try await rotate(at: now + .seconds(62))
        _ = try await manage.retire(endedBefore: until + .seconds(3), now: until)
        try await rotate(at: now + .seconds(63))
        // Revoking a stolen key ignores the limit.
        let current = try #require(try await key(manage, .current))
        _ = try await manage.revoke(
            current.id, for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: now + .seconds(64)))
    }

    @Test("Rotation without an algorithm rotates every algorithm in use")
    func rotateAll() async throws {
        let (fixture, manage) = try await fixture()
        let signing = try await manage.rotate(
            nil, for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: now))
        #expect(signing.map(\.algorithm) == [.es256, .rs256])
        #expect(try await fixture.made.database.auditLog("key_rotated").count == 2)
    }

    @Test("Concurrent rotations leave one current and one next key, and keep the limit of previous keys")
    func racingRotations() async throws {
        let (_, manage) = try await fixture()
        let rotated = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    (try? await manage.rotate(
                        .es256, for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: now))) != nil
                }
            }
            return await group.reduce(into: 0) { count, isRotated in count += isRotated ? 1 : 0 }
        }
        #expect(rotated == ManageSigningKeys.previousLimit)
        let keys = try await manage.list(tenant).filter { $0.algorithm == .es256 }
        #expect(keys.count == 2 + ManageSigningKeys.previousLimit)
        #expect(keys.count { $0.status == .current } == 1)
        #expect(keys.count { $0.status == .next } == 1)
    }

    @Test("Revoking the current key removes it, and the next one signs at once")
    func revokeCurrent() async throws {
        let (fixture, manage) = try await fixture()
        let current = try #require(try await key(manage, .current))
        let next = try #require(try await key(manage, .next))
        let revoked = try await manage.revoke(
            current.id, for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: now))
        #expect(revoked.id == current.id)
        #expect(revoked.status == .revoked)
        #expect(try await key(manage, .current)?.id == next.id)
        #expect(try await key(manage, .next) != nil)
        #expect(try await key(manage, .previous) == nil)
        #expect(try await key(manage, .revoked)?.id == current.id)
        #expect(try await fixture.made.database.auditLog("key_revoked", "key_rotated").map(\.kind) == ["key_revoked"])
    }

    @Test("Revoking the next key replaces it")
    func revokeNext() async throws {
        let (_, manage) = try await fixture()
        let current = try #require(try await key(manage, .current))
        let next = try #require(try await key(manage, .next))
        _ = try await manage.revoke(
            next.id, for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: now))
        #expect(try await key(manage, .current)?.id == current.id)
        let new = try #require(try await key(manage, .next))
        #expect(new.id != next.id)
    }

    @Test("Revoking a previous key removes only this key")
    func revokePrevious() async throws {
        let (_, manage) = try await fixture()
        _ = try await manage.rotate(.es256, for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: now))
        let count = try await manage.list(tenant).count
        let previous = try #require(try await key(manage, .previous))
        _ = try await manage.revoke(
            previous.id, for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: now))
        #expect(try await key(manage, .previous) == nil)
        #expect(try await manage.list(tenant).count == count)
    }

    @Test("Failures name the unknown object and change nothing")
    func failures() async throws {
        let (fixture, manage) = try await fixture()
        let version = try await fixture.store.version()
        await #expect(throws: ManageSigningKeys.Failure.unknownTenant) { try await manage.list(TenantID("none")) }
        await #expect(throws: ManageSigningKeys.Failure.unknownTenant) {
            try await manage.rotate(
                nil, for: AdministrativeContext(tenant: TenantID("none"), actor: .account("jo"), now: now))
        }
        await #expect(throws: ManageSigningKeys.Failure.unusedAlgorithm(.edDSA)) {
            try await manage.rotate(.edDSA, for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: now))
        }
        await #expect(throws: ManageSigningKeys.Failure.unknownKey) {
            try await manage.revoke(
                SigningKeyID("none"), for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: now))
        }
        #expect(try await fixture.store.version() == version)
        let current = try #require(try await key(manage, .current))
        _ = try await manage.revoke(
            current.id, for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: now))
        await #expect(throws: ManageSigningKeys.Failure.alreadyRevoked) {
            try await manage.revoke(
                current.id, for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: now))
        }
    }

    @Test("Revocation spares the current key on request, and then makes no key")
    func spared() async throws {
        let (fixture, _) = try await fixture()
        let manage = ManageSigningKeys(store: fixture.store, keys: FakeKeys(fails: true))
        let current = try #require(try await key(manage, .current))
        await #expect(throws: ManageSigningKeys.Failure.isCurrent) {
            try await manage.revoke(
                current.id, sparesCurrent: true,
                for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: now))
        }
        #expect(try await key(manage, .current)?.id == current.id)
    }

    @Test("Keys of an earlier version get certificates once and keep their dates")
    func certify() async throws {
        let (_, manage) = try await fixture()
        let count = try await manage.list(tenant).count
        #expect(try await manage.certify(now: now) == count)
        #expect(try await manage.list(tenant).allSatisfy { $0.certificate == Array("\($0.id)".utf8) })
        #expect(try await manage.certify(now: now) == 0)
        let old = try #require(try await key(manage, .current))
        _ = try await manage.rotate(.es256, for: AdministrativeContext(tenant: tenant, actor: .account("jo"), now: now))
        let previous = try #require(try await key(manage, .previous))
        #expect(previous.id == old.id)
        #expect(previous.currentSince == old.createdAt && previous.currentUntil == now)
        #expect(try await key(manage, .current)?.currentSince == now)
    }
}
