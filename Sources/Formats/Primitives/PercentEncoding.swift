/// Percent-encoding (RFC 3986 clause 2.1).
public enum PercentEncoding {
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    /// Encodes everything but unreserved characters, so the result is safe in a path segment, a query or a form.
    public static func encode(_ text: some StringProtocol) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var output: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                output.append(byte)
            } else {
                output.append(UInt8(ascii: "%"))
                output.append(digits[Int(byte >> 4)])
                output.append(digits[Int(byte & 15)])
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Decodes; `+` stays a plus unless `plusIsSpace` (forms). Nil for a broken escape, invalid UTF-8 or a NUL.
    public static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let first = iterator.next(), let second = iterator.next(), let high = Hex.value(first),
                    let low = Hex.value(second)
                else { return nil }
                output.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace:
                output.append(0x20)
            default:
                output.append(byte)
            }
        }
        guard !output.contains(0) else { return nil }
        return String(validating: output, as: UTF8.self)
    }
}
