public import AuthorizationCore
public import Primitives

/// SHA-256 of an `auth_req_id`: all that is kept of it. Held in four words, since a node remembers many.
public struct AuthReqIDHash: Sendable, Hashable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Bytes of the hash that a consent id shows.
    public static let consentPrefix = 16

    public init(of authReqID: String, _ hashing: any Hashing) {
        self.init(stored: hashing.sha256(Array(authReqID.utf8)))
    }

    /// A hash as it was stored: 32 bytes.
    public init(stored bytes: [UInt8]) {
        func word(_ index: Int) -> UInt64 {
            bytes.dropFirst(index * 8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        words = (word(0), word(1), word(2), word(3))
    }

    /// The 32 bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for word in [words.0, words.1, words.2, words.3] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return bytes
    }

    /// One of sixteen, evenly.
    var sixteenth: Int { Int(words.3 & 15) }

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

    public static func == (left: AuthReqIDHash, right: AuthReqIDHash) -> Bool { left.words == right.words }

    /// One word of a cryptographic hash distributes well enough; equality still compares all of them.
    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
