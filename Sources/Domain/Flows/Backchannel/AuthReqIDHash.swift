public import AuthorizationCore
public import Primitives

/// SHA-256 of an `auth_req_id`: all that is kept of it.
public struct AuthReqIDHash: Sendable, Hashable {
    public let bytes: [UInt8]

    /// Bytes of the hash that a consent id shows.
    public static let consentPrefix = 16

    public init(of authReqID: String, _ hashing: any Hashing) { bytes = hashing.sha256(Array(authReqID.utf8)) }

    /// A hash as it was stored.
    public init(stored bytes: [UInt8]) { self.bytes = bytes }

    /// The first half of the hash, as phones see it: one key finds a request from either side, and nobody gets from
    /// it to the 384 random bits of the `auth_req_id`.
    public var consentID: ConsentID { ConsentID("cns_" + Base64URL.encode(bytes.prefix(Self.consentPrefix))) }

    /// The 16 bytes that a consent id shows; nil for what is no consent id.
    public static func prefix(of consent: ConsentID) -> [UInt8]? {
        guard consent.rawValue.hasPrefix("cns_"), let bytes = Base64URL.decode(consent.rawValue.dropFirst(4)),
            bytes.count == consentPrefix
        else { return nil }
        return bytes
    }

    /// Eight bytes of a cryptographic hash distribute well enough; equality still compares all of them.
    public func hash(into hasher: inout Hasher) {
        var word: UInt64 = 0
        for byte in bytes.prefix(8) { word = word << 8 | UInt64(byte) }
        hasher.combine(word)
    }
}
