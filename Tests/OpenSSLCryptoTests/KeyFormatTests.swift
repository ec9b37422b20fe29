import Foundation
import JOSE
import OpenSSLCrypto
import Primitives
import Testing

@Suite("Private keys in PKCS #8 and PEM")
struct KeyFormatTests {
    private let verifier = OpenSSLVerifier()

    @Test("A key survives export and import", arguments: JWSAlgorithm.allCases)
    func roundTrip(algorithm: JWSAlgorithm) throws {
        let signer = try OpenSSLSigner.generate(algorithm: algorithm, keyID: "k")
        let der = try signer.exportPKCS8()
        let lines = Data(der.bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let pem = SecretBytes(utf8: "-----BEGIN PRIVATE KEY-----\n\(lines)\n-----END PRIVATE KEY-----\n")
        let copies = [
            try OpenSSLSigner(pkcs8DER: der, algorithm: algorithm, keyID: "k"),
            try OpenSSLSigner(pem: pem, algorithm: algorithm, keyID: "k"),
        ]
        for copy in copies {
            #expect(copy.publicKey == signer.publicKey)
            let signature = try copy.sign([1, 2, 3])
            #expect(verifier.verify(signature, of: [1, 2, 3], algorithm: algorithm, key: signer.publicKey))
            #expect(try copy.exportPKCS8().bytes == der.bytes)
        }
    }

    @Test("Keys of another type, and broken, truncated or extended bytes, are refused")
    func refused() throws {
        let ec = try OpenSSLSigner.generate(algorithm: .es256).exportPKCS8()
        #expect(throws: OpenSSLFailure.self) { try OpenSSLSigner(pkcs8DER: ec, algorithm: .rs256) }
        #expect(throws: OpenSSLFailure.self) { try OpenSSLSigner(pkcs8DER: ec, algorithm: .es384) }
        #expect(throws: OpenSSLFailure.self) { try OpenSSLSigner(pkcs8DER: ec, algorithm: .edDSA) }
        for bytes in [[], [0x30], Array(ec.bytes.dropLast()), ec.bytes + [0]] {
            #expect(throws: OpenSSLFailure.self) {
                try OpenSSLSigner(pkcs8DER: SecretBytes(bytes), algorithm: .es256)
            }
        }
        #expect(throws: OpenSSLFailure.self) { try OpenSSLSigner(pem: SecretBytes([]), algorithm: .es256) }
        #expect(throws: OpenSSLFailure.self) { try OpenSSLSigner.generate(algorithm: .rs256, rsaBits: 1024) }
    }

    @Test("A private key with another key's public half is refused")
    func mismatchedHalves() throws {
        let first = try OpenSSLSigner.generate(algorithm: .es256).exportPKCS8().bytes
        let second = try OpenSSLSigner.generate(algorithm: .es256).exportPKCS8().bytes
        // The public point is the last 64 bytes of the structure.
        let mixed = SecretBytes(Array(first.dropLast(64)) + second.suffix(64))
        #expect(throws: OpenSSLFailure.self) { try OpenSSLSigner(pkcs8DER: mixed, algorithm: .es256) }
    }

    @Test("An error has a reason and no byte of the key")
    func failureText() throws {
        let failure = #expect(throws: OpenSSLFailure.self) {
            try OpenSSLSigner(pem: SecretBytes(utf8: "top secret"), algorithm: .es256)
        }
        let text = String(describing: failure)
        #expect(text.contains("read a private key in PEM"))
        #expect(!text.contains("secret"))
    }
}
