public import AuthorizationCore
public import Primitives

/// SHA-256 of an `auth_req_id`: all that is kept of it. A node remembers many.
public struct AuthReqIDHash: Sendable, Hashable {
    private let digest: Digest256

    /// Bytes of the hash that a consent id shows.
    public static let consentPrefix = 16

    public init(of authReqID: String, _ hashing: any Hashing) { digest = hashing.sha256(utf8: authReqID) }

    init(of authReqID: UnsafeBufferPointer<UInt8>, _ hashing: any Hashing) { digest = hashing.sha256(authReqID) }

    /// A hash as it was stored: 32 bytes.
    public init(stored bytes: [UInt8]) { digest = Digest256(bytes) }

    /// The 32 bytes.
    public var bytes: [UInt8] { digest.bytes }

    /// One of sixteen, evenly.
    var sixteenth: Int { Int(digest.lastByte & 15) }

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
}
