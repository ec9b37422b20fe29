/// Base32 without padding (RFC 4648 clause 6), the spelling of TOTP secrets.
package enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var output: [UInt8] = []
        var group: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            group = group << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                output.append(alphabet[Int(group >> bits & 31)])
            }
            group &= (1 << bits) - 1
        }
        if bits > 0 { output.append(alphabet[Int(group << (5 - bits) & 31)]) }
        return String(decoding: output, as: UTF8.self)
    }

    /// Accepts either case, with or without padding. Nil for another character.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var output: [UInt8] = []
        var group: UInt32 = 0
        var bits: UInt32 = 0
        for symbol in text.uppercased().utf8 where symbol != UInt8(ascii: "=") {
            guard let value = alphabet.firstIndex(of: symbol) else { return nil }
            group = group << 5 | UInt32(value)
            bits += 5
            if bits >= 8 {
                bits -= 8
                output.append(UInt8(truncatingIfNeeded: group >> bits))
                group &= (1 << bits) - 1
            }
        }
        return output
    }
}
