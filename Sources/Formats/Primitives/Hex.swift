/// Lower-case hexadecimal (RFC 4648 clause 8).
package enum Hex {
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousBytes { bytes in
            String(unsafeUninitializedCapacity: 2 * bytes.count) { output in
                for (position, byte) in bytes.enumerated() {
                    output[2 * position] = digit(byte >> 4)
                    output[2 * position + 1] = digit(byte & 15)
                }
                return output.count
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }

    /// Accepts either case. Nil for an odd length or another character.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var output: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
            output.append(high << 4 | low)
        }
        return output
    }

    static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}
