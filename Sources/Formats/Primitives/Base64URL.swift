/// Base64url without padding (RFC 4648 clause 5, as RFC 7515 clause 2 uses it).
package enum Base64URL {
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: encodedBytes(bytes), as: UTF8.self)
    }

    package static func encodedBytes(_ bytes: some Collection<UInt8>) -> [UInt8] {
        Base64Alphabet.url.encode(bytes, padded: false)
    }

    // Arrays, which all signatures and tokens are, bypass the generic code.
    package static func encode(_ bytes: [UInt8]) -> String { String(decoding: encodedBytes(bytes), as: UTF8.self) }

    package static func encodedBytes(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBufferPointer { Base64Alphabet.url.encode($0, padded: false) }
    }

    /// Nil for padding, characters outside the alphabet, an impossible length or non-zero trailing bits, so that a
    /// value has one spelling only.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(text.utf8) }

    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? { Base64Alphabet.url.decode(text) }

    /// Number that up to ten symbols spell, six bits each, highest first. Nil for more symbols or one outside the
    /// alphabet.
    package static func number(_ symbols: some Collection<UInt8>) -> UInt64? {
        guard symbols.count <= 10 else { return nil }
        var (number, seen) = (UInt64(0), UInt8(0))
        for symbol in symbols {
            let value = Base64Alphabet.url.values[Int(symbol)]
            seen |= value
            number = number << 6 | UInt64(value)
        }
        return seen < 64 ? number : nil
    }
}

/// Base64 with padding (RFC 4648 clause 4).
package enum Base64 {
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: Base64Alphabet.standard.encode(bytes, padded: true), as: UTF8.self)
    }

    /// Nil for anything but the canonical padded form.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let bytes = Array(text.utf8)
        guard bytes.count % 4 == 0 else { return nil }
        let padding = bytes.suffix(2).filter { $0 == UInt8(ascii: "=") }.count
        return Base64Alphabet.standard.decode(bytes.dropLast(padding))
    }

    /// The canonical padded form, perhaps in lines (RFC 2045 clause 6.8), as programs write it to files.
    package static func decode(lines text: String) -> [UInt8]? {
        decode(String(decoding: text.utf8.filter { !" \t\r\n".utf8.contains($0) }, as: UTF8.self))
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
        bytes.withContiguousBytes { encode($0, padded: padded) }
    }

    func decode(_ text: some Collection<UInt8>) -> [UInt8]? { text.withContiguousBytes { decode($0) } }

    func encode(_ bytes: UnsafeBufferPointer<UInt8>, padded: Bool) -> [UInt8] {
        let (whole, rest) = bytes.count.quotientAndRemainder(dividingBy: 3)
        let size = whole * 4 + (rest == 0 ? 0 : padded ? 4 : rest + 1)
        guard size > 0 else { return [] }
        return symbols.withUnsafeBufferPointer { symbols in
            [UInt8](unsafeUninitializedCapacity: size) { output, count in
                count = size
                for group in 0..<whole {
                    let value =
                        Int(bytes[group * 3]) << 16 | Int(bytes[group * 3 + 1]) << 8 | Int(bytes[group * 3 + 2])
                    output[group * 4] = symbols[value >> 18]
                    output[group * 4 + 1] = symbols[value >> 12 & 63]
                    output[group * 4 + 2] = symbols[value >> 6 & 63]
                    output[group * 4 + 3] = symbols[value & 63]
                }
                guard rest > 0 else { return }
                let value = Int(bytes[whole * 3]) << 16 | (rest == 2 ? Int(bytes[whole * 3 + 1]) << 8 : 0)
                let last = [symbols[value >> 18], symbols[value >> 12 & 63], symbols[value >> 6 & 63]]
                for index in 0..<size - whole * 4 {
                    output[whole * 4 + index] = index <= rest ? last[index] : UInt8(ascii: "=")
                }
            }
        }
    }

    private func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        let (whole, rest) = text.count.quotientAndRemainder(dividingBy: 4)
        guard rest != 1 else { return nil }
        let size = whole * 3 + (rest == 0 ? 0 : rest - 1)
        // An array without capacity is the library's shared one, and the closure below would write a count to it.
        guard size > 0 else { return [] }
        // Stays under 64 as long as every symbol is of the alphabet.
        var seen: UInt8 = 0
        var trailing = 0
        let bytes = values.withUnsafeBufferPointer { values in
            [UInt8](unsafeUninitializedCapacity: size) { output, count in
                count = size
                func value(_ index: Int) -> Int {
                    let value = values[Int(text[index])]
                    seen |= value
                    return Int(value)
                }
                for group in 0..<whole {
                    let start = group * 4
                    let bits =
                        value(start) << 18 | value(start + 1) << 12 | value(start + 2) << 6 | value(start + 3)
                    output[group * 3] = UInt8(truncatingIfNeeded: bits >> 16)
                    output[group * 3 + 1] = UInt8(truncatingIfNeeded: bits >> 8)
                    output[group * 3 + 2] = UInt8(truncatingIfNeeded: bits)
                }
                guard rest > 0 else { return }
                let start = whole * 4
                let bits = value(start) << 18 | value(start + 1) << 12 | (rest == 3 ? value(start + 2) << 6 : 0)
                output[whole * 3] = UInt8(truncatingIfNeeded: bits >> 16)
                if rest == 3 { output[whole * 3 + 1] = UInt8(truncatingIfNeeded: bits >> 8) }
                trailing = rest == 3 ? bits & 0xFF : bits & 0xFFFF
            }
        }
        return seen < 64 && trailing == 0 ? bytes : nil
    }
}

extension Collection<UInt8> {
    /// The bytes in contiguous memory, copied only if they are not already.
    func withContiguousBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withContiguousStorageIfAvailable(body) ?? Array(self).withUnsafeBufferPointer(body)
    }
}
