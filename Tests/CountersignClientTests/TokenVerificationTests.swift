import CountersignClient
import Foundation
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import Testing

/// What a check threw as the problem of a token, if it did.
private func refusal(_ body: () async throws -> Void) async -> TokenProblem? {
    do {
        try await body()
        return nil
    } catch CountersignError.tokenInvalid(let problem) {
        return problem
    } catch {
        Issue.record("unexpected: \(error)")
        return nil
    }
}

@Suite("ID token verification (OIDC Core 3.1.3.7)")
struct IDTokenTests {
    private func problem(
        _ changes: JSONObject, type: String? = "JWT", nonce: String? = nil, accessToken: String? = nil
    ) async throws -> TokenProblem? {
        let fixture = try ClientFixture()
        var claims = fixture.idTokenClaims
        for (name, value) in changes { claims[name] = value.isNull ? nil : value }
        let token = try fixture.sign(claims, type: type)
        let client = try fixture.client()
        return await refusal {
            _ = try await client.verify(
                idToken: token, subject: ClientFixture.user, nonce: nonce, accessToken: accessToken)
        }
    }

    @Test(
        "Every algorithm of the allow-list verifies", arguments: [JWSAlgorithm.rs256, .ps256, .es256, .edDSA])
    func algorithms(_ algorithm: JWSAlgorithm) async throws {
        let fixture = try ClientFixture(algorithm: algorithm)
        var claims = fixture.idTokenClaims
        claims["auth_time"] = JSONValue(fixture.clock.now.seconds - 5)
        claims["amr"] = ["mfa"]
        let token = try await fixture.client().verify(idToken: try fixture.sign(claims))
        #expect(token.subject == ClientFixture.user)
        #expect(token.methods == ["mfa"])
        #expect(token.authenticatedAt == Date(timeIntervalSince1970: Double(fixture.clock.now.seconds - 5)))
    }

    @Test("Rules 2 to 5: issuer, audience and authorized party")
    func parties() async throws {
        #expect(try await problem([:]) == nil)
        #expect(try await problem(["iss": "https://id.example.org"]) == .issuer)
        #expect(try await problem(["aud": "other"]) == .audience)
        #expect(try await problem(["aud": ["agent", "other"]]) == .authorizedParty)
        #expect(try await problem(["aud": ["agent", "other"], "azp": "agent"]) == nil)
        #expect(try await problem(["azp": "other"]) == .authorizedParty)
    }

    @Test("Rules 9 to 11: times and nonce")
    func timesAndNonce() async throws {
        #expect(try await problem(["exp": 1_799_999_900]) == .expired)
        #expect(try await problem(["exp": nil]) == .missing("exp"))
        #expect(try await problem(["iat": nil]) == .missing("iat"))
        #expect(try await problem(["iat": 1_800_000_100]) == .notYetValid)
        #expect(try await problem([:], nonce: "n-1") == .nonce)
        #expect(try await problem(["nonce": "n-2"], nonce: "n-1") == .nonce)
        #expect(try await problem(["nonce": "n-1"], nonce: "n-1") == nil)
    }

    @Test("Another user's approval is none")
    func subject() async throws {
        #expect(try await problem(["sub": "auth0|other"]) == .subject)
        #expect(try await problem(["sub": nil]) == .missing("sub"))
    }

    @Test("3.1.3.6: at_hash binds the access token")
    func accessTokenHash() async throws {
        let digest = OpenSSLHashing().sha256(Array("access-1".utf8))
        let hash = JSONValue.string(Base64URL.encode(Array(digest.prefix(16))))
        #expect(try await problem(["at_hash": hash], accessToken: "access-1") == nil)
        #expect(try await problem(["at_hash": hash], accessToken: "access-2") == .accessTokenHash)
    }

    @Test("RFC 8725 3.11: an access token is no ID token")
    func type() async throws {
        #expect(try await problem([:], type: "at+jwt") == .type("at+jwt"))
        #expect(try await problem([:], type: nil) == nil)
    }

