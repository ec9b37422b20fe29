import Audit
import AuthorizationCore
import Flows
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: authorization codes")
struct CodeContractTests {
    private func issued(_ kind: StoreKind, _ code: AuthorizationCode = LoginSamples.code()) async throws
        -> TemporaryStore
    {
        let made = try await kind.populated()
        try await made.loggedIn()
        #expect(try await made.complete(code: code))
        return made
    }

    @Test("Every field of a code is stored, and found with its user in its tenant only", arguments: StoreKind.all)
    func fields(kind: StoreKind) async throws {
        let full = LoginSamples.code(
            access: LoginSamples.access(
                details: [["type": "payment", "amount": 12]], contextClass: "urn:acr", session: SessionID("session")),
            redirectURI: "app://callback?x=1", nonce: "n-0S6_WzA2Mj")
        let made = try await issued(kind, full)
        #expect(try await made.complete(code: LoginSamples.code("bare", challenge: nil)))
        let found = try #require(await made.store.code(full.hash, tenant: LoginSamples.tenant))
        #expect(found.code == full)
        #expect(found.user?.id == LoginSamples.ann)
        #expect(
            try await made.store.code(LoginSamples.hash("bare"), tenant: LoginSamples.tenant)?.code
                == LoginSamples.code("bare", challenge: nil))
        #expect(try await made.store.code(full.hash, tenant: LoginSamples.other) == nil)
        #expect(try await made.store.code(LoginSamples.hash("else"), tenant: LoginSamples.tenant) == nil)
    }

    @Test("RFC 6749 clause 4.1.2: only its client redeems a code, once, before it expires", arguments: StoreKind.all)
    func redeemIsBound(kind: StoreKind) async throws {
        let made = try await issued(kind)
        let family = LoginSamples.family(LoginSamples.hash("family"))
        #expect(try await made.exchange(client: ClientID("thief"), family: family) == false)
        #expect(try await made.exchange(tenant: LoginSamples.other, family: family) == false)
        #expect(try await made.exchange("else", family: family) == false)
        #expect(try await made.exchange(second: 60, family: family) == false)
        #expect(try await made.database.count("refresh_token_family") == 0)
        #expect(try await made.database.auditLog("seacft").isEmpty)
        #expect(try await made.exchange(second: 59, family: family))
        #expect(try await made.exchange(family: LoginSamples.family(LoginSamples.hash("second"))) == false)
        #expect(try await made.database.count("refresh_token_family") == 1)
        #expect(try await made.database.auditLog("seacft").count == 1)
    }

    @Test("A code is renewed until it is redeemed, expires, or its session ends", arguments: StoreKind.all)
    func renewal(kind: StoreKind) async throws {
        func renew(
            _ made: TemporaryStore, _ name: String, as other: String, tenant: TenantID = LoginSamples.tenant,
            second: Int = 1
        ) async throws -> Bool {
            try await made.store.renewCode(
                LoginSamples.hash(name), as: LoginSamples.hash(other), session: nil, tenant: tenant,
                now: LoginSamples.start + .seconds(second))
        }
        let code = LoginSamples.code(access: LoginSamples.access(session: SessionID("session")))
        let made = try await issued(kind, code)
        #expect(try await renew(made, "code", as: "second", tenant: LoginSamples.other) == false)
        #expect(try await renew(made, "else", as: "second") == false)
        #expect(try await renew(made, "code", as: "second", second: 60) == false)
        #expect(try await renew(made, "code", as: "second", second: 59))
        #expect(try await made.store.code(code.hash, tenant: LoginSamples.tenant) == nil)
        let renewed = try #require(try await made.store.code(LoginSamples.hash("second"), tenant: LoginSamples.tenant))
            .code
        #expect(renewed.access == code.access && renewed.expiresAt == code.expiresAt)
        #expect(try await renew(made, "code", as: "third") == false)
        #expect(try await made.exchange() == false)
        #expect(try await made.exchange("second"))
        #expect(try await renew(made, "second", as: "third") == false)
        let other = try await issued(kind, code)
        _ = try await other.store.end(
            .id(SessionID("session")), tenant: LoginSamples.tenant, event: LoginSamples.event(.loggedOut))
        #expect(try await renew(other, "code", as: "second") == false)
    }

    @Test(
        "Renewing a code may give its session another cookie, which voids the first",
        arguments: StoreKind.all)
    func renewedCookie(kind: StoreKind) async throws {
        let made = try await issued(kind, LoginSamples.code(access: LoginSamples.access(session: SessionID("session"))))
        func session(_ cookie: String) async throws -> SessionID? {
            try await made.store.session(
                LoginSamples.hash(cookie), tenant: LoginSamples.tenant, now: LoginSamples.start)?.session.id
        }
        func renew(_ code: String, as other: String) async throws -> Bool {
            try await made.store.renewCode(
                LoginSamples.hash(code), as: LoginSamples.hash(other), session: LoginSamples.hash("another cookie"),
                tenant: LoginSamples.tenant,
                now: LoginSamples.start)
        }
        #expect(try await renew("else", as: "second") == false)
        #expect(try await session("session") == SessionID("session"))
        #expect(try await renew("code", as: "second"))
        #expect(try await session("session") == nil)
        #expect(try await session("another cookie") == SessionID("session"))
    }

    @Test("A redeemed code is still found, so that a replay is detected", arguments: StoreKind.all)
    func replay(kind: StoreKind) async throws {
        let made = try await issued(kind)
        #expect(
            try await made.store.code(LoginSamples.hash("code"), tenant: LoginSamples.tenant)?.code.isRedeemed == false)
        #expect(try await made.exchange())
        let code = try #require(try await made.store.code(LoginSamples.hash("code"), tenant: LoginSamples.tenant)).code
        #expect(code.isRedeemed)
        #expect(code.access == LoginSamples.access())
    }

    @Test("One of 100 concurrent exchanges gives tokens", arguments: StoreKind.all)
    func race(kind: StoreKind) async throws {
        let made = try await issued(kind)
        let won = try await winners { index in
            try await made.exchange(family: LoginSamples.family(LoginSamples.hash("family \(index)")))
        }
        #expect(won == 1)
        #expect(try await made.database.count("refresh_token_family") == 1)
        #expect(try await made.database.auditLog("seacft").count == 1)
    }

    @Test("Deleting a user deletes their codes", arguments: StoreKind.all)
    func deletedUser(kind: StoreKind) async throws {
        let made = try await issued(kind)
        try await made.delete(LoginSamples.bob)
        try await made.delete(LoginSamples.ann, tenant: LoginSamples.other)
        #expect(try await made.store.code(LoginSamples.hash("code"), tenant: LoginSamples.tenant) != nil)
        try await made.delete(LoginSamples.ann)
        #expect(try await made.store.code(LoginSamples.hash("code"), tenant: LoginSamples.tenant) == nil)
        #expect(try await made.exchange(family: LoginSamples.family(LoginSamples.hash("family"))) == false)
    }

    @Test("A request of a user who was deleted meanwhile gives no refresh token", arguments: StoreKind.all)
    func deletedWhileRedeeming(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started()
        _ = try await made.resolve()
        try await made.delete(LoginSamples.ann)
        #expect(try await made.redeem(refreshToken: LoginSamples.family([1])) == false)
        #expect(try await made.poll()?.state == .approved, "nothing was burned")
    }
}
