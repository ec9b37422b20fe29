import Administration
import AuthorizationCore
import Flows
import OAuthWire
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: consents")
struct ConsentGrantContractTests {
    private func given(_ made: TemporaryStore, _ consent: ConsentGrant, _ name: String) async throws {
        let session = LogIn.session(name, user: consent.user)
        try await made.loggedIn(session)
        let access = LogIn.access(client: consent.client, user: consent.user, audience: consent.audience)
        #expect(
            try await made.complete(
                code: LogIn.code(name, access: access), consent: consent,
                use: LogIn.use(name, client: consent.client)))
    }

    private func stored(_ made: TemporaryStore, tenant: TenantID = LogIn.tenant) async throws -> ConsentGrant? {
        try await made.store.consent(of: LogIn.ann, to: LogIn.agent, audience: Samples.api, tenant: tenant)
    }

    private func revoke(
        _ made: TemporaryStore, audience: String?, tenant: TenantID = LogIn.tenant
    ) async throws -> Int {
        try await made.store.revokeConsent(
            of: LogIn.ann, to: LogIn.agent, audience: audience, tenant: tenant, event: LogIn.event(.consentRevoked))
    }

    @Test("A further consent adds its scopes to those before", arguments: StoreKind.all)
    func adding(kind: StoreKind) async throws {
        let made = try await kind.populated()
        #expect(try await stored(made) == nil)
        try await given(made, LogIn.consent(scope: ["openid", "pay:read"]), "one")
        #expect(try await stored(made) == LogIn.consent(scope: ["openid", "pay:read"]))
        try await given(made, LogIn.consent(scope: ["pay:send", "openid"], second: 5), "two")
        let both = try #require(try await stored(made))
        #expect(both.scope == ScopeSet(["openid", "pay:read", "pay:send"]))
        #expect(both.createdAt == LogIn.start)
        #expect(both.updatedAt == LogIn.start + .seconds(5))
        #expect(try await stored(made, tenant: LogIn.other) == nil)
    }

    @Test("100 consents at once are all kept", arguments: StoreKind.all)
    func race(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        let completed = try await winners { index in
            try await made.complete(code: LogIn.code("\(index)"), consent: LogIn.consent(scope: ["scope:\(index)"]))
        }
        #expect(completed == 100)
        #expect(try await stored(made)?.scope.tokens.count == 100)
    }

    @Test("A user's consents are listed oldest first", arguments: StoreKind.all)
    func list(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await given(made, LogIn.consent(client: ClientID("b"), second: 2), "b")
        try await given(made, LogIn.consent(client: ClientID("a"), second: 1), "a")
        try await given(made, LogIn.consent(user: LogIn.bob), "bob")
        let listed = try await made.store.consents(of: LogIn.ann, tenant: LogIn.tenant)
        #expect(listed.map(\.client) == [ClientID("a"), ClientID("b")])
        #expect(try await made.store.consents(of: LogIn.ann, tenant: LogIn.other).isEmpty)
    }

    @Test("Revoking for an API ends what the client got of it, and nothing else", arguments: StoreKind.all)
    func revokeOne(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for audience in [Samples.api, "https://else.example/"] {
            try await given(made, LogIn.consent(audience: audience), "code for \(audience)")
            try await made.kept(LogIn.family(LogIn.hash(audience), access: LogIn.access(audience: audience)))
        }
        #expect(try await revoke(made, audience: Samples.api, tenant: LogIn.other) == 0)
        #expect(try await made.database.auditLog("consent_revoked").isEmpty)
        #expect(try await revoke(made, audience: Samples.api) == 1)
        #expect(try await revoke(made, audience: Samples.api) == 0)
        #expect(try await made.database.auditLog("consent_revoked").count == 1)
        #expect(try await stored(made) == nil)
        #expect(try await made.store.refreshTokens(LogIn.hash(Samples.api), tenant: LogIn.tenant) == nil)
        #expect(try await made.exchange("code for \(Samples.api)") == false)
        #expect(try await made.store.refreshTokens(LogIn.hash("https://else.example/"), tenant: LogIn.tenant) != nil)
        #expect(try await made.exchange("code for https://else.example/"))
    }

    @Test("RFC 7009 clause 2.1: taking a consent back ends the access tokens that came of it", arguments: StoreKind.all)
    func accessTokens(kind: StoreKind) async throws {
        for byAdministrator in [false, true] {
            let made = try await kind.populated()
            func isRevoked(_ id: String) async throws -> Bool {
                try await made.store.isRevoked(AuthorizationID(id), tenant: LogIn.tenant)
            }
            try await given(made, LogIn.consent(), "code")
            for (name, client) in [("one", LogIn.agent), ("another client's", ClientID("else"))] {
                try await made.kept(LogIn.family(LogIn.hash(name), access: LogIn.access(name, client: client)))
            }
            if byAdministrator {
                let filter = ConsentFilter(user: LogIn.ann, client: LogIn.agent)
                _ = try await made.store.change {
                    try $0.removeConsents(filter, from: LogIn.tenant, now: LogIn.start)
                }
            } else {
                _ = try await revoke(made, audience: nil)
            }
            #expect(try await isRevoked("one"))
            #expect(try await !isRevoked("another client's"))
        }
    }

    @Test("Revoking for all APIs spares other clients and users", arguments: StoreKind.all)
    func revokeAll(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await given(made, LogIn.consent(), "one")
        try await given(made, LogIn.consent(audience: "https://else.example/"), "two")
        try await given(made, LogIn.consent(client: ClientID("else")), "three")
        try await given(made, LogIn.consent(user: LogIn.bob), "four")
        #expect(try await revoke(made, audience: nil) == 2)
        #expect(try await made.database.count("consent_grant") == 2)
    }

    @Test("A user's consents go with the user", arguments: StoreKind.all)
    func deletedUser(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await given(made, LogIn.consent(), "one")
        try await given(made, LogIn.consent(user: LogIn.bob), "two")
        try await made.delete(LogIn.ann)
        #expect(try await made.database.count("consent_grant") == 1)
    }
}