    @Test("A tampered, unsigned or symmetrically signed token is not believed")
    func forged() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let token = try fixture.sign(fixture.idTokenClaims)
        let parts = token.split(separator: ".").map(String.init)
        var claims = fixture.idTokenClaims
        claims["sub"] = "auth0|other"
        let payload = Base64URL.encode(JSONWriter.bytes(.object(claims)))
        #expect(
            await refusal { _ = try await client.verify(idToken: "\(parts[0]).\(payload).\(parts[2])") }
                == .signature)

        func header(_ algorithm: String) -> String {
            Base64URL.encode(JSONWriter.bytes(["alg": .string(algorithm), "kid": "key-1", "typ": "JWT"]))
        }
        #expect(
            await refusal { _ = try await client.verify(idToken: "\(header("none")).\(parts[1]).") }
                == .algorithm("none"))
        // The published key as an HMAC secret: the classic confusion.
        let input = "\(header("HS256")).\(parts[1])"
        let secret = JSONWriter.bytes(fixture.key.publicKey.json)
        let mac = Base64URL.encode(OpenSSLHashing().hmac(.sha256, key: secret, Array(input.utf8)))
        #expect(await refusal { _ = try await client.verify(idToken: "\(input).\(mac)") } == .algorithm("HS256"))
        #expect(
            await refusal { _ = try await client.verify(idToken: "\(header("RS256")).\(parts[1]).\(parts[2])") }
                == .unknownKey)
        #expect(
            await refusal { _ = try await client.verify(idToken: "\(header("ES384")).\(parts[1]).\(parts[2])") }
                == .algorithm("ES384"))
        #expect(await refusal { _ = try await client.verify(idToken: "not a token") } == .malformed)
    }

    @Test("Tokens whose ID token is not believed are not handed out")
    func inFlow() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        var claims = fixture.idTokenClaims
        claims["sub"] = "auth0|other"
        fixture.transport.answer(
            "/oauth/token", 200, try fixture.tokenResponse(["id_token": .string(try fixture.sign(claims))]))
        await #expect(throws: CountersignError.tokenInvalid(.subject)) { try await client.tokens(for: pending) }
    }
}

@Suite("Published keys")
struct PublishedKeysTests {
    private let path = "/.well-known/jwks.json"

    @Test("A rotated key is fetched when its kid is first seen")
    func rotation() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        _ = try await client.verify(idToken: try fixture.sign(fixture.idTokenClaims))
        let next = try OpenSSLSigner.generate(algorithm: .es256, keyID: "key-2")
        fixture.transport.publish([fixture.key.publicKey, next.publicKey])
        _ = try await client.verify(idToken: try fixture.sign(fixture.idTokenClaims, with: next))
        #expect(fixture.transport.sent(path).count == 2)
    }

    @Test("Unknown kids do not flood the server, and never find another key")
    func cooldown() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let stranger = try OpenSSLSigner.generate(algorithm: .es256, keyID: "stranger")
        let token = try fixture.sign(fixture.idTokenClaims, with: stranger)
        for _ in 0..<10 {
            #expect(await refusal { _ = try await client.verify(idToken: token) } == .unknownKey)
        }
        #expect(fixture.transport.sent(path).count == 2)
        fixture.clock.advance(.seconds(31))
        #expect(await refusal { _ = try await client.verify(idToken: token) } == .unknownKey)
        #expect(fixture.transport.sent(path).count == 3)
    }

    @Test("RFC 9111 5.2.2.1: max-age says how long keys are fresh")
    func maxAge() async throws {
        let fixture = try ClientFixture()
        fixture.transport.publish([fixture.key.publicKey], cacheControl: "public, max-age=600")
        let client = try fixture.client()
        let token = try fixture.sign(fixture.idTokenClaims)
        _ = try await client.verify(idToken: token)
        fixture.clock.advance(.seconds(599))
        _ = try await client.verify(idToken: token)
        #expect(fixture.transport.sent(path).count == 1)
        fixture.clock.advance(.seconds(1))
        _ = try await client.verify(idToken: token)
        #expect(fixture.transport.sent(path).count == 2)
    }

    @Test("A revoked key is gone once its document is no longer fresh")
    func revoked() async throws {
        let fixture = try ClientFixture()
        fixture.transport.publish([fixture.key.publicKey], cacheControl: "max-age=60")
        let client = try fixture.client()
        let token = try fixture.sign(fixture.idTokenClaims)
        _ = try await client.verify(idToken: token)
        fixture.transport.publish([])
        fixture.clock.advance(.seconds(60))
        #expect(await refusal { _ = try await client.verify(idToken: token) } == .unknownKey)
    }

    @Test("RFC 5861 4: while the server is away old keys serve for an hour, and no longer")
    func staleIfError() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let token = try fixture.sign(fixture.idTokenClaims)
        _ = try await client.verify(idToken: token)
        fixture.transport.fail(.cannotConnect("away"))
        fixture.clock.advance(.seconds(300 + 3599))
        for _ in 0..<5 { _ = try await client.verify(idToken: token) }
        #expect(fixture.transport.sent(path).count == 2, "a failure is not repeated for each token")
        fixture.clock.advance(.seconds(2))
        await #expect(throws: CountersignError.network("away")) { try await client.verify(idToken: token) }
    }

    @Test("A hundred tokens at once fetch the keys once")
    func singleFlight() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let token = try fixture.sign(fixture.idTokenClaims)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { _ = try await client.verify(idToken: token) } }
            try await group.waitForAll()
        }
        #expect(fixture.transport.sent(path).count == 1)
    }
}

