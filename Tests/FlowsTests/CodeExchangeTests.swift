import AuthorizationCore
import Flows
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Exchanging codes and refresh tokens")
struct CodeExchangeTests {
    private func asked<Grant: Sendable>(_ grant: Grant, _ world: World) throws -> Authenticated<Grant> {
        try world.authenticated(client: "web").map { _ throws(OAuthError) in grant }
    }

    /// The same tenant without a key.
    private func withoutKeys(_ world: World) -> World {
        var changed = world
        changed.directory = TenantDirectory(
            tenant: world.tenant, clients: [Samples.website()], resourceServers: [], roles: [],
            keys: KeyRing(current: [], published: []))
        return changed
    }

    @Test("A failed signature burns neither the code nor the refresh token")
    func failedSignature() async throws {
        let world = try await World(clients: [Samples.website { $0.refreshTokens.rotates = true }], phone: false)
        let broken = withoutKeys(world)
        try await world.made.keep(
            Samples.code(
                "code", Samples.access(client: "web", audience: world.tenant.userinfoAudience), redirectURI: nil))
        let code = AuthorizationCodeGrant(code: "code", redirectURI: nil, codeVerifier: Samples.verifier)
        let redeem = RedeemAuthorizationCode(
            store: world.made.store, revocations: world.made.store, issuer: world.issuer, hashing: Samples.hashing)
        await #expect(throws: TokenIssuer.Failure.self) {
            _ = try await redeem.redeem(try asked(code, broken), now: world.clock.now)
        }
        let tokens = try await redeem.redeem(try asked(code, world), now: world.clock.now)

        let grant = RefreshTokenGrant(token: try #require(tokens.refreshToken), scope: nil, audience: nil)
        let exchange = ExchangeRefreshToken(
            store: world.made.store, secrets: World.refreshTokens, issuer: world.issuer)
        await #expect(throws: TokenIssuer.Failure.self) {
            _ = try await exchange.exchange(try asked(grant, broken), now: world.clock.now)
        }
        let next = try await exchange.exchange(try asked(grant, world), now: world.clock.now)
        #expect(next.refreshToken != nil)
        #expect(next.refreshToken != grant.token)
    }
}
