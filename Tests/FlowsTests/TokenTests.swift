import AuthorizationCore
@testable import Flows
import JOSE
import OAuthWire
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

@Suite("Issuing tokens")
struct TokenTests {
    private let now = Samples.start
    private let issuer = TokenIssuer(
        hashing: Samples.hashing, random: SeededRandom(), refreshTokens: FlowFixture.refreshTokens)

    private func issue(
        scope: String = "openid", audience: String = Samples.api, details: JSONValue? = nil,
        user: User = Samples.user(), roles: [Role] = [],
        api change: (inout ResourceServer) -> Void = { _ in }, client changeClient: (inout Client) -> Void = { _ in },
        authorization changeAuthorization: (inout TokenIssuer.Authorization) -> Void = { _ in }
    ) throws -> (issued: TokenIssuer.Issued, configuration: TenantConfiguration) {
        let client = Samples.client("agent", changeClient)
        let configuration = try Samples.configuration(
            clients: [client], apis: [Samples.resourceServer(Samples.api, change)], roles: roles)
        var authorization = TokenIssuer.Authorization(
            context: RequestContext(configuration: configuration, now: now),
            client: RegisteredClient(client, of: configuration.tenant.id), user: user,
            access: Self.access(scope: scope, audience: audience, details: details, authTime: now - .seconds(10)))
        changeAuthorization(&authorization)
        return (try issuer.issue(authorization), configuration)
    }

    /// Access as granted on a device.
    private static func access(
        scope: String, audience: String, details: JSONValue? = nil, session: SessionID? = nil, authTime: Timestamp
    ) -> GrantedAccess {
        GrantedAccess(
            id: AuthorizationID("authorization"), tenant: TenantID("dev"), client: ClientID("agent"),
            user: UserID("auth0|ann"), scope: ScopeSet(scope.split(separator: " ").map(String.init)),
            audience: audience, authorizationDetails: details, authTime: authTime, methods: ["pop", "mca"],
            contextClass: "urn:countersign:acr:device-key", session: session)
    }

    @Test("OIDC Core 2: nonce and sid if there are any, amr and acr if they are known")
    func browserIDToken() throws {
        let (issued, configuration) = try issue(authorization: { authorization in
            authorization = TokenIssuer.Authorization(
                context: authorization.context,
                client: RegisteredClient(authorization.client, of: authorization.context.tenant.id),
                user: authorization.user, access: Samples.access(session: "the-sid"), nonce: "n")
        })
        let token = try claims(issued.response.idToken, configuration)
        #expect(token.claims["nonce"] == "n")
        #expect(token.claims["sid"] == "the-sid")
        #expect(token.claims["amr"] == ["pwd"])
        #expect(token.claims["acr"] == nil)
        #expect(token.claims["jti"] == nil, "what an access token has")
    }

    @Test("OIDC Core 2: the claims of the ID token")
    func idToken() throws {
        let (issued, configuration) = try issue(client: { $0.idTokenLifetime = 77 })
        let token = try claims(issued.response.idToken, configuration)
        #expect(token.header["typ"] == "JWT")
        #expect(token.header["kid"] == "kid-ES256")
        let expected: JSONObject = [
            "iss": "https://dev.example/", "sub": "auth0|ann", "aud": "agent", "iat": JSONValue(now.seconds),
            "exp": JSONValue(now.seconds + 77), "auth_time": JSONValue(now.seconds - 10), "amr": ["pop", "mca"],
            "acr": "urn:countersign:acr:device-key", "at_hash": token.claims["at_hash"] ?? nil,
        ]
        #expect(token.claims == expected)
    }

    @Test(
        "OIDC Core 3.1.3.6: at_hash is the left half of the access token's hash, by the ID token's algorithm",
        arguments: [JWSAlgorithm.rs256, .ps256, .es256, .edDSA])
    func atHash(algorithm: JWSAlgorithm) throws {
        let (issued, configuration) = try issue(client: { $0.idTokenAlgorithm = algorithm })
        let token = try claims(issued.response.idToken, configuration)
        #expect(token.header["alg"]?.stringValue == algorithm.rawValue)
        let accessToken = Array(issued.response.accessToken.utf8)
        let half =
            algorithm == .edDSA
            ? Samples.hashing.hash(.sha512, accessToken).prefix(32) : Samples.hashing.sha256(accessToken).prefix(16)
        #expect(token.claims["at_hash"]?.stringValue == Base64URL.encode(half))
    }

