/// Time-based one-time passwords (RFC 6238) over HOTP (RFC 4226).
public struct TOTP: Sendable {
    public let secret: SecretBytes
    public let algorithm: HashAlgorithm
    public let digits: Int
    /// Seconds that a code stands for.
    public let period: Int

    /// Nil unless there are 6 to 9 digits (RFC 4226 clause 5.3: six at least; ten would not be uniform) and the period
    /// is 1 second to a day.
    public init?(secret: SecretBytes, algorithm: HashAlgorithm = .sha1, digits: Int = 6, period: Int = 30) {
        guard (6...9).contains(digits), (1...86_400).contains(period) else { return nil }
        self.secret = secret
        self.algorithm = algorithm
        self.digits = digits
        self.period = period
    }

    /// Which period `moment` is in, counted from 1970 (RFC 6238 clause 4.2).
    public func step(at moment: Timestamp) -> Int64 { moment.seconds.dividedFloor(by: Int64(period)) }

    /// The code of a moment, with leading zeros.
    public func code(at moment: Timestamp, _ hashing: some Hashing) -> String {
        code(step: step(at: moment), hashing)
    }

    /// The step whose code this is, looking `window` steps to either side of `moment` (RFC 6238 clause 5.2); nil where
    /// it is none. Keep the step and refuse it and earlier ones afterwards: a code counts once.
    public func step(of code: String, at moment: Timestamp, window: Int64 = 1, _ hashing: some Hashing) -> Int64? {
        let given = Array(code.utf8)
        let current = step(at: moment)
        return (current - window...current + window).first { step in
            constantTimeEquals(given, Array(self.code(step: step, hashing).utf8))
        }
    }

    private func code(step: Int64, _ hashing: some Hashing) -> String {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * Int64($0))) }
        let mac = hashing.hmac(algorithm, key: secret.bytes, counter)
        // Dynamic truncation (RFC 4226 clause 5.3): the last four bits say where to read 31 bits.
        let offset = Int((mac.last ?? 0) & 15)
        let number = mac[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(UInt32(1)) { modulus, _ in modulus * 10 }
        let text = String(number % modulus)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }
}
