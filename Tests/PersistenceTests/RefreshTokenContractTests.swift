import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: refresh tokens")
struct RefreshTokenContractTests {
    private let hash = LoginSamples.hash("family")

    private func stored(_ made: TemporaryStore, _ name: String = "family") async throws -> RefreshTokenFamily? {
        try await made.store.refreshTokens(LoginSamples.hash(name), tenant: LoginSamples.tenant)?.family
    }

    @Test("Every field of a family is stored, and found with its user in its tenant only", arguments: StoreKind.all)
    func fields(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let full = LoginSamples.family(
            hash,
            access: LoginSamples.access(
                details: [["type": "payment"]], contextClass: "urn:acr", session: SessionID("s")),
            idleLifetime: 60)
        try await made.kept(full)
        try await made.kept(LoginSamples.family(LoginSamples.hash("bare")))
        let found = try #require(try await made.store.refreshTokens(hash, tenant: LoginSamples.tenant))
        #expect(found.family == full)
        #expect(found.user?.id == LoginSamples.ann)
        #expect(try await stored(made, "bare") == LoginSamples.family(LoginSamples.hash("bare")))
        #expect(try await made.store.refreshTokens(hash, tenant: LoginSamples.other) == nil)
        #expect(try await stored(made, "else") == nil)
    }

    @Test("RFC 9700 clause 4.14.2: each rotation needs the previous counter", arguments: StoreKind.all)
    func rotate(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.kept(LoginSamples.family(hash, idleLifetime: 60))
        #expect(try await made.rotate(from: 1) == false)
        #expect(try await made.rotate(tenant: LoginSamples.other) == false)
        #expect(try await made.rotate("else") == false)
        #expect(try await made.rotate(second: 20, idle: 80))
        #expect(try await made.rotate() == false, "a second time")
        let family = try #require(try await stored(made))
        #expect(family.counter == 1)
        #expect(family.rotatedAt == LoginSamples.start + .seconds(20))
        #expect(family.idleExpiresAt == LoginSamples.start + .seconds(80))
        #expect(try await made.rotate(from: 1, second: 79, idle: nil))
        #expect(try await stored(made)?.idleExpiresAt == nil)
        #expect(try await made.database.auditLog("sertft").count == 2)
    }

    @Test("An expired family does not rotate", arguments: StoreKind.all)
    func over(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.kept(LoginSamples.family(LoginSamples.hash("idle"), idleLifetime: 60))
        try await made.kept(LoginSamples.family(LoginSamples.hash("old"), lifetime: 90, idleLifetime: 1000))
        #expect(try await made.rotate("idle", second: 60) == false)
        #expect(try await made.rotate("idle", second: 59))
        #expect(try await made.rotate("old", second: 90) == false)
        #expect(try await made.rotate("old", second: 89))
    }

    @Test("One of 100 concurrent rotations succeeds", arguments: StoreKind.all)
    func race(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.kept(LoginSamples.family(hash))
        #expect(try await winners { _ in try await made.rotate() } == 1)
        #expect(try await stored(made)?.counter == 1)
        #expect(try await made.database.auditLog("sertft").count == 1)
    }

    @Test("Renewing moves the idle expiry and leaves the counter unchanged", arguments: StoreKind.all)
    func renew(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.kept(LoginSamples.family(hash, lifetime: 90, idleLifetime: 60))
        let end = LoginSamples.start + .seconds(99)
        func renew(
            _ family: [UInt8], tenant: TenantID = LoginSamples.tenant, counter: Int = 0, second: Int = 1
        ) async throws -> Bool {
            try await made.store.renew(
                family, counter: counter, tenant: tenant, now: LoginSamples.start + .seconds(second),
                idleExpiresAt: end,
                event: LoginSamples.event(.refreshTokenExchanged))
        }
        #expect(try await renew(hash, tenant: LoginSamples.other) == false)
        #expect(try await renew(LoginSamples.hash("revoked")) == false)
        #expect(try await renew(hash, counter: 1) == false)
        #expect(try await renew(hash, second: 60) == false, "it was not used for too long")
        #expect(try await made.database.auditLog("sertft").isEmpty)
        #expect(try await renew(hash, second: 59))
        #expect(try await renew(hash, second: 90) == false, "it has ended")
        #expect(try await made.database.auditLog("sertft").count == 1)
        let family = try #require(try await stored(made))
        #expect(family.idleExpiresAt == end)
        #expect(family.counter == 0)
        #expect(family.rotatedAt == LoginSamples.start)
    }

