import Audit
import AuthorizationCore
@testable import Flows
@testable import OAuthWire
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Exchanging codes and refresh tokens")
struct CodeExchangeTests {
    private func authenticated<Grant: Sendable>(_ grant: Grant, _ fixture: FlowFixture) throws -> Authenticated<Grant> {
        try fixture.authenticated(client: "web").with(grant)
    }

    /// The same tenant without a key.
    private func withoutKeys(_ fixture: FlowFixture) -> FlowFixture {
        var changed = fixture
        changed.configuration = TenantConfiguration(
            tenant: fixture.tenant, clients: [Samples.website()], resourceServers: [], roles: [],
            keys: KeyRing(current: [], published: []))
        return changed
    }

    @Test("A failed signature uses up neither the code nor the refresh token")
    func failedSignature() async throws {
        let fixture = try await FlowFixture(
            clients: [Samples.website { $0.refreshTokens.rotates = true }], phone: false)
        let broken = withoutKeys(fixture)
        try await fixture.made.keep(
            Samples.code(
                "code", Samples.access(client: "web", audience: fixture.tenant.userinfoAudience), redirectURI: nil))
        let code = AuthorizationCodeGrant(code: "code", redirectURI: nil, codeVerifier: Samples.verifier, audience: nil)
        let redeem = RedeemAuthorizationCode(
            store: fixture.made.store, revocations: fixture.made.store, issuer: fixture.issuer, hashing: Samples.hashing
        )
        await #expect(throws: TokenIssuer.Failure.self) {
            _ = try await redeem.redeem(try authenticated(code, broken))
        }
        let tokens = try await redeem.redeem(try authenticated(code, fixture))

        let grant = RefreshTokenGrant(token: try #require(tokens.refreshToken), scope: nil, audience: nil)
        let exchange = ExchangeRefreshToken(
            store: fixture.made.store, secrets: FlowFixture.refreshTokens, issuer: fixture.issuer,
            budgets: fixture.budgets)
        await #expect(throws: TokenIssuer.Failure.self) {
            _ = try await exchange.exchange(try authenticated(grant, broken))
        }
        let next = try await exchange.exchange(try authenticated(grant, fixture))
        #expect(next.refreshToken != nil)
        #expect(next.refreshToken != grant.token)
    }

    /// Does something after each read.
    private struct InterferingStore: RefreshTokenStore {
        let store: Store
        let interfere: @Sendable (RefreshTokenFamily) async throws -> Void

        func refreshTokens(
            _ family: [UInt8], tenant: TenantID
        ) async throws -> (family: RefreshTokenFamily, user: User?)? {
            let read = try await store.refreshTokens(family, tenant: tenant)
            if let family = read?.family { try await interfere(family) }
            return read
        }

        func endedRefreshTokens(
            _ family: [UInt8], tenant: TenantID
        ) async throws -> (client: ClientID, user: User?)? {
            try await store.endedRefreshTokens(family, tenant: tenant)
        }

        func rotate(
            _ family: [UInt8], from counter: Int, tenant: TenantID, now: Timestamp, idleExpiresAt: Timestamp?,
            event: AuditEvent
        ) async throws -> Bool {
            try await store.rotate(
                family, from: counter, tenant: tenant, now: now, idleExpiresAt: idleExpiresAt, event: event)
        }

        func renew(
            _ family: [UInt8], counter: Int, tenant: TenantID, now: Timestamp, idleExpiresAt: Timestamp?,
            event: AuditEvent
        ) async throws -> Bool {
            try await store.renew(
                family, counter: counter, tenant: tenant, now: now, idleExpiresAt: idleExpiresAt, event: event)
        }

        func revoke(
            _ authorization: AuthorizationID, tenant: TenantID, tokensExpireAt: Timestamp, event: AuditEvent
        ) async throws {
            try await store.revoke(authorization, tenant: tenant, tokensExpireAt: tokensExpireAt, event: event)
        }

        func isRevoked(_ authorization: AuthorizationID, tenant: TenantID) async throws -> Bool {
            try await store.isRevoked(authorization, tenant: tenant)
        }

        func end(
            _ row: ChangedRow, hash: [UInt8], tenant: TenantID, tokensExpireAt: Timestamp, event: AuditEvent
        ) async throws {
            try await store.end(row, hash: hash, tenant: tenant, tokensExpireAt: tokensExpireAt, event: event)
        }
    }

    @Test(
        "RFC 7009 clause 2.1: a token that is revoked while it is exchanged gives no tokens, whether it rotates or not",
        arguments: [false, true])
    func revokedMeanwhile(rotates: Bool) async throws {
        let fixture = try await FlowFixture(
            clients: [Samples.website { $0.refreshTokens.rotates = rotates }], phone: false)
        try await fixture.made.keep(
            Samples.code(
                "code", Samples.access(client: "web", audience: fixture.tenant.userinfoAudience), redirectURI: nil))
        let redeem = RedeemAuthorizationCode(
            store: fixture.made.store, revocations: fixture.made.store, issuer: fixture.issuer, hashing: Samples.hashing
        )
        let code = AuthorizationCodeGrant(code: "code", redirectURI: nil, codeVerifier: Samples.verifier, audience: nil)
        let tokens = try await redeem.redeem(try authenticated(code, fixture))
        let now = fixture.clock.now
        let store = InterferingStore(store: fixture.made.store) { family in
            try await fixture.made.store.revoke(
                family.access.id, tenant: family.access.tenant, tokensExpireAt: now,
                event: AuditEvent(.tokenRevoked, tenant: family.access.tenant, at: now))
        }
        let exchange = ExchangeRefreshToken(
            store: store, secrets: FlowFixture.refreshTokens, issuer: fixture.issuer, budgets: fixture.budgets)
        let grant = RefreshTokenGrant(token: try #require(tokens.refreshToken), scope: nil, audience: nil)
        let error = await #expect(throws: OAuthError.self) {
            _ = try await exchange.exchange(try authenticated(grant, fixture))
        }
        #expect(error?.code == .invalidGrant)
        #expect(try await fixture.made.database.auditLog("sertft").isEmpty)
    }
}
