import CountersignClient
import Foundation
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import Testing

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

    @Test("Another user's ID token is refused")
    func subject() async throws {
        #expect(try await problem(["sub": "auth0|other"]) == .subject)
        #expect(try await problem(["sub": nil]) == .missing("sub"))
    }

    @Test(
        "The user of a request named by id must be the token's; of one named by e-mail address, only the server knows it",
        arguments: [
            (ClientFixture.user, nil), ("auth0|other", .subject), ("waad|ann@shop.example", .subject),
            ("ann@shop.example", nil),
        ] as [(String, TokenProblem?)])
    func named(_ user: String, _ expected: TokenProblem?) async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        fixture.transport.answer("/bc-authorize", 200, ["auth_req_id": "req-1", "expires_in": 300])
        let pending = try await client.start(BackchannelRequest(user: user, bindingMessage: "Order 4711"))
        fixture.transport.answer("/oauth/token", 200, try fixture.tokenResponse())
        #expect(await refusal { _ = try await client.tokens(for: pending) } == expected)
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

    @Test("A tampered, unsigned or symmetrically signed token is refused")
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

    @Test("Tokens with an invalid ID token are not returned")
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