    @Test("Without openid there is no ID token")
    func noIDToken() throws {
        let (issued, _) = try issue(scope: "pay:send")
        #expect(issued.response.idToken == nil)
        #expect(issued.response.scope == "pay:send")
        let (bare, _) = try issue(scope: "")
        #expect(bare.response.scope == nil)
    }

    @Test("OIDC Core 5.4: the user's claims follow the scopes")
    func userClaims() throws {
        let user = Samples.user("auth0|ann") { user in
            user.name = "Ann"
            user.email = "ann@example.org"
            user.phoneNumber = "+41441234567"
        }
        let (issued, configuration) = try issue(scope: "openid email", user: user)
        let token = try claims(issued.response.idToken, configuration)
        #expect(token.claims["email"] == "ann@example.org")
        #expect(token.claims["email_verified"] == false)
        #expect(token.claims["name"] == nil)
        #expect(token.claims["phone_number"] == nil)
    }

    @Test("A user's own permissions count beside those of roles")
    func ownPermissions() throws {
        func permission(_ api: String, _ scope: String) -> Role.Permission {
            Role.Permission(resourceServer: api, scope: scope)
        }
        let role = Role(
            id: RoleID("rol_1"), name: "Reader", description: "",
            permissions: [permission(Samples.api, "pay:read")])
        let user = Samples.user { user in
            user.roles = [role.id]
            user.permissions = [permission(Samples.api, "pay:send"), permission("https://other.example/", "all")]
        }
        let configuration = try Samples.configuration(roles: [role])
        #expect(configuration.permissions(of: user, at: Samples.api) == ["pay:read", "pay:send"])
        #expect(configuration.permissions(of: user, at: "https://other.example/") == ["all"])
        #expect(configuration.permissions(of: Samples.user(), at: Samples.api) == [])
    }

    @Test("The access token of each dialect", arguments: ResourceServer.TokenDialect.allCases)
    func dialects(dialect: ResourceServer.TokenDialect) throws {
        let role = Role(
            id: RoleID("payer"), name: "Payer", description: "",
            permissions: [Role.Permission(resourceServer: Samples.api, scope: "pay:send")])
        let (issued, configuration) = try issue(
            scope: "openid pay:send", user: Samples.user("auth0|ann") { $0.roles = [role.id] }, roles: [role],
            api: { api in
                api.tokenDialect = dialect
                api.tokenLifetime = 99
                api.enforcesPolicies = true
            })
        let token = try claims(issued.response.accessToken, configuration)
        var expected: JSONObject = [
            "iss": "https://dev.example/", "sub": "auth0|ann",
            "aud": [.string(Samples.api), "https://dev.example/userinfo"], "iat": JSONValue(now.seconds),
            "exp": JSONValue(now.seconds + 99), "scope": "openid pay:send",
        ]
        let identifier = try #require(token.claims["jti"]?.stringValue)
        #expect(identifier.hasPrefix("authorization."))
        #expect(identifier.utf8.count == "authorization.".utf8.count + 16)
        expected["jti"] = .string(identifier)
        switch dialect {
        case .accessToken, .accessTokenAuthz:
            expected["azp"] = "agent"
        case .rfc9068, .rfc9068Authz:
            expected["client_id"] = "agent"
            expected["auth_time"] = JSONValue(now.seconds - 10)
            expected["acr"] = "urn:countersign:acr:device-key"
            expected["amr"] = ["pop", "mca"]
        }
        if dialect == .accessTokenAuthz || dialect == .rfc9068Authz { expected["permissions"] = ["pay:send"] }
        #expect(token.claims == expected)
        #expect(token.header["typ"]?.stringValue == (dialect.isRFC9068 ? "at+jwt" : "JWT"), "RFC 9068 2.1")
        #expect(issued.response.expiresIn == 99)
        #expect(issued.response.tokenType == "Bearer")
    }

