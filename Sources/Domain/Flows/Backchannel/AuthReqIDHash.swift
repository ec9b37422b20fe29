package import AuthorizationCore
package import Primitives

/// All that is kept of an `auth_req_id`: the moment it begins with, and 208 bits of its SHA-256. A node remembers many.
package struct AuthReqIDHash: Sendable, Hashable {
    private let digest: Digest256

    /// Bytes of the hash that a consent id shows.
    package static let consentPrefix = 16

    package init(of authReqID: String, _ hashing: any Hashing) {
        // A text that does not begin with a moment names no request, and finds none.
        let moment = Base64URL.number(authReqID.utf8.prefix(8)) ?? 0
        digest = hashing.sha256(utf8: authReqID).beginning(with: moment)
    }

    /// A hash as it was stored: 32 bytes.
    package init(stored bytes: [UInt8]) { digest = Digest256(bytes) }

    /// The 32 bytes.
    package var bytes: [UInt8] { digest.bytes }

    /// One of sixteen, evenly.
    var sixteenth: Int { Int(digest.lastByte & 15) }

    /// The first half, the moment and 80 bits of the hash, as phones see it: one key finds a request from either side, and
    /// nobody gets from it to the random bits of the `auth_req_id`.
    package var consentID: ConsentID { ConsentID("cns_" + Base64URL.encode(bytes.prefix(Self.consentPrefix))) }

    /// The 16 bytes that a consent id shows; nil for what is no consent id.
    package static func prefix(of consent: ConsentID) -> [UInt8]? {
        guard consent.rawValue.hasPrefix("cns_"), let bytes = Base64URL.decode(consent.rawValue.dropFirst(4)),
            bytes.count == consentPrefix
        else { return nil }
        return bytes
    }
}
