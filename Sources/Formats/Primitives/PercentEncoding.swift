/// Percent-encoding (RFC 3986 clause 2.1).
package enum PercentEncoding {
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    /// Encodes all but unreserved characters, so the result is safe in a path segment, a query or a form.
    package static func encode(_ text: some StringProtocol) -> String {
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

    /// Decodes. `+` becomes a space if `plusIsSpace` (forms). Nil for a broken escape, invalid UTF-8 or a NUL.
    package static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
        bytes.withContiguousBytes { decode($0, plusIsSpace: plusIsSpace) }
    }

    static func decode(_ bytes: UnsafeBufferPointer<UInt8>, plusIsSpace: Bool) -> String? {
        let isPlain = bytes.allSatisfy { byte in
            byte != UInt8(ascii: "%") && byte != 0 && !(plusIsSpace && byte == UInt8(ascii: "+"))
        }
        if isPlain { return String(validUTF8: bytes) }
        // Decoded text is never longer.
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { output in
            var count = 0
            var position = 0
            while position < bytes.count {
                var byte = bytes[position]
                if byte == UInt8(ascii: "%") {
                    guard position + 2 < bytes.count, let high = Hex.value(bytes[position + 1]),
                        let low = Hex.value(bytes[position + 2])
                    else { return nil }
                    byte = high << 4 | low
                    position += 2
                } else if plusIsSpace, byte == UInt8(ascii: "+") {
                    byte = 0x20
                }
                guard byte != 0 else { return nil }
                output.initializeElement(at: count, to: byte)
                count += 1
                position += 1
            }
            return String(validUTF8: UnsafeBufferPointer(rebasing: output[..<count]))
        }
    }
}