    @Test("Permissions need both an authz dialect and enforced policies")
    func permissions() throws {
        let (issued, configuration) = try issue(api: { $0.tokenDialect = .accessTokenAuthz })
        #expect(try claims(issued.response.accessToken, configuration).claims["permissions"] == nil)
    }

    @Test("aud is the API alone without openid, and the userinfo endpoint without an API")
    func audience() throws {
        let (plain, configuration) = try issue(scope: "pay:send")
        #expect(try claims(plain.response.accessToken, configuration).claims["aud"] == .string(Samples.api))
        let (userinfo, other) = try issue(audience: "https://dev.example/userinfo")
        let token = try claims(userinfo.response.accessToken, other)
        #expect(token.claims["aud"] == "https://dev.example/userinfo")
        #expect(token.header["alg"] == "RS256")
        #expect(userinfo.response.expiresIn == 86_400)
    }

    @Test(
        "Each API signs with its own algorithm, each client with its own",
        arguments: [JWSAlgorithm.rs256, .ps256, .es256, .edDSA])
    func algorithms(algorithm: JWSAlgorithm) throws {
        let (issued, configuration) = try issue(api: { $0.signingAlgorithm = algorithm })
        #expect(try claims(issued.response.accessToken, configuration).header["alg"]?.stringValue == algorithm.rawValue)
        #expect(try claims(issued.response.idToken, configuration).header["alg"] == "ES256")
    }

    @Test("RFC 9396 7 and 9.1: details stand in the response and the access token, not in the ID token")
    func details() throws {
        let details: JSONValue = [["type": "payment", "amount": .number(JSONNumber(12))]]
        let (issued, configuration) = try issue(details: details)
        #expect(issued.response.authorizationDetails == details)
        #expect(try claims(issued.response.accessToken, configuration).claims["authorization_details"] == details)
        #expect(try claims(issued.response.idToken, configuration).claims["authorization_details"] == nil)
        let (bare, other) = try issue()
        #expect(bare.response.authorizationDetails == nil)
        #expect(try claims(bare.response.accessToken, other).claims["authorization_details"] == nil)
    }

    @Test("offline_access: a refresh token, of whose family only a hash is kept")
    func refreshToken() throws {
        #expect(try issue().issued.refreshToken == nil)
        #expect(try issue().issued.response.refreshToken == nil)
        let (issued, _) = try issue(scope: "openid offline_access", details: [["type": "payment"]])
        let token = try #require(issued.response.refreshToken)
        let kept = try #require(issued.refreshToken)
        let read = try #require(
            FlowFixture.refreshTokens.read(token, of: TenantConfiguration(refreshing: TenantID("dev"))))
        #expect(kept.hash == Samples.hashing.sha256(read.family))
        #expect(kept.counter == 0)
        #expect(read.counter == 0)
        #expect(kept.access.scope.description == "openid offline_access")
        #expect(kept.access.audience == Samples.api)
        #expect(kept.access.authorizationDetails == [["type": "payment"]])
        #expect(kept.access.authTime == now - .seconds(10))
        #expect(kept.expiresAt == now + .seconds(2_592_000))
        #expect(kept.idleExpiresAt == nil)
        let (limited, _) = try issue(
            scope: "offline_access",
            client: {
                $0.refreshTokens.lifetime = 600
                $0.refreshTokens.idleLifetime = 60
            })
        #expect(limited.refreshToken?.expiresAt == now + .seconds(600))
        #expect(limited.refreshToken?.idleExpiresAt == now + .seconds(60))
    }

    @Test("A tenant without a key of the algorithm issues nothing")
    func noKey() throws {
        let client = Samples.client()
        let whole = try Samples.configuration()
        let configuration = TenantConfiguration(
            tenant: whole.tenant, clients: [client], resourceServers: [], roles: [],
            keys: KeyRing(current: [], published: []))
        #expect(throws: TokenIssuer.Failure.self) {
            try issuer.issue(
                TokenIssuer.Authorization(
                    context: RequestContext(configuration: configuration, now: now),
                    client: RegisteredClient(client, of: configuration.tenant.id), user: Samples.user(),
                    access: Self.access(
                        scope: "openid", audience: configuration.tenant.userinfoAudience, authTime: now)))
        }
    }
}
