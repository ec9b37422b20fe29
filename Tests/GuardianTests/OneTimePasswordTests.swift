import Foundation
@testable import Guardian
import Primitives
import Testing

@Suite("One-time passwords")
struct OneTimePasswordTests {
    @Test("RFC 4226 appendix D: the first ten passwords")
    func hotp() throws {
        let expected = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
        ]
        let hotp = try Guardian.hotp(base32Secret: Base32.encode("12345678901234567890".utf8), algorithm: .sha1)
        #expect((0..<10).map { hotp.stringCode(counter: $0) } == expected)
        #expect(hotp.code(counter: 0) == 755224)
    }

    @Test(
        "RFC 6238 appendix B: every vector",
        arguments: [
            (59.0, "94287082", "46119246", "90693936"), (1_111_111_109, "07081804", "68084774", "25091201"),
            (1_111_111_111, "14050471", "67062674", "99943326"), (1_234_567_890, "89005924", "91819424", "93441116"),
            (2_000_000_000, "69279037", "90698825", "38618901"), (20_000_000_000, "65353130", "77737706", "47863826"),
        ])
    func totp(time: TimeInterval, sha1: String, sha256: String, sha512: String) throws {
        let secret = String(repeating: "1234567890", count: 7)
        for (algorithm, size, expected): (HMACAlgorithm, Int, String) in [
            (.sha1, 20, sha1), (.sha256, 32, sha256), (.sha512, 64, sha512),
        ] {
            let totp = try Guardian.totp(
                base32Secret: Base32.encode(secret.utf8.prefix(size)), algorithm: algorithm, digits: 8)
            #expect(totp.stringCode(time: time) == expected)
        }
    }

    @Test("Parameters out of bounds are refused, and no time traps")
    func bounds() throws {
        for (secret, digits, period) in [
            ("", 6, 30), ("not base32!", 6, 30), ("AAAA", 5, 30), ("AAAA", 9, 30), ("AAAA", 6, 0),
        ] {
            #expect(throws: GuardianError.self) {
                try Guardian.totp(base32Secret: secret, algorithm: .sha1, digits: digits, period: period)
            }
        }
        let totp = try Guardian.totp(base32Secret: "AAAA", algorithm: .sha1)
        for time in [-1, .infinity, -.infinity, .nan, 1e300] as [TimeInterval] {
            #expect(totp.stringCode(time: time).count == 6)
        }
    }
}
