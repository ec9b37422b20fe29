package import AuthorizationCore
package import Primitives

/// Stored form of an `auth_req_id`: the time that it begins with, and 208 bits of its SHA-256. Compact, because a node
/// caches many.
package struct AuthReqIDHash: Sendable, Hashable {
    private let digest: Digest256

    /// Bytes of the hash that a consent id shows.
    package static let consentPrefix = 16

    package init(of authReqID: String, _ hashing: any Hashing) {
        // A text that does not begin with a time names no request.
        let moment = Base64URL.number(authReqID.utf8.prefix(8)) ?? 0
        digest = hashing.sha256(utf8: authReqID).beginning(with: moment)
    }

    /// A hash as it was stored: 32 bytes.
    package init(stored bytes: [UInt8]) { digest = Digest256(bytes) }

    package var bytes: [UInt8] { digest.bytes }

    /// Number in `0...15`, evenly distributed.
    var sixteenth: Int { Int(digest.lastByte & 15) }

    /// Identifier for phones: the first half, which is the time and 80 bits of the hash. It finds the request without
    /// revealing the random bits of the `auth_req_id`.
    package var consentID: ConsentID { ConsentID("cns_" + Base64URL.encode(bytes.prefix(Self.consentPrefix))) }

    /// The 16 bytes of a consent id. Nil for any other text.
    package static func prefix(of consent: ConsentID) -> [UInt8]? {
        guard consent.rawValue.hasPrefix("cns_"), let bytes = Base64URL.decode(consent.rawValue.dropFirst(4)),
            bytes.count == consentPrefix
        else { return nil }
        return bytes
    }
}
