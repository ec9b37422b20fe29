import CountersignClient
import Foundation
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import Testing

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

    @Test("RFC 9068 4: by default only at+jwt is accepted")
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

    @Test("RFC 9068 5: in Auth0's dialect ID tokens are refused, even if the API has a client's name")
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
        // Typical ID tokens of OpenID providers.
        #expect(try await problem([:]) == .missing("azp"))
        #expect(try await problem(["azp": "agent"]) == .idToken)
        #expect(try await problem(["aud": ["agent", "other"], "azp": "agent"]) == .idToken)
        // An ID token whose `azp` is not its audience, as some providers make for mobile apps.
        for name in ["nonce", "at_hash", "c_hash"] {
            #expect(try await problem(["azp": "other", name: "x"]) == .idToken)
        }
        // An access token of the same client is not an ID token.
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

    @Test("RFC 8705 3.1: a certificate-bound token is refused without its certificate")
    func certificateBound() async throws {
        let bound: JSONValue = ["x5t#S256": Self.hash(of: Self.certificate)]
        #expect(try await problem(bound) == .unconfirmed("x5t#S256"))
        #expect(try await problem(bound, [.certificate(der: Data([0x30, 0]))]) == .unconfirmed("x5t#S256"))
        #expect(try await problem(bound, [.certificate(der: Self.certificate)]) == nil)
        #expect(try await problem(["x5t#S256": 1], [.certificate(der: Self.certificate)]) == .unconfirmed("x5t#S256"))
        // A caller with a certificate may present an unbound token.
        #expect(try await problem(nil, [.certificate(der: Self.certificate)]) == nil)
    }

    @Test("RFC 9449 6.1, 7.1: a DPoP-bound token needs its proof, and a proof needs a bound token")
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

    @Test("RFC 7800 3: an unknown confirmation method is refused")
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

    @Test("RFC 9068 4: type, issuer, audience, times and required claims are checked")
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

    @Test("A missing permission is reported")
    func permissions() async throws {
        let fixture = try ClientFixture()
        let verifier = try verifier(fixture)
        let token = try fixture.sign(claims(fixture), type: "at+jwt")
        #expect(
            await refusal { _ = try await verifier.verify(token, permissions: ["pay:approve"]) }
                == .insufficientPermissions(missing: ["pay:approve"]))
    }
}
