public import Primitives

/// SHA-256 of an `auth_req_id`: all that is kept of it.
public struct AuthReqIDHash: Sendable, Hashable {
    public let bytes: [UInt8]

    public init(of authReqID: String, _ hashing: any Hashing) { bytes = hashing.sha256(Array(authReqID.utf8)) }

    /// A hash as it was stored.
    public init(stored bytes: [UInt8]) { self.bytes = bytes }

    /// Eight bytes of a cryptographic hash distribute well enough; equality still compares all of them.
    public func hash(into hasher: inout Hasher) {
        var word: UInt64 = 0
        for byte in bytes.prefix(8) { word = word << 8 | UInt64(byte) }
        hasher.combine(word)
    }
}
