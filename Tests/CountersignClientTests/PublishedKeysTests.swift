import CountersignClient
import Foundation
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import Testing

@Suite("Published keys")
struct PublishedKeysTests {
    private let path = "/.well-known/jwks.json"

    @Test("A rotated key is fetched when its kid first appears")
    func rotation() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        _ = try await client.verify(idToken: try fixture.sign(fixture.idTokenClaims))
        let next = try OpenSSLSigner.generate(algorithm: .es256, keyID: "key-2")
        fixture.transport.publish([fixture.key.publicKey, next.publicKey])
        _ = try await client.verify(idToken: try fixture.sign(fixture.idTokenClaims, with: next))
        #expect(fixture.transport.sent(path).count == 2)
    }

    @Test("Unknown kids are rate limited and never select another key")
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

    @Test("RFC 9111 5.2.2.1: keys are fresh for max-age")
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

    @Test("A revoked key is refused once its document is stale")
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

    @Test("RFC 5861 4: while the server is down, cached keys are valid for at most an hour")
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

    @Test("100 concurrent tokens cause one fetch of the keys")
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
