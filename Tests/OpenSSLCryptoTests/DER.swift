/// Writes the Distinguished Encoding Rules (X.690), for keys and files that no library would write.
enum DER {
    static func element(_ tag: UInt8, _ parts: [[UInt8]]) -> [UInt8] {
        let content = Array(parts.joined())
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        let length = withUnsafeBytes(of: UInt32(content.count).bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(0x30, parts) }

    static func octets(_ bytes: [UInt8]) -> [UInt8] { element(0x04, [bytes]) }

    /// A bit string of whole bytes.
    static func bits(_ bytes: [UInt8]) -> [UInt8] { element(0x03, [[0], bytes]) }

    static func tagged(_ number: UInt8, _ parts: [UInt8]...) -> [UInt8] { element(0xA0 | number, parts) }

    /// A non-negative number, given as big-endian bytes.
    static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let magnitude = Array(bytes.drop { $0 == 0 })
        // Keeps zero from being empty, and a high bit from being a sign.
        let zero: [UInt8] = (magnitude.first ?? 0x80) < 0x80 ? [] : [0]
        return element(0x02, [zero, magnitude])
    }

    /// An object identifier.
    static func name(_ numbers: [Int]) -> [UInt8] {
        let rest = numbers.dropFirst(2).flatMap { number -> [UInt8] in
            var bytes = [UInt8(number & 0x7F)]
            var left = number >> 7
            while left > 0 {
                bytes.insert(UInt8(left & 0x7F) | 0x80, at: 0)
                left >>= 7
            }
            return bytes
        }
        return element(0x06, [[UInt8(numbers[0] * 40 + numbers[1])], rest])
    }

    /// Tag and content of each element.
    static func parts(_ bytes: [UInt8]) -> [(tag: UInt8, content: [UInt8])] {
        var parts: [(tag: UInt8, content: [UInt8])] = []
        var rest = bytes[...]
        while let tag = rest.popFirst(), let first = rest.popFirst() {
            var length = Int(first)
            if first > 0x80 {
                let count = Int(first & 0x7F)
                length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(count)
            }
            parts.append((tag, Array(rest.prefix(length))))
            rest = rest.dropFirst(length)
        }
        return parts
    }
}
