import JOSE

/// An RSAPublicKey of PKCS #1 (RFC 8017 appendix A.1.1), the form in which Apple's Security exports one.
struct RSAPublicKeyInfo {
    let material: JWK.Material

    /// Nil for anything but a SEQUENCE of two positive INTEGERs in DER.
    init?(der: [UInt8]) {
        var outer = der[...]
        guard var body = Self.element(tag: 0x30, of: &outer), outer.isEmpty,
            let modulus = Self.element(tag: 0x02, of: &body), let exponent = Self.element(tag: 0x02, of: &body),
            body.isEmpty, let first = modulus.first, let last = exponent.first, first < 0x80, last < 0x80
        else { return nil }
        material = .rsa(n: Array(modulus), e: Array(exponent))
    }

    /// Takes one element off the front and returns its content.
    private static func element(tag: UInt8, of bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.popFirst() == tag, let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            guard (0x81...0x82).contains(first), bytes.count >= Int(first & 0x7F) else { return nil }
            length = bytes.prefix(Int(first & 0x7F)).reduce(0) { $0 << 8 | Int($1) }
            bytes = bytes.dropFirst(Int(first & 0x7F))
        }
        guard bytes.count >= length else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return bytes.prefix(length)
    }
}
