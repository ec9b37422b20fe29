/// An RSAPublicKey of PKCS #1 (RFC 8017 appendix A.1.1), the format that Security uses.
struct RSAPublicKey: Equatable {
    /// Big-endian, without leading zero bytes.
    let modulus: [UInt8]
    let exponent: [UInt8]

    init(modulus: [UInt8], exponent: [UInt8]) {
        self.modulus = modulus
        self.exponent = exponent
    }

    /// Nil unless the data is a SEQUENCE of two positive INTEGERs in DER.
    init?(der: [UInt8]) {
        var outer = der[...]
        guard var body = Self.takeElement(0x30, off: &outer), outer.isEmpty,
            let modulus = Self.takeElement(0x02, off: &body), let exponent = Self.takeElement(0x02, off: &body),
            body.isEmpty, let first = modulus.first, let last = exponent.first, first < 0x80, last < 0x80
        else { return nil }
        self.init(modulus: Array(modulus.drop { $0 == 0 }), exponent: Array(exponent.drop { $0 == 0 }))
    }

    var der: [UInt8] { Self.element(0x30, Self.integer(modulus) + Self.integer(exponent)) }

    /// Encodes a positive number. A leading zero byte keeps the top bit from being read as a sign.
    private static func integer(_ bytes: [UInt8]) -> [UInt8] {
        element(0x02, (bytes.first ?? 0x80) >= 0x80 ? [0] + bytes : bytes)
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
        let length = withUnsafeBytes(of: content.count.bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    /// Removes the first element and returns its content.
    private static func takeElement(_ tag: UInt8, off bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
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