    @Test("Revoking ends an authorization's refresh tokens and access tokens", arguments: StoreKind.all)
    func revoke(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.kept(LoginSamples.family(hash, access: LoginSamples.access("one")))
        try await made.kept(LoginSamples.family(LoginSamples.hash("second"), access: LoginSamples.access("two")))
        func revoke(_ tenant: TenantID, until second: Int) async throws {
            try await made.store.revoke(
                AuthorizationID("one"), tenant: tenant, tokensExpireAt: LoginSamples.start + .seconds(second),
                event: LoginSamples.event(.tokenRevoked))
        }
        func isRevoked(_ id: String, _ tenant: TenantID = LoginSamples.tenant) async throws -> Bool {
            try await made.store.isRevoked(AuthorizationID(id), tenant: tenant)
        }
        #expect(try await isRevoked("one") == false)
        try await revoke(LoginSamples.tenant, until: 500)
        #expect(try await isRevoked("one"))
        #expect(try await isRevoked("two") == false)
        #expect(try await isRevoked("one", LoginSamples.other) == false)
        #expect(try await stored(made) == nil)
        #expect(try await stored(made, "second") != nil)
        #expect(try await made.rotate() == false)
        try await revoke(LoginSamples.tenant, until: 100)
        try await made.sweepAll(endedBefore: LoginSamples.start + .seconds(499))
        #expect(try await isRevoked("one"), "an earlier end does not shorten the note")
        #expect(try await made.database.auditLog("srrt").count == 1, "a second revocation ends nothing")
    }

    @Test("Another tenant revokes nothing", arguments: StoreKind.all)
    func foreignRevoke(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.kept(LoginSamples.family(hash, access: LoginSamples.access("one")))
        try await made.store.revoke(
            AuthorizationID("one"), tenant: LoginSamples.other, tokensExpireAt: LoginSamples.start,
            event: LoginSamples.event(.tokenRevoked, tenant: LoginSamples.other))
        #expect(try await stored(made) != nil)
        #expect(try await made.store.isRevoked(AuthorizationID("one"), tenant: LoginSamples.tenant) == false)
    }

    @Test("Only a user's last 200 families at a client stay", arguments: StoreKind.all)
    func limit(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.kept(LoginSamples.family(LoginSamples.hash("idle"), idleLifetime: 0))
        try await made.kept(
            LoginSamples.family(LoginSamples.hash("bob"), access: LoginSamples.access(user: LoginSamples.bob)))
        try await made.kept(
            LoginSamples.family(LoginSamples.hash("else"), access: LoginSamples.access(client: ClientID("else"))))
        for index in 0..<200 { try await made.kept(LoginSamples.family(LoginSamples.hash("\(index)"))) }
        #expect(try await stored(made, "0") != nil)
        try await made.kept(LoginSamples.family(LoginSamples.hash("200")))
        #expect(try await stored(made, "0") == nil)
        for name in ["1", "200", "bob", "else"] { #expect(try await stored(made, name) != nil, "\(name)") }
        #expect(try await stored(made, "idle") == nil, "older than the oldest")
        #expect(try await made.database.count("refresh_token_family") == 202)
    }

    @Test(
        "A family that ended with its user's access is found with the current user until its own expiry",
        arguments: StoreKind.all)
    func endedAccess(kind: StoreKind) async throws {
        let made = try await kind.populated()
        func ended(_ tenant: TenantID = LoginSamples.tenant) async throws -> (client: ClientID, user: User?)? {
            try await made.store.endedRefreshTokens(hash, tenant: tenant)
        }
        try await made.kept(LoginSamples.family(hash, lifetime: 600))
        #expect(try await ended() == nil)
        try await made.store.change {
            try $0.endAccess(of: LoginSamples.ann, in: LoginSamples.tenant, now: LoginSamples.start)
        }
        let known = try #require(try await ended())
        #expect(
            known.client == LoginSamples.agent && known.user?.id == LoginSamples.ann && known.user?.blocked == false)
        #expect(try await ended(LoginSamples.other) == nil)
        try await made.delete(LoginSamples.ann)
        let gone = try #require(try await ended())
        #expect(gone.user == nil)
        try await made.sweepAll(endedBefore: LoginSamples.start + .seconds(600))
        #expect(try await ended() != nil)
        try await made.sweepAll(endedBefore: LoginSamples.start + .seconds(601))
        #expect(try await ended() == nil)
    }

    @Test("Deleting a user deletes their families", arguments: StoreKind.all)
    func deletedUser(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.kept(LoginSamples.family(hash))
        try await made.kept(
            LoginSamples.family(LoginSamples.hash("bob"), access: LoginSamples.access(user: LoginSamples.bob)))
        try await made.delete(LoginSamples.ann)
        #expect(try await stored(made) == nil)
        #expect(try await stored(made, "bob") != nil)
    }
}
