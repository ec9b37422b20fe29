package import AuthorizationCore
package import Primitives

/// Stored form of an `auth_req_id`: the moment at its beginning, and 208 bits of its SHA-256. A node remembers many.
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

    /// Number in `0...15`, evenly distributed.
    var sixteenth: Int { Int(digest.lastByte & 15) }

    /// Identifier for phones: the first half, which is the moment and 80 bits of the hash. One key finds a request from
    /// either side, and does not reveal the random bits of the `auth_req_id`.
    package var consentID: ConsentID { ConsentID("cns_" + Base64URL.encode(bytes.prefix(Self.consentPrefix))) }

    /// The 16 bytes of a consent id. Nil means that the text is none.
    package static func prefix(of consent: ConsentID) -> [UInt8]? {
        guard consent.rawValue.hasPrefix("cns_"), let bytes = Base64URL.decode(consent.rawValue.dropFirst(4)),
            bytes.count == consentPrefix
        else { return nil }
        return bytes
    }
}
