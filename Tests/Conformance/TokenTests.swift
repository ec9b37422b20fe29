import AuthorizationCore
import Flows
import HTTPModel
import JOSE
import OpenSSLCrypto
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Tokens: OIDC Core, RFC 9068, RFC 9396")
struct TokenTests {
    // MARK: OIDC Core 2

    @Test("OIDC Core 2: the ID token's issuer, subject, audience, times, and how the user was authenticated")
    func idToken() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        fixture.server.advance(.seconds(7))
        let decided = fixture.server.clock.now
        _ = try await fixture.phone.decide(id)
        fixture.server.advance(.seconds(2))
        let answer = try await fixture.client.poll(id)
        let token = try await fixture.verified(answer["id_token"])
        #expect(token.jws.type == "JWT")
        #expect(token["iss"] == "https://dev.example/")
        #expect(token["sub"] == "auth0|ann")
        #expect(token["aud"] == "agent")
        #expect(token.claims.issuedAt == fixture.server.clock.now)
        #expect(token.claims.expires == fixture.server.clock.now + .seconds(36_000))
        #expect(token.claims.date("auth_time") == decided)
        #expect(token["amr"]?.stringsValue == ["pop", "mca"])
        #expect(token["acr"]?.stringValue?.isEmpty == false)
        #expect(token["authorization_details"] == nil)
        #expect(token["nonce"] == nil)
    }

    @Test(
        "OIDC Core 3.1.3.6: at_hash is the left half of the access token's hash",
        arguments: [JWSAlgorithm.rs256, .ps256, .es256, .edDSA])
    func accessTokenHash(algorithm: JWSAlgorithm) async throws {
        let fixture = try await ConformanceFixture {
            $0.clients = [Samples.client("agent") { $0.idTokenAlgorithm = algorithm }]
        }
        let answer = try await fixture.tokens()
        let token = try await fixture.verified(answer["id_token"])
        #expect(token.jws.algorithm == algorithm)
        let access = try (answer["access_token"]?.stringValue).orThrow("no access token")
        let hash = Samples.hashing.hash(algorithm.hash, Array(access.utf8))
        #expect(token["at_hash"]?.stringValue == Base64URL.encode(hash.prefix(hash.count / 2)))
    }

    @Test("OIDC Core 5.4: the ID token has the claims of the requested scopes, and no others")
    func claims() async throws {
        let fixture = try await ConformanceFixture {
            $0.users[0].email = "ann@example.org"
            $0.users[0].emailVerified = true
            $0.users[0].name = "Ann"
            $0.users[0].givenName = "Ann"
            $0.users[0].phoneNumber = "+41440000000"
        }
        let base: Set = ["iss", "sub", "aud", "iat", "exp", "auth_time", "amr", "acr", "at_hash"]
        for (scope, expected) in [
            ("openid", []), ("openid email", ["email", "email_verified"]),
            ("openid phone", ["phone_number", "phone_number_verified"]), ("openid name", ["name"]),
            ("openid profile", ["name", "given_name", "updated_at"]),
        ] as [(String, Set<String>)] {
            fixture.server.advance(.seconds(61))
            let answer = try await fixture.tokens(["scope": scope])
            #expect(try await fixture.verified(answer["id_token"]).names == base.union(expected), "\(scope)")
        }
    }

    @Test("Auth0's oidc_conformant makes no difference to the tokens")
    func oidcConformant() async throws {
        let fixture = try await ConformanceFixture { $0.clients[0].oidcConformant = false }
        #expect(try await fixture.tokens().status == 200)
    }

    // MARK: access tokens

    @Test("Auth0's dialect: azp, scope, and userinfo as a second audience if openid was granted")
    func auth0Dialect() async throws {
        let fixture = try await ConformanceFixture()
        let answer = try await fixture.tokens(["audience": Samples.api, "scope": "openid pay:send"])
        let token = try await fixture.verified(answer["access_token"])
        #expect(token.jws.type == "JWT")
        #expect(token.jws.algorithm == .es256)
        #expect(token.names == ["iss", "sub", "aud", "iat", "exp", "jti", "scope", "azp"])
        #expect(token.claims.audience == [Samples.api, "https://dev.example/userinfo"])
        #expect(token["azp"] == "agent")
        #expect(token["scope"] == "openid pay:send")
        #expect(answer["scope"] == "openid pay:send")
    }

    @Test("RFC 9068 clause 2: at+jwt with client_id, jti, auth_time, acr and amr")
    func rfc9068() async throws {
        let fixture = try await ConformanceFixture {
            try $0.apis = [Samples.resourceServer { $0.tokenDialect = .rfc9068 }]
        }
        let answer = try await fixture.tokens(["audience": Samples.api, "scope": "openid pay:send"])
        let token = try await fixture.verified(answer["access_token"])
        #expect(token.jws.type == "at+jwt")
        #expect(
            token.names == [
                "iss", "sub", "aud", "iat", "exp", "scope", "client_id", "jti", "auth_time", "acr", "amr",
            ])
        #expect(token["client_id"] == "agent")
        fixture.server.advance(.seconds(61))
        let second = try await fixture.tokens(["audience": Samples.api, "scope": "openid pay:send"])
        #expect(try await fixture.verified(second["access_token"])["jti"] != token["jti"])
    }

    @Test(
        "The authz dialects of an API that enforces policies contain permissions",
        arguments: [ResourceServer.TokenDialect.accessTokenAuthz, .rfc9068Authz])
    func permissions(dialect: ResourceServer.TokenDialect) async throws {
        let fixture = try await ConformanceFixture { setup in
            setup.apis = [
                try Samples.resourceServer {
                    $0.tokenDialect = dialect
                    $0.enforcesPolicies = true
                }
            ]
            setup.roles = [
                Role(
                    id: RoleID("payer"), name: "Payer", description: "",
                    permissions: [.init(resourceServer: Samples.api, scope: "pay:send")])
            ]
            setup.users[0].roles = [RoleID("payer")]
        }
        let answer = try await fixture.tokens(["audience": Samples.api, "scope": "openid pay:send pay:read"])
        let token = try await fixture.verified(answer["access_token"])
        #expect(token["permissions"]?.stringsValue == ["pay:send"])
        #expect(token["scope"] == "openid pay:send")
    }

    @Test(
        "Every algorithm that an API may choose signs its tokens",
        arguments: [JWSAlgorithm.rs256, .ps256, .es256, .edDSA])
    func accessTokenAlgorithm(algorithm: JWSAlgorithm) async throws {
        let fixture = try await ConformanceFixture {
            try $0.apis = [Samples.resourceServer { $0.signingAlgorithm = algorithm }]
        }
        let answer = try await fixture.tokens(["audience": Samples.api])
        #expect(try await fixture.verified(answer["access_token"]).jws.algorithm == algorithm)
    }

    @Test("The API sets lifetime and expires_in")
    func lifetime() async throws {
        let fixture = try await ConformanceFixture { try $0.apis = [Samples.resourceServer { $0.tokenLifetime = 600 }] }
        let answer = try await fixture.tokens(["audience": Samples.api])
        #expect(answer["expires_in"]?.intValue == 600)
        let token = try await fixture.verified(answer["access_token"])
        #expect(token.claims.expires == fixture.server.clock.now + .seconds(600))
    }

    @Test("Undefined and unpermitted scopes are dropped, and the answer lists the granted ones")
    func filteredScopes() async throws {
        let fixture = try await ConformanceFixture {
            $0.clients.append(Samples.client("reader") { $0.limit(to: [Samples.api: ["pay:read"]]) })
        }
        let answer = try await fixture.tokens(["audience": Samples.api, "scope": "openid pay:send pay:fly pay:read"])
        #expect(answer["scope"] == "openid pay:send pay:read")
        let other = try await fixture.tokens(
            ["audience": Samples.api, "scope": "openid pay:send pay:read"],
            from: InProcessClient("reader", via: fixture.server))
        #expect(other["scope"] == "openid pay:read")
    }

    @Test("RFC 6749 1.5: offline_access gives a refresh token if the API allows it, stored as a hash")
    func refreshToken() async throws {
        let fixture = try await ConformanceFixture {
            try $0.apis = [Samples.resourceServer { $0.allowsOfflineAccess = true }]
        }
        let answer = try await fixture.tokens(["audience": Samples.api, "scope": "openid offline_access"])
        let token = try (answer["refresh_token"]?.stringValue).orThrow("no refresh token")
        let rows = try await fixture.server.dump().filter { $0.hasPrefix("refresh_token") }
        #expect(rows.count == 1)
        let family = try Base64URL.decode(token.dropFirst("v1.M".count)).orThrow("no base64url").prefix(16)
        #expect(rows.joined().contains(Hex.encode(Samples.hashing.sha256(Array(family))).uppercased()))
        #expect(!rows.joined().contains(Hex.encode(Array(family)).uppercased()))
        #expect(!rows.joined().contains(token))
    }

    @Test("An API without offline access gives no refresh token")
    func noOfflineAccess() async throws {
        let fixture = try await ConformanceFixture()
        let answer = try await fixture.tokens(["audience": Samples.api, "scope": "openid offline_access"])
        #expect(answer["refresh_token"] == nil)
        #expect(answer["scope"] == "openid")
    }

    @Test(
        "RFC 6749 5.2: a client without the refresh grant gets no refresh token, for an API or for userinfo",
        arguments: [Samples.api, nil])
    func noRefreshGrant(audience: String?) async throws {
        let fixture = try await ConformanceFixture {
            try $0.apis = [Samples.resourceServer { $0.allowsOfflineAccess = true }]
            $0.clients[0].grantTypes.remove(.refreshToken)
        }
        let answer = try await fixture.tokens(["audience": audience, "scope": "openid offline_access"])
        #expect(answer["refresh_token"] == nil)
        #expect(answer["scope"] == "openid")
    }

    // MARK: RFC 9396

    static let payment =
        #"[{"type":"payment","amount":{"value":12.50,"currency":"EUR"},"to":"Zoë"},{"type":"payment","n":1}]"#

    @Test("RFC 9396 7, 9: the token response and the access token contain the details as sent")
    func details() async throws {
        let fixture = try await ConformanceFixture()
        let answer = try await fixture.tokens(["audience": Samples.api, "authorization_details": Self.payment])
        let expected = try JSONReader.parse(Self.payment)
        #expect(answer["authorization_details"] == expected)
        #expect(answer.text.contains("12.50"))
        #expect(try await fixture.verified(answer["access_token"])["authorization_details"] == expected)
        #expect(try await fixture.verified(answer["id_token"])["authorization_details"] == nil)
    }

    @Test("RFC 9396 5: an unregistered type is refused with its entry and name")
    func unregisteredType() async throws {
        let fixture = try await ConformanceFixture()
        expectError(
            try await fixture.client.start([
                "audience": Samples.api, "authorization_details": #"[{"type":"payment"},{"type":"loan"}]"#,
            ]), 400, "invalid_authorization_details",
            "authorization_details[1] has the type 'loan', which \(Samples.api) has not registered")
    }

    @Test("RFC 9396 5: details that violate the schema are refused with the place")
    func schema() async throws {
        let fixture = try await ConformanceFixture {
            $0.apis = [
                try Samples.resourceServer(
                    schema: [
                        "type": "object", "required": ["amount"],
                        "properties": ["amount": ["type": "number", "maximum": 100]],
                    ])
            ]
        }
        for (details, expected) in [
            (#"[{"type":"payment","amount":250}]"#, "amount"), (#"[{"type":"payment"}]"#, "amount"),
        ] {
            let answer = try await fixture.client.start(["audience": Samples.api, "authorization_details": details])
            expectError(answer, 400, "invalid_authorization_details")
            #expect(answer.message.hasPrefix("authorization_details[0]"), "\(answer.message)")
            #expect(answer.message.contains(expected), "\(answer.message)")
        }
        let good = try await fixture.client.start([
            "audience": Samples.api, "authorization_details": #"[{"type":"payment","amount":99.5}]"#,
        ])
        #expect(good.status == 200)
    }

    @Test("RFC 9396 5: details that need too many steps to check are refused, logged and counted at every endpoint")
    func stepBudget() async throws {
        let limit = DetailsCheckLimit(steps: 100_000)
        let fixture = try await ConformanceFixture {
            $0.detailsCheckLimit = limit
            $0.clients.append(Samples.app())
            $0.apis = [try Samples.resourceServer(schema: ["properties": ["note": ["pattern": "(?:a?){500}b"]]])]
        }
        func details(_ length: Int) -> String {
            #"[{"type":"payment","note":"\#(String(repeating: "a", count: length))b"}]"#
        }
        let answer = try await fixture.client.start(["audience": Samples.api, "authorization_details": details(200)])
        expectError(answer, 400, "invalid_authorization_details")
        #expect(answer.message.contains("100000 steps"), "\(answer.message)")
        #expect(limit.refusals == 1)
        // Five entries share one request's budget.
        let five = "[" + (0..<5).map { _ in String(details(25).dropFirst().dropLast()) }.joined(separator: ",") + "]"
        expectError(
            try await fixture.client.start(["audience": Samples.api, "authorization_details": five]), 400,
            "invalid_authorization_details")
        #expect(limit.refusals == 2)
        // The budget also holds for public clients.
        let pushed = await fixture.server.send(
            .form(
                "/oauth/par",
                [
                    "client_id": "app", "response_type": "code", "redirect_uri": Samples.callback,
                    "audience": Samples.api, "authorization_details": details(200), "code_challenge_method": "S256",
                    "code_challenge": CodeChallenge(of: Samples.verifier, Samples.hashing).description,
                ]))
        expectError(pushed, 400, "invalid_authorization_details")
        #expect(limit.refusals == 3)
    }

    @Test("RFC 9396: details without an API are refused")
    func noAudience() async throws {
        let fixture = try await ConformanceFixture()
        expectError(
            try await fixture.client.start(["authorization_details": Self.payment]), 400,
            "invalid_authorization_details")
    }
}
