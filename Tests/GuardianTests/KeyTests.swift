import Foundation
@testable import Guardian
import JOSE
import OpenSSLCrypto
import Primitives
import Testing

@Suite("Keys")
struct KeyTests {
    @Test("A key restored from its data signs for the same public key")
    func roundTrip() throws {
        let message = Data("message".utf8)
        let p256 = try P256PrivateKey.new()
        let rsa = try DataRSAPrivateKey.new()
        for (key, again): (any SigningKey, any SigningKey) in [
            (p256, try P256PrivateKey(data: try p256.data)), (rsa, try DataRSAPrivateKey(data: try rsa.data)),
        ] {
            #expect(try key.verificationKey() == again.verificationKey())
            let signature = Array(try again.signature(for: message))
            #expect(
                OpenSSLVerifier().verify(
                    signature, of: Array(message), algorithm: key.algorithm.jws, key: try key.verificationKey().key))
        }
    }

    @Test("Data that is not a key of the expected kind is refused")
    func invalid() throws {
        for data in [Data(), Data([1, 2, 3]), try DataRSAPrivateKey.new().data] {
            let error = #expect(throws: GuardianError.self) { try P256PrivateKey(data: data) }
            #expect(error?.code == GuardianError.Code.invalidKey.rawValue)
        }
        #expect(throws: GuardianError.self) { try DataRSAPrivateKey(data: try P256PrivateKey.new().data) }
    }

    @Test("A device's identifier is a UUID derived from its key")
    func identifier() throws {
        let key = try P256PrivateKey.new().verificationKey()
        #expect(UUID(uuidString: key.deviceIdentifier) != nil)
        #expect(try VerificationKey(jwk: key.jwk).deviceIdentifier == key.deviceIdentifier)
        #expect(key.deviceIdentifier != (try P256PrivateKey.new().verificationKey().deviceIdentifier))
    }

    @Test("A verification key of an unsupported algorithm is refused")
    func jwk() {
        let x = Base64URL.encode([UInt8](repeating: 1, count: 32))
        for text in ["", "{}", #"{"kty":"OKP","crv":"Ed25519","x":"\#(x)"}"#] {
            #expect(throws: GuardianError.self) { try VerificationKey(jwk: Data(text.utf8)) }
        }
    }
}
