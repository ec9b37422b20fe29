import JOSE
import OpenSSLCrypto
import Primitives
import TestSupport
import TestTools
import Testing

@Suite("Mutated inputs: JWS and JWK")
struct FuzzTests {
    @Test("A changed signed token does not verify unless it is the same token")
    func tokens() throws {
        let signer = try OpenSSLSigner.generate(algorithm: .es256, keyID: "k")
        let verifier = OpenSSLVerifier()
        let genuine = try JWS.sign(Array(#"{"sub":"u","exp":1}"#.utf8), with: signer)
        let other = try JWS.sign(Array(#"{"sub":"admin"}"#.utf8), with: OpenSSLSigner.generate(algorithm: .edDSA))
        var fuzzer = MutationFuzzer(
            corpus: [genuine, other, "..", "e30.e30.", ""],
            tokens: [".", "=", "-", "_", "e30", "eyJhbGciOiJub25lIn0", "eyJhbGciOiJIUzI1NiJ9", "AAAA"])
        fuzzer.check("JWS") { input in
            guard let text = String(validating: input, as: UTF8.self), let jws = try? JWS(parsing: text) else {
                return true
            }
            _ = jws.unverifiedClaims
            let payload = try? jws.verified(by: signer.publicKey, allowed: [.es256, .edDSA], using: verifier)
            return payload == nil || text == genuine
        }
    }

    @Test("A key survives reading and writing, and verifying with it never traps")
    func keys() throws {
        let verifier = OpenSSLVerifier(capacity: 64)
        let corpus = try [JWSAlgorithm.es256, .es384, .edDSA, .rs256].map { algorithm in
            JSONWriter.string(try OpenSSLSigner.generate(algorithm: algorithm, keyID: "k").publicKey.json)
        }
        var fuzzer = MutationFuzzer(
            corpus: corpus,
            tokens: [
                "\"", ":", ",", "\"RSA\"", "\"EC\"", "\"OKP\"", "P-256", "P-384", "Ed25519", "AQAB", "\"d\":\"AA\",",
                "AA",
                "null", "\"alg\":\"none\",", "\"use\":\"enc\",",
            ])
        fuzzer.check("JWK") { input in
            guard let value = try? JSONReader.parse(input), let key = try? JWK(value) else { return true }
            for algorithm in JWSAlgorithm.allCases {
                let signature = [UInt8](repeating: 1, count: algorithm == .es384 ? 96 : 64)
                if verifier.verify(signature, of: [], algorithm: algorithm, key: key) { return false }
            }
            return try JWK(key.json) == key
        }
    }
}
