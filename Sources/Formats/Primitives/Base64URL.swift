/// Base64url without padding (RFC 4648 clause 5, as RFC 7515 clause 2 uses it).
public enum Base64URL {
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: encodedBytes(bytes), as: UTF8.self)
    }

    public static func encodedBytes(_ bytes: some Collection<UInt8>) -> [UInt8] {
        Base64Alphabet.url.encode(bytes, padded: false)
    }

    /// Nil for padding, characters outside the alphabet, an impossible length or non-zero trailing bits, so that a
    /// value has one spelling only.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(text.utf8) }

    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        Base64Alphabet.url.decode(text)
    }
}

/// Base64 with padding (RFC 4648 clause 4).
public enum Base64 {
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: Base64Alphabet.standard.encode(bytes, padded: true), as: UTF8.self)
    }

    /// Nil for anything but the canonical padded form.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let bytes = Array(text.utf8)
        guard bytes.count % 4 == 0 else { return nil }
        let padding = bytes.suffix(2).filter { $0 == UInt8(ascii: "=") }.count
        return Base64Alphabet.standard.decode(bytes.dropLast(padding))
    }
}

private struct Base64Alphabet: Sendable {
    let symbols: [UInt8]
    /// 0xFF for a byte outside the alphabet.
    let values: [UInt8]

    static let standard = Base64Alphabet(last: "+/")
    static let url = Base64Alphabet(last: "-_")

    private init(last: String) {
        symbols = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, symbol) in symbols.enumerated() { values[Int(symbol)] = UInt8(value) }
        self.values = values
    }

    func encode(_ bytes: some Collection<UInt8>, padded: Bool) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        var group: UInt32 = 0
        var filled = 0
        for byte in bytes {
            group = group << 8 | UInt32(byte)
            filled += 1
            if filled == 3 {
                output.append(symbols[Int(group >> 18 & 63)])
                output.append(symbols[Int(group >> 12 & 63)])
                output.append(symbols[Int(group >> 6 & 63)])
                output.append(symbols[Int(group & 63)])
                group = 0
                filled = 0
            }
        }
        if filled > 0 {
            group <<= filled == 1 ? 16 : 8
            output.append(symbols[Int(group >> 18 & 63)])
            output.append(symbols[Int(group >> 12 & 63)])
            if filled == 2 { output.append(symbols[Int(group >> 6 & 63)]) }
            if padded { output.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - filled)) }
        }
        return output
    }

    func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(text.count / 4 * 3 + 2)
        var group: UInt32 = 0
        var bits = 0
        for symbol in text {
            let value = values[Int(symbol)]
            guard value != 0xFF else { return nil }
            group = group << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                output.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
                group &= (1 << UInt32(bits)) - 1
            }
        }
        return group == 0 ? output : nil
    }
}