@Suite("Access token verification (RFC 9068 and the Auth0 dialect)")
struct AccessTokenTests {
    private static let audience = "https://pay.example/"

    private func claims(_ fixture: ClientFixture) -> JSONObject {
        [
            "iss": .string(ClientFixture.issuer), "sub": .string(ClientFixture.user),
            "aud": .array([.string(Self.audience), "https://id.example.org/userinfo"]),
            "iat": JSONValue(fixture.clock.now.seconds), "exp": JSONValue(fixture.clock.now.seconds + 600),
            "scope": "openid pay:send", "permissions": ["pay:send"], "client_id": "agent", "jti": "t-1",
            "authorization_details": [["type": "payment"]],
        ]
    }

    private func verifier(
        _ fixture: ClientFixture,
        _ dialects: Set<AccessTokenVerifier.Dialect> = Set(AccessTokenVerifier.Dialect.allCases)
    ) throws -> AccessTokenVerifier {
        try AccessTokenVerifier(
            issuer: try #require(URL(string: ClientFixture.issuer)), audience: Self.audience, dialects: dialects,
            environment: fixture.environment)
    }

    @Test("Both dialects are read")
    func dialects() async throws {
        let fixture = try ClientFixture()
        var claims = claims(fixture)
        let standard = try await verifier(fixture).verify(
            try fixture.sign(claims, type: "at+jwt"), scopes: ["pay:send"], permissions: ["pay:send"])
        #expect(standard.clientID == "agent")
        #expect(standard.subject == ClientFixture.user)
        #expect(standard.scope == ["openid", "pay:send"])
        #expect(standard.authorizationDetails == [["type": "payment"]])
        claims["client_id"] = nil
        claims["jti"] = nil
        claims["azp"] = "agent"
        let auth0 = try await verifier(fixture).verify(try fixture.sign(claims, type: "JWT"))
        #expect(auth0.clientID == "agent")
    }

    @Test("RFC 9068 4: unless the API says otherwise, only at+jwt is taken")
    func standardDialect() async throws {
        let fixture = try ClientFixture()
        let verifier = try AccessTokenVerifier(
            issuer: try #require(URL(string: ClientFixture.issuer)), audience: Self.audience,
            environment: fixture.environment)
        var claims = claims(fixture)
        claims["azp"] = "agent"
        _ = try await verifier.verify(try fixture.sign(claims, type: "at+jwt"))
        let token = try fixture.sign(claims, type: "JWT")
        #expect(await refusal { _ = try await verifier.verify(token) } == .type("JWT"))
    }

    @Test("RFC 9068 5: in Auth0's dialect no ID token passes, also where the API is called like a client")
    func idTokens() async throws {
        let fixture = try ClientFixture()
        func problem(_ changes: JSONObject, audience: String = "agent") async throws -> TokenProblem? {
            let verifier = try AccessTokenVerifier(
                issuer: try #require(URL(string: ClientFixture.issuer)), audience: audience, dialects: [.auth0],
                environment: fixture.environment)
            var claims = fixture.idTokenClaims
            for (name, value) in changes { claims[name] = value.isNull ? nil : value }
            let token = try fixture.sign(claims)
            return await refusal { _ = try await verifier.verify(token) }
        }
        // As OpenID providers make them.
        #expect(try await problem([:]) == .missing("azp"))
        #expect(try await problem(["azp": "agent"]) == .idToken)
        #expect(try await problem(["aud": ["agent", "other"], "azp": "agent"]) == .idToken)
        // One whose `azp` is another client than its audience, as some providers make for mobile apps.
        for name in ["nonce", "at_hash", "c_hash"] {
            #expect(try await problem(["azp": "other", name: "x"]) == .idToken)
        }
        // An access token of the same client, for an API, is none.
        #expect(try await problem(["azp": "agent", "aud": "https://pay.example/"], audience: Self.audience) == nil)
    }

    private func problem(
        _ confirmation: JSONValue?, _ proofs: [ProofOfPossession] = []
    ) async throws -> TokenProblem? {
        let fixture = try ClientFixture()
        var claims = claims(fixture)
        claims["cnf"] = confirmation
        let token = try fixture.sign(claims, type: "at+jwt")
        let verifier = try verifier(fixture)
        return await refusal { _ = try await verifier.verify(token, proofs: proofs) }
    }

