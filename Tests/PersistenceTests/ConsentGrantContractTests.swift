import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import OAuthWire
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: consents")
struct ConsentGrantContractTests {
    private func given(_ made: TemporaryStore, _ consent: ConsentGrant, _ name: String) async throws {
        let session = LoginSamples.session(name, user: consent.user)
        try await made.loggedIn(session)
        let access = LoginSamples.access(client: consent.client, user: consent.user, audience: consent.audience)
        #expect(
            try await made.complete(
                code: LoginSamples.code(name, access: access), consent: consent,
                use: LoginSamples.use(name, client: consent.client)))
    }

    private func stored(_ made: TemporaryStore, tenant: TenantID = LoginSamples.tenant) async throws -> ConsentGrant? {
        try await made.store.consent(
            of: LoginSamples.ann, to: LoginSamples.agent, audience: Samples.api, tenant: tenant)
    }

    private func revoke(
        _ made: TemporaryStore, audience: String? = nil, tenant: TenantID = LoginSamples.tenant
    ) async throws -> Int {
        let filter = ConsentFilter(user: LoginSamples.ann, client: LoginSamples.agent, audience: audience)
        return try await made.store.change {
            try $0.removeConsents(filter, from: tenant, now: LoginSamples.start)
        }
    }

    @Test("A further consent adds its scopes to earlier ones", arguments: StoreKind.all)
    func adding(kind: StoreKind) async throws {
        let made = try await kind.populated()
        #expect(try await stored(made) == nil)
        try await given(made, LoginSamples.consent(scope: ["openid", "pay:read"]), "one")
        #expect(try await stored(made) == LoginSamples.consent(scope: ["openid", "pay:read"]))
        try await given(made, LoginSamples.consent(scope: ["pay:send", "openid"], second: 5), "two")
        let both = try #require(try await stored(made))
        #expect(both.scope == ScopeSet(["openid", "pay:read", "pay:send"]))
        #expect(both.createdAt == LoginSamples.start)
        #expect(both.updatedAt == LoginSamples.start + .seconds(5))
        #expect(try await stored(made, tenant: LoginSamples.other) == nil)
    }

    @Test("100 concurrent consents are all stored", arguments: StoreKind.all)
    func race(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.loggedIn()
        let completed = try await winners { index in
            try await made.complete(
                code: LoginSamples.code("\(index)"), consent: LoginSamples.consent(scope: ["scope:\(index)"]))
        }
        #expect(completed == 100)
        #expect(try await stored(made)?.scope.tokens.count == 100)
    }

    @Test("A user's consents are listed by client", arguments: StoreKind.all)
    func list(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await given(made, LoginSamples.consent(client: ClientID("b"), second: 2), "b")
        try await given(made, LoginSamples.consent(client: ClientID("a"), second: 1), "a")
        try await given(made, LoginSamples.consent(user: LoginSamples.bob), "bob")
        func listed(_ tenant: TenantID) async throws -> [ClientID] {
            let filter = ConsentFilter(user: LoginSamples.ann)
            return try await made.store.read { try $0.consents(filter, in: tenant, skip: 0, limit: .max).map(\.client) }
        }
        #expect(try await listed(LoginSamples.tenant) == [ClientID("a"), ClientID("b")])
        #expect(try await listed(LoginSamples.other).isEmpty)
    }

    @Test("Revoking for an API ends the client's tokens and codes of that API only", arguments: StoreKind.all)
    func revokeOne(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for audience in [Samples.api, "https://else.example/"] {
            try await given(made, LoginSamples.consent(audience: audience), "code for \(audience)")
            try await made.kept(
                LoginSamples.family(LoginSamples.hash(audience), access: LoginSamples.access(audience: audience)))
        }
        #expect(try await revoke(made, audience: Samples.api, tenant: LoginSamples.other) == 0)
        #expect(try await revoke(made, audience: Samples.api) == 1)
        #expect(try await revoke(made, audience: Samples.api) == 0)
        #expect(try await stored(made) == nil)
        #expect(try await made.store.refreshTokens(LoginSamples.hash(Samples.api), tenant: LoginSamples.tenant) == nil)
        #expect(try await made.exchange("code for \(Samples.api)") == false)
        #expect(
            try await made.store.refreshTokens(LoginSamples.hash("https://else.example/"), tenant: LoginSamples.tenant)
                != nil)
        #expect(try await made.exchange("code for https://else.example/"))
    }

    @Test("RFC 7009 clause 2.1: revoking a consent ends its access tokens", arguments: StoreKind.all)
    func accessTokens(kind: StoreKind) async throws {
        let made = try await kind.populated()
        func isRevoked(_ id: String) async throws -> Bool {
            try await made.store.isRevoked(AuthorizationID(id), tenant: LoginSamples.tenant)
        }
        try await given(made, LoginSamples.consent(), "code")
        for (name, client) in [("one", LoginSamples.agent), ("another client's", ClientID("else"))] {
            try await made.kept(
                LoginSamples.family(LoginSamples.hash(name), access: LoginSamples.access(name, client: client)))
        }
        #expect(try await revoke(made) == 1)
        #expect(try await isRevoked("one"))
        #expect(try await !isRevoked("another client's"))
    }

    @Test("Revoking for all APIs spares other clients and users", arguments: StoreKind.all)
    func revokeAll(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await given(made, LoginSamples.consent(), "one")
        try await given(made, LoginSamples.consent(audience: "https://else.example/"), "two")
        try await given(made, LoginSamples.consent(client: ClientID("else")), "three")
        try await given(made, LoginSamples.consent(user: LoginSamples.bob), "four")
        #expect(try await revoke(made) == 2)
        #expect(try await made.database.count("consent_grant") == 2)
    }

    @Test("Deleting a user deletes their consents", arguments: StoreKind.all)
    func deletedUser(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await given(made, LoginSamples.consent(), "one")
        try await given(made, LoginSamples.consent(user: LoginSamples.bob), "two")
        try await made.delete(LoginSamples.ann)
        #expect(try await made.database.count("consent_grant") == 1)
    }
}
