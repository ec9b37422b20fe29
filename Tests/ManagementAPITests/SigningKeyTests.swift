import AuthorizationCore
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

@Suite("Management API: signing keys")
struct SigningKeyTests {
    private func keys(_ fixture: ManagementFixture) async -> [JSONValue] {
        await fixture.get("/keys/signing").json.arrayValue ?? []
    }

    private func kid(_ fixture: ManagementFixture, _ status: String, _ algorithm: String = "RS256") async throws
        -> String
    {
        let found = await keys(fixture).first { $0["alg"]?.stringValue == algorithm && $0[status] == true }
        return try (found?["kid"]?.stringValue).orThrow("no \(status) key")
    }

    /// A fixture whose tenant has next keys.
    private func prepared() async throws -> ManagementFixture {
        let fixture = try await ManagementFixture()
        try await fixture.server.addNextKeys()
        return fixture
    }

    @Test("a key has a certificate in PEM and PKCS #7, with its fingerprints")
    func list() async throws {
        let fixture = try await ManagementFixture()
        let listed = await keys(fixture)
        #expect(listed.count == 4)
        let key = try listed.first { $0["alg"] == "RS256" }.orThrow("no RS256")
        let id = try (key["kid"]?.stringValue).orThrow("no kid")
        let pem = try (key["cert"]?.stringValue).orThrow("no cert")
        #expect(pem.hasPrefix("-----BEGIN CERTIFICATE-----\r\n") && pem.hasSuffix("-----END CERTIFICATE-----\r\n"))
        let lines = pem.split(separator: "\r\n")
        #expect(lines.dropFirst().dropLast().allSatisfy { $0.count <= 64 })
        let der = try Base64.decode(lines.dropFirst().dropLast().joined()).orThrow("no Base64")
        let digest = Samples.hashing.hash(.sha1, der)
        #expect(key["thumbprint"]?.stringValue == Hex.encode(digest).uppercased())
        #expect(key["fingerprint"]?.stringValue?.split(separator: ":").count == 20)
        let pkcs7 = try (key["pkcs7"]?.stringValue).orThrow("no pkcs7")
        #expect(pkcs7.hasPrefix("-----BEGIN PKCS7-----\r\n"))
        let wrapped = try Base64.decode(pkcs7.split(separator: "\r\n").dropFirst().dropLast().joined())
            .orThrow("no Base64")
        #expect(wrapped.count > der.count && wrapped.count < der.count + 64)
        #expect(key["current"] == true)
        #expect(key["current_since"]?.stringValue == Samples.start.iso8601)
        #expect(await fixture.get("/keys/signing/\(id)").json == key, "the certificate is always the same")
        #expect(await fixture.get("/keys/signing/none").code == "inexistent_key")
    }

    @Test("RFC 7517 4.7: the JWKS has certificates of RSA keys only")
    func published() async throws {
        let fixture = try await ManagementFixture()
        let jwks = await fixture.server.send(.get("/.well-known/jwks.json")).json
        let listed = await keys(fixture)
        for key in try (jwks["keys"]?.arrayValue).orThrow("no keys") {
            guard key["kty"] == "RSA" else {
                #expect(key["x5c"] == nil)
                continue
            }
            let der = try (key["x5c"]?[0]?.stringValue).flatMap { Base64.decode($0) }.orThrow("no x5c")
            #expect(key["x5t"]?.stringValue == Base64URL.encode(Samples.hashing.hash(.sha1, der)))
            #expect(key["x5t#S256"]?.stringValue == Base64URL.encode(Samples.hashing.sha256(der)))
            let shown = listed.first { $0["kid"] == key["kid"] }
            #expect(shown?["thumbprint"]?.stringValue == Hex.encode(Samples.hashing.hash(.sha1, der)).uppercased())
        }
    }

    @Test("rotation: the next key signs, the current key still verifies, and a new next key exists")
    func rotate() async throws {
        let fixture = try await prepared()
        let (current, next) = (try await kid(fixture, "current"), try await kid(fixture, "next"))
        let other = try await kid(fixture, "current", "ES256")
        let answer = await fixture.send(.post, "/keys/signing/rotate?algorithm=RS256")
        #expect(answer.status == 201, "\(answer.text)")
        #expect(try await kid(fixture, "current") == next)
        #expect(try await kid(fixture, "previous") == current)
        #expect(try await kid(fixture, "next") == answer["kid"]?.stringValue)
        #expect(try await kid(fixture, "current", "ES256") == other)
        #expect(answer["cert"]?.stringValue?.hasPrefix("-----BEGIN CERTIFICATE-----") == true)
        let previous = await fixture.get("/keys/signing/\(current)")
        #expect(previous["current_until"] != nil && previous["current_since"] != nil)
        let all = await fixture.send(.post, "/keys/signing/rotate")
        #expect(all["keys"]?.arrayValue?.count == 4)
        #expect(try await kid(fixture, "current", "ES256") != other)
        #expect(await fixture.send(.post, "/keys/signing/rotate?algorithm=RS512").code == "operation_not_supported")
        #expect(await fixture.send(.post, "/keys/signing/rotate?algorithm=none").code == "invalid_query_string")
        #expect(try await fixture.server.auditKinds().filter { $0 == "key_rotated" }.count == 5)
    }

    @Test("a revoked key is no longer published; the current key cannot be revoked")
    func revoke() async throws {
        let fixture = try await prepared()
        // Not RS256, which signs the token of these calls.
        let current = try await kid(fixture, "current", "ES256")
        let refused = await fixture.send(.put, "/keys/signing/\(current)/revoke")
        #expect(refused.status == 400)
        #expect(refused.code == "operation_not_supported")
        #expect(await fixture.send(.post, "/keys/signing/rotate?algorithm=ES256").status == 201)
        let revoked = await fixture.send(.put, "/keys/signing/\(current)/revoke")
        #expect(revoked.status == 200)
        #expect(revoked["kid"]?.stringValue == current)
        #expect(await fixture.send(.put, "/keys/signing/\(current)/revoke").status == 200, "again")
        let shown = await fixture.get("/keys/signing/\(current)")
        #expect(shown["revoked"] == true && shown["previous"] == false)
        #expect(shown["revoked_at"] != nil)
        let jwks = await fixture.server.send(.get("/.well-known/jwks.json")).text
        #expect(!jwks.contains("\"\(current)\""))
        #expect(await fixture.send(.put, "/keys/signing/none/revoke").status == 404)
    }

    @Test("custom signing keys are not supported: 404")
    func custom() async throws {
        #expect(try await ManagementFixture().get("/keys/custom-signing").status == 404)
    }

    @Test("rotation requires both scopes")
    func scopes() async throws {
        let fixture = try await ManagementFixture(scopes: ["update:signing_keys"])
        #expect(await fixture.send(.post, "/keys/signing/rotate").status == 403)
        #expect(await fixture.get("/keys/signing").status == 403)
    }
}