    private static let certificate = Data([0x30, 0x03, 0x02, 0x01, 0x05])
    private static func hash(of certificate: Data) -> JSONValue {
        .string(Base64URL.encode(OpenSSLHashing().sha256(Array(certificate))))
    }

    @Test("RFC 8705 3.1: a token that is bound to a certificate is nothing without it")
    func certificateBound() async throws {
        let bound: JSONValue = ["x5t#S256": Self.hash(of: Self.certificate)]
        #expect(try await problem(bound) == .unconfirmed("x5t#S256"))
        #expect(try await problem(bound, [.certificate(der: Data([0x30, 0]))]) == .unconfirmed("x5t#S256"))
        #expect(try await problem(bound, [.certificate(der: Self.certificate)]) == nil)
        #expect(try await problem(["x5t#S256": 1], [.certificate(der: Self.certificate)]) == .unconfirmed("x5t#S256"))
        // A caller with a certificate may present a token that is bound to none.
        #expect(try await problem(nil, [.certificate(der: Self.certificate)]) == nil)
    }

    @Test("RFC 9449 6.1, 7.1: a token bound to a DPoP key is nothing without it, and no other goes with a proof")
    func keyBound() async throws {
        let key = try OpenSSLSigner.generate(algorithm: .es256).publicKey
        let thumbprint = Base64URL.encode(key.thumbprint(OpenSSLHashing()))
        let bound: JSONValue = ["jkt": .string(thumbprint)]
        #expect(try await problem(bound) == .unconfirmed("jkt"))
        #expect(try await problem(bound, [.certificate(der: Self.certificate)]) == .unconfirmed("jkt"))
        #expect(try await problem(bound, [.dpopKey(thumbprint: "AAAA")]) == .unconfirmed("jkt"))
        #expect(try await problem(bound, [.dpopKey(thumbprint: thumbprint)]) == nil)
        #expect(try await problem(nil, [.dpopKey(thumbprint: thumbprint)]) == .notBound)
        let both: JSONValue = ["jkt": .string(thumbprint), "x5t#S256": Self.hash(of: Self.certificate)]
        #expect(try await problem(both, [.dpopKey(thumbprint: thumbprint)]) == .unconfirmed("x5t#S256"))
        #expect(
            try await problem(both, [.dpopKey(thumbprint: thumbprint), .certificate(der: Self.certificate)]) == nil)
    }

    @Test("RFC 7800 3: a way of binding that is not known is not passed over")
    func unknownBinding() async throws {
        let proof = ProofOfPossession.certificate(der: Self.certificate)
        #expect(try await problem(["jwk": ["kty": "EC"]], [proof]) == .confirmationMethod("jwk"))
        #expect(
            try await problem(["x5t#S256": Self.hash(of: Self.certificate), "osc": "x"], [proof])
                == .confirmationMethod("osc"))
        #expect(try await problem([:]) == .malformed)
        #expect(try await problem("x", [proof]) == .malformed)
        #expect(try await problem(.null, [proof]) == .malformed)
    }

    @Test("RFC 9068 4: type, issuer, audience, times and the claims that must be there")
    func refused() async throws {
        let fixture = try ClientFixture()
        let verifier = try verifier(fixture, [.rfc9068])
        func problem(_ changes: JSONObject, type: String = "at+jwt") async throws -> TokenProblem? {
            var claims = claims(fixture)
            for (name, value) in changes { claims[name] = value.isNull ? nil : value }
            let token = try fixture.sign(claims, type: type)
            return await refusal {
                _ = try await verifier.verify(token, scopes: ["pay:send"])
            }
        }
        #expect(try await problem([:]) == nil)
        #expect(try await problem([:], type: "application/at+jwt") == nil)
        #expect(try await problem([:], type: "JWT") == .type("JWT"))
        #expect(try await problem(["iss": "https://evil.example.org/"]) == .issuer)
        #expect(try await problem(["aud": "https://other.example/"]) == .audience)
        #expect(try await problem(["exp": 1_799_999_000]) == .expired)
        #expect(try await problem(["nbf": 1_800_000_500]) == .notYetValid)
        for name in ["sub", "client_id", "jti", "exp", "iat"] {
            #expect(try await problem([name: nil]) == .missing(name))
        }
        #expect(try await problem(["scope": "openid"]) == .insufficientScope(missing: ["pay:send"]))
    }

    @Test("A permission that is not in the token is lacking")
    func permissions() async throws {
        let fixture = try ClientFixture()
        let verifier = try verifier(fixture)
        let token = try fixture.sign(claims(fixture), type: "at+jwt")
        #expect(
            await refusal { _ = try await verifier.verify(token, permissions: ["pay:approve"]) }
                == .insufficientPermissions(missing: ["pay:approve"]))
    }
}
