import OpenSSLCrypto
import Primitives
import Testing

@Suite("Hashing and randomness")
struct HashingTests {
    private let hashing = OpenSSLHashing()

    @Test(
        "FIPS 180-4: digests of abc",
        arguments: [
            (HashAlgorithm.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                .sha384,
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
            ),
            (
                .sha512,
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
        ])
    func digests(algorithm: HashAlgorithm, expected: String) {
        #expect(Hex.encode(hashing.hash(algorithm, Array("abc".utf8))) == expected)
    }

    @Test(
        "The digest in words equals the digest in bytes", arguments: ["", "abc", String(repeating: "a", count: 1000)])
    func words(text: String) {
        let digest = hashing.sha256(utf8: text)
        #expect(digest.bytes == hashing.sha256(Array(text.utf8)))
        #expect(digest == Digest256(digest.bytes))
        #expect(digest.matches(Digest256(digest.bytes)))
    }

    @Test("Digests that differ in one bit do not match", arguments: 0..<Digest256.size)
    func differences(byte: Int) {
        let digest = hashing.sha256(utf8: "abc")
        var other = digest.bytes
        other[byte] ^= 1
        #expect(!digest.matches(Digest256(other)))
        #expect(digest != Digest256(other))
        #expect(!digest.matches(Digest256(Array(digest.bytes.dropLast()))), "what is missing counts as zero")
    }

    @Test("FIPS 180-4: digest of the empty text")
    func emptyDigest() {
        let expected = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(Hex.encode(hashing.sha256([])) == expected)
    }

    struct MACVector: Sendable {
        var key: [UInt8]
        var data: [UInt8]
        var sha256: String
        var sha384: String
    }

    static let rfc4231 = [
        MACVector(
            key: [UInt8](repeating: 0x0B, count: 20), data: Array("Hi There".utf8),
            sha256: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            sha384: "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6"),
        MACVector(
            key: Array("Jefe".utf8), data: Array("what do ya want for nothing?".utf8),
            sha256: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            sha384: "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649"),
        MACVector(
            key: [UInt8](repeating: 0xAA, count: 131),
            data: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            sha256: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            sha384: "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952"),
    ]

    @Test("RFC 4231: HMAC with SHA-256 and SHA-384", arguments: rfc4231)
    func hmac(vector: MACVector) {
        #expect(Hex.encode(hashing.hmac(.sha256, key: vector.key, vector.data)) == vector.sha256)
        #expect(Hex.encode(hashing.hmac(.sha384, key: vector.key, vector.data)) == vector.sha384)
    }

    @Test("HMAC accepts an empty key")
    func emptyKey() {
        let expected = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
        #expect(Hex.encode(hashing.hmac(.sha256, key: [], [])) == expected)
    }

    @Test("Random bytes have the requested length and do not repeat")
    func random() {
        let source = SystemRandom()
        #expect(source.bytes(0).isEmpty)
        #expect(Set((0..<100).map { _ in source.bytes(16) }).count == 100)
        #expect(source.bytes(100_000).count == 100_000)
    }
}
