public import Foundation
import GuardianWire
import Primitives

/// Creates a generator of time-based one-time passwords (RFC 6238).
///
/// - Throws: ``GuardianError`` with ``GuardianError/Code/invalidOTPSecret`` or
///   ``GuardianError/Code/invalidOTPParameters``.
public func totp(base32Secret: String, algorithm: HMACAlgorithm, digits: Int = 6, period: Int = 30) throws -> TOTP {
    try totp(
        parameters: OTPParameters(base32Secret: base32Secret, algorithm: algorithm, digits: digits, period: period))
}

/// Creates a generator of time-based one-time passwords with an enrolment's parameters.
public func totp(parameters: OTPParameters) throws -> TOTP {
    TOTP(generator: try HOTP(parameters), period: parameters.period)
}

/// Creates a generator of counter-based one-time passwords (RFC 4226).
public func hotp(base32Secret: String, algorithm: HMACAlgorithm, digits: Int = 6) throws -> HOTP {
    try hotp(parameters: OTPParameters(base32Secret: base32Secret, algorithm: algorithm, digits: digits))
}

/// Creates a generator of counter-based one-time passwords with an enrolment's parameters.
public func hotp(parameters: OTPParameters) throws -> HOTP { try HOTP(parameters) }

/// Hash function of one-time passwords.
public enum HMACAlgorithm: String, Sendable, Codable, CaseIterable {
    case sha1, sha256, sha512

    fileprivate var hash: HashAlgorithm {
        switch self {
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}

/// Parameters of one-time passwords. They contain the secret, so store them securely. Printing them does not show it.
public struct OTPParameters: Sendable, Hashable, Codable, CustomStringConvertible, CustomReflectable {
    /// The shared secret (RFC 4648 clause 6).
    public let base32Secret: String
    public let algorithm: HMACAlgorithm
    /// Number of digits, `6...8`.
    public let digits: Int
    /// Period in seconds, `1...3600`.
    public let period: Int

    enum CodingKeys: String, CodingKey {
        case base32Secret = "secret"
        case algorithm, digits, period
    }

    /// Nil means SHA-1, 6 digits and 30 seconds, as authenticator apps assume. Wrong values throw when a generator is
    /// created.
    public init(base32Secret: String, algorithm: HMACAlgorithm? = nil, digits: Int? = nil, period: Int? = nil) {
        self.base32Secret = base32Secret
        self.algorithm = algorithm ?? .sha1
        self.digits = digits ?? 6
        self.period = period ?? 30
    }

    public var description: String { "OTPParameters(algorithm: \(algorithm), digits: \(digits), period: \(period))" }

    public var customMirror: Mirror {
        Mirror(self, children: ["algorithm": algorithm, "digits": digits, "period": period])
    }

    init?(_ parameters: TOTPParameters) {
        guard let algorithm = HMACAlgorithm(rawValue: parameters.algorithm.rawValue) else { return nil }
        self.init(
            base32Secret: parameters.secret, algorithm: algorithm, digits: parameters.digits, period: parameters.period)
    }
}

/// Generator of counter-based one-time passwords.
public struct HOTP: Sendable {
    private let generator: OneTimePassword

    fileprivate init(_ parameters: OTPParameters) throws {
        guard let secret = Base32.decode(parameters.base32Secret), !secret.isEmpty else {
            throw GuardianError(.invalidOTPSecret)
        }
        let generator = OneTimePassword(
            secret: SecretBytes(secret), algorithm: parameters.algorithm.hash, digits: parameters.digits)
        guard let generator, (1...3600).contains(parameters.period) else { throw GuardianError(.invalidOTPParameters) }
        self.generator = generator
    }

    /// The password for a counter, with leading zeros.
    public func stringCode(counter: UInt64) -> String { generator.code(counter: counter, hashing: platformHashing) }

    /// The password for a counter as a number.
    public func code(counter: UInt64) -> Int { Int(stringCode(counter: counter)) ?? 0 }
}

/// Generator of time-based one-time passwords.
public struct TOTP: Sendable {
    fileprivate let generator: HOTP
    /// Period in seconds.
    public let period: Int

    /// The password for a time in seconds since 1970, with leading zeros.
    public func stringCode(time: TimeInterval = Date().timeIntervalSince1970) -> String {
        generator.stringCode(counter: counter(time))
    }

    /// The password for a time in seconds since 1970, as a number.
    public func code(time: TimeInterval = Date().timeIntervalSince1970) -> Int {
        generator.code(counter: counter(time))
    }

    private func counter(_ time: TimeInterval) -> UInt64 {
        let seconds = Int64(exactly: time.rounded(.down)) ?? 0
        return OneTimePassword.counter(at: Timestamp(seconds: min(max(0, seconds), 1 << 40)), period: period)
    }
}
