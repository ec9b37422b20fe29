import AuthorizationCore
import Flows
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: authorization codes")
struct CodeContractTests {
    private func issued(_ kind: StoreKind, _ code: AuthorizationCode = LogIn.code()) async throws -> TemporaryStore {
        let made = try await kind.populated()
        try await made.loggedIn()
        #expect(try await made.complete(code: code))
        return made
    }

    @Test("Every field of a code comes back, with its user, in its tenant only", arguments: StoreKind.all)
    func fields(kind: StoreKind) async throws {
        let full = LogIn.code(
            access: LogIn.access(
                details: [["type": "payment", "amount": 12]], contextClass: "urn:acr", session: SessionID("session")),
            redirectURI: "app://callback?x=1", nonce: "n-0S6_WzA2Mj")
        let made = try await issued(kind, full)
        #expect(try await made.complete(code: LogIn.code("bare", challenge: nil)))
        let found = try #require(await made.store.code(full.hash, tenant: LogIn.tenant))
        #expect(found.code == full)
        #expect(found.user?.id == LogIn.ann)
        #expect(
            try await made.store.code(LogIn.hash("bare"), tenant: LogIn.tenant)?.code
                == LogIn.code("bare", challenge: nil))
        #expect(try await made.store.code(full.hash, tenant: LogIn.other) == nil)
        #expect(try await made.store.code(LogIn.hash("else"), tenant: LogIn.tenant) == nil)
    }

    @Test("RFC 6749 clause 4.1.2: a code is its client's, until it expires, once", arguments: StoreKind.all)
    func redeemIsBound(kind: StoreKind) async throws {
        let made = try await issued(kind)
        let family = LogIn.family(LogIn.hash("family"))
        #expect(try await made.exchange(client: ClientID("thief"), family: family) == false)
        #expect(try await made.exchange(tenant: LogIn.other, family: family) == false)
        #expect(try await made.exchange("else", family: family) == false)
        #expect(try await made.exchange(second: 60, family: family) == false)
        #expect(try await made.database.count("refresh_token_family") == 0)
        #expect(try await made.database.auditLog("seacft").isEmpty)
        #expect(try await made.exchange(second: 59, family: family))
        #expect(try await made.exchange(family: LogIn.family(LogIn.hash("second"))) == false)
        #expect(try await made.database.count("refresh_token_family") == 1)
        #expect(try await made.database.auditLog("seacft").count == 1)
    }

    @Test("A code is renewed until it is redeemed, expires, or its session ends", arguments: StoreKind.all)
    func renewal(kind: StoreKind) async throws {
        func renew(
            _ made: TemporaryStore, _ name: String, as other: String, tenant: TenantID = LogIn.tenant, second: Int = 1
        ) async throws -> Bool {
            try await made.store.renewCode(
                LogIn.hash(name), as: LogIn.hash(other), session: nil, tenant: tenant,
                now: LogIn.start + .seconds(second))
        }
        let code = LogIn.code(access: LogIn.access(session: SessionID("session")))
        let made = try await issued(kind, code)
        #expect(try await renew(made, "code", as: "second", tenant: LogIn.other) == false)
        #expect(try await renew(made, "else", as: "second") == false)
        #expect(try await renew(made, "code", as: "second", second: 60) == false)
        #expect(try await renew(made, "code", as: "second", second: 59))
        #expect(try await made.store.code(code.hash, tenant: LogIn.tenant) == nil)
        let renewed = try #require(try await made.store.code(LogIn.hash("second"), tenant: LogIn.tenant)).code
        #expect(renewed.access == code.access && renewed.expiresAt == code.expiresAt)
        #expect(try await renew(made, "code", as: "third") == false)
        #expect(try await made.exchange() == false)
        #expect(try await made.exchange("second"))
        #expect(try await renew(made, "second", as: "third") == false)
        let other = try await issued(kind, code)
        _ = try await other.store.end(
            .id(SessionID("session")), tenant: LogIn.tenant, event: LogIn.event(.loggedOut))
        #expect(try await renew(other, "code", as: "second") == false)
    }

    @Test(
        "A code that is renewed may bring its session another cookie; the first is worth nothing then",
        arguments: StoreKind.all)
    func renewedCookie(kind: StoreKind) async throws {
        let made = try await issued(kind, LogIn.code(access: LogIn.access(session: SessionID("session"))))
        func session(_ cookie: String) async throws -> SessionID? {
            try await made.store.session(LogIn.hash(cookie), tenant: LogIn.tenant, now: LogIn.start)?.session.id
        }
        func renew(_ code: String, as other: String) async throws -> Bool {
            try await made.store.renewCode(
                LogIn.hash(code), as: LogIn.hash(other), session: LogIn.hash("another cookie"), tenant: LogIn.tenant,
                now: LogIn.start)
        }
        #expect(try await renew("else", as: "second") == false)
        #expect(try await session("session") == SessionID("session"))
        #expect(try await renew("code", as: "second"))
        #expect(try await session("session") == nil)
        #expect(try await session("another cookie") == SessionID("session"))
    }

    @Test("A redeemed code is still found, so that a replay is seen", arguments: StoreKind.all)
    func replay(kind: StoreKind) async throws {
        let made = try await issued(kind)
        #expect(try await made.store.code(LogIn.hash("code"), tenant: LogIn.tenant)?.code.isRedeemed == false)
        #expect(try await made.exchange())
        let code = try #require(try await made.store.code(LogIn.hash("code"), tenant: LogIn.tenant)).code
        #expect(code.isRedeemed)
        #expect(code.access == LogIn.access())
    }

    @Test("100 exchanges at once: one gives tokens", arguments: StoreKind.all)
    func race(kind: StoreKind) async throws {
        let made = try await issued(kind)
        let won = try await winners { index in
            try await made.exchange(family: LogIn.family(LogIn.hash("family \(index)")))
        }
        #expect(won == 1)
        #expect(try await made.database.count("refresh_token_family") == 1)
        #expect(try await made.database.auditLog("seacft").count == 1)
    }

    @Test("A user's codes go with the user", arguments: StoreKind.all)
    func deletedUser(kind: StoreKind) async throws {
        let made = try await issued(kind)
        try await made.delete(LogIn.bob)
        try await made.delete(LogIn.ann, tenant: LogIn.other)
        #expect(try await made.store.code(LogIn.hash("code"), tenant: LogIn.tenant) != nil)
        try await made.delete(LogIn.ann)
        #expect(try await made.store.code(LogIn.hash("code"), tenant: LogIn.tenant) == nil)
        #expect(try await made.exchange(family: LogIn.family(LogIn.hash("family"))) == false)
    }

    @Test("A request of a user who was deleted meanwhile gives no refresh token", arguments: StoreKind.all)
    func deletedWhileRedeeming(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device())
        try await made.started()
        _ = try await made.resolve()
        try await made.delete(LogIn.ann)
        #expect(try await made.redeem(refreshToken: LogIn.family([1])) == false)
        #expect(try await made.poll()?.state == .approved, "nothing was burned")
    }
}
