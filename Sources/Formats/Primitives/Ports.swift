/// Source of the time. Rules take a `Timestamp`, and only composition roots read a clock.
public protocol WallClock: Sendable {
    var now: Timestamp { get }
}

/// Unpredictable bytes. Tests use a seeded source.
public protocol RandomSource: Sendable {
    /// Returns `count` bytes from a cryptographically secure generator.
    func bytes(_ count: Int) -> [UInt8]
}

/// Hash functions (FIPS 180-4) and HMAC (RFC 2104).
public protocol Hashing: Sendable {
    func hash(_ algorithm: HashAlgorithm, _ message: [UInt8]) -> [UInt8]
    func hmac(_ algorithm: HashAlgorithm, key: [UInt8], _ message: [UInt8]) -> [UInt8]
    /// SHA-256 of borrowed memory, without a copy, for every poll.
    func sha256(_ message: UnsafeBufferPointer<UInt8>) -> Digest256
}

public enum HashAlgorithm: String, Sendable, CaseIterable {
    /// Only for TOTP (RFC 6238), because authenticator apps expect it.
    case sha1
    case sha256
    case sha384
    case sha512
}

extension Hashing {
    package func sha256(_ message: [UInt8]) -> [UInt8] { hash(.sha256, message) }

    public func sha256(_ message: UnsafeBufferPointer<UInt8>) -> Digest256 { Digest256(hash(.sha256, Array(message))) }

    package func sha256(utf8 text: String) -> Digest256 {
        var text = text
        return text.withUTF8 { sha256($0) }
    }
}

/// Seals secrets at rest with authenticated encryption under a master key.
package protocol Sealer: Sendable {
    /// Seals `plaintext`. The box opens only with the same `context`.
    func seal(_ plaintext: [UInt8], context: String) throws -> [UInt8]
    /// Throws if the box was changed, or sealed under another key or context.
    func open(_ sealed: [UInt8], context: String) throws -> SecretBytes
}

/// Computes MACs of stored rows under a master key, so that nobody without it writes a row that counts.
package protocol RowAuthenticator: Sendable {
    /// False without a master key. Then rows are read as they are, and no bound row can be written.
    var isOpen: Bool { get }
    /// HMAC-SHA-256. Throws without a master key.
    func mac(_ bytes: [UInt8]) throws -> [UInt8]
}
