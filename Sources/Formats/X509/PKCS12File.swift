import JOSE
import Primitives

/// Outermost form of a file with keys and certificates (RFC 7292 clause 4). Its content is sealed with a password.
package enum PKCS12File {
    /// 1.2.840.113549.1.7, of which 1 is data and 2 is signed data (RFC 2315 clause 14).
    private static let contentTypes: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07]

    /// True if `bytes` are a PFX: version 3, and content that a password or a key protects. Accepts the Basic Encoding
    /// Rules of some programs, in which lengths may be indefinite.
    package static func isOne(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        guard open(DERReader.Tag.sequence, &rest, isLast: true), take([DERReader.Tag.integer, 1, 3], &rest),
            open(DERReader.Tag.sequence, &rest), take(contentTypes, &rest), let type = rest.popFirst(),
            type == 1 || type == 2
        else { return false }
        return open(DERReader.Tag.constructed(0), &rest)
    }

    /// The bytes of a file as documents have them: in Base64, as files that are a text already are.
    package static func text(_ bytes: [UInt8]) -> String {
        isOne(bytes) ? Base64.encode(bytes) : String(decoding: bytes, as: UTF8.self)
    }

    private static func take(_ wanted: [UInt8], _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.starts(with: wanted) else { return false }
        rest = rest.dropFirst(wanted.count)
        return true
    }

    /// Goes into an element with that tag, which must be within the bytes; the last one must end with them.
    private static func open(_ tag: UInt8, _ rest: inout ArraySlice<UInt8>, isLast: Bool = false) -> Bool {
        guard rest.popFirst() == tag, let first = rest.popFirst() else { return false }
        if first == 0x80 { return rest.suffix(2).elementsEqual([0, 0]) }
        var length = Int(first)
        if first > 0x80 {
            let count = Int(first & 0x7F)
            guard count <= 4, rest.count > count else { return false }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        return length > 0 && (isLast ? length == rest.count : length <= rest.count)
    }
}
