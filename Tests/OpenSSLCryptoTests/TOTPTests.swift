import OpenSSLCrypto
import Primitives
import Testing

@Suite("TOTP")
struct TOTPTests {
    private let hashing = OpenSSLHashing()

    /// RFC 6238 appendix B; its secrets are the digits repeated to the hash's length (errata 2866).
    static let vectors: [(Int64, HashAlgorithm, String)] = [
        (59, .sha1, "94287082"), (59, .sha256, "46119246"), (59, .sha512, "90693936"),
        (1_111_111_109, .sha1, "07081804"), (1_111_111_109, .sha256, "68084774"), (1_111_111_109, .sha512, "25091201"),
        (1_111_111_111, .sha1, "14050471"), (1_111_111_111, .sha256, "67062674"), (1_111_111_111, .sha512, "99943326"),
        (1_234_567_890, .sha1, "89005924"), (1_234_567_890, .sha256, "91819424"), (1_234_567_890, .sha512, "93441116"),
        (2_000_000_000, .sha1, "69279037"), (2_000_000_000, .sha256, "90698825"), (2_000_000_000, .sha512, "38618901"),
        (20_000_000_000, .sha1, "65353130"), (20_000_000_000, .sha256, "77737706"),
        (20_000_000_000, .sha512, "47863826"),
    ]

    private func totp(_ algorithm: HashAlgorithm, digits: Int = 8) throws -> TOTP {
        let count = [HashAlgorithm.sha1: 20, .sha256: 32, .sha512: 64][algorithm] ?? 0
        let secret = (0..<count).map { UInt8(ascii: "0") + UInt8(($0 + 1) % 10) }
        return try #require(TOTP(secret: SecretBytes(secret), algorithm: algorithm, digits: digits))
    }

    @Test("RFC 6238 B: the codes of the appendix", arguments: vectors)
    func codes(seconds: Int64, algorithm: HashAlgorithm, code: String) throws {
        #expect(try totp(algorithm).code(at: Timestamp(seconds: seconds), hashing) == code)
        #expect(try totp(algorithm, digits: 6).code(at: Timestamp(seconds: seconds), hashing) == code.suffix(6))
    }

    @Test("RFC 6238 5.2: a code is found one step to either side and no further")
    func window() throws {
        let totp = try totp(.sha1, digits: 6)
        let moment = Timestamp(seconds: 1_234_567_890)
        let step = totp.step(at: moment)
        let code = totp.code(at: moment, hashing)
        for offset in [-1, 0, 1] as [Int64] {
            #expect(totp.step(of: code, at: Timestamp(seconds: moment.seconds + offset * 30), hashing) == step)
        }
        #expect(totp.step(of: code, at: Timestamp(seconds: moment.seconds + 60), hashing) == nil)
        #expect(totp.step(of: code, at: Timestamp(seconds: moment.seconds - 60), hashing) == nil)
        #expect(totp.step(of: "", at: moment, hashing) == nil)
        #expect(totp.step(of: code + "0", at: moment, hashing) == nil)
    }

    @Test(
        "Digits and periods that no code can have are refused",
        arguments: [
            (5, 30), (10, 30), (6, 0), (6, -1), (6, 86_401),
        ])
    func limits(digits: Int, period: Int) {
        #expect(TOTP(secret: SecretBytes([1]), digits: digits, period: period) == nil)
    }
}
