/// One-time passwords: HOTP (RFC 4226) and TOTP (RFC 6238).
package struct OneTimePassword: Sendable {
    package let secret: SecretBytes
    package let algorithm: HashAlgorithm
    /// `6...8` (RFC 4226 clause 5.3).
    package let digits: Int

    /// Nil for any other number of digits, or an empty secret.
    package init?(secret: SecretBytes, algorithm: HashAlgorithm = .sha1, digits: Int = 6) {
        guard (6...8).contains(digits), secret.count > 0 else { return nil }
        self.secret = secret
        self.algorithm = algorithm
        self.digits = digits
    }

    /// The password of a counter (RFC 4226 clause 5.3), with leading zeros.
    package func code(counter: UInt64, hashing: some Hashing) -> String {
        let message = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * UInt64($0))) }
        let digest = hashing.hmac(algorithm, key: secret.bytes, message)
        let offset = Int((digest.last ?? 0) & 0x0F)
        let truncated = digest.dropFirst(offset).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = repeatElement(UInt32(10), count: digits).reduce(1, *)
        let text = String(truncated % modulus)
        return String(repeating: "0", count: digits - text.count) + text
    }

    /// Counter at `now`: whole periods since 1970 (RFC 6238 clause 4.2). `period` is in seconds.
    package static func counter(at now: Timestamp, period: Int) -> UInt64 {
        UInt64(max(0, now.seconds)) / UInt64(max(1, period))
    }
}
