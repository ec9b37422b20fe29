/// Finds a text by the algorithm of Knuth, Morris and Pratt: one pass, whatever both texts are.
struct ByteSearch {
    private let part: [UInt8]
    /// Length of the longest true prefix of `part` that ends at each of its bytes.
    private let borders: [Int]

    init(_ part: String) { self.init(Array(part.utf8)) }

    private init(_ part: [UInt8]) {
        var borders = [Int](repeating: 0, count: part.count)
        var length = 0
        for position in part.indices.dropFirst() {
            while length > 0, part[position] != part[length] { length = borders[length - 1] }
            if part[position] == part[length] { length += 1 }
            borders[position] = length
        }
        self.part = part
        self.borders = borders
    }

    func isIn(_ text: some Collection<UInt8>) -> Bool { part.isEmpty || !occurrences(in: text, limit: 1).isEmpty }

    /// Offsets of the first `limit` occurrences, which do not overlap. An empty part occurs nowhere.
    func occurrences(in text: some Collection<UInt8>, limit: Int = .max) -> [Int] {
        guard !part.isEmpty else { return [] }
        var found: [Int] = []
        var length = 0
        var end = 0
        for byte in text where found.count < limit {
            end += 1
            while length > 0, byte != part[length] { length = borders[length - 1] }
            if byte == part[length] { length += 1 }
            guard length == part.count else { continue }
            found.append(end - length)
            length = 0
        }
        return found
    }

    /// The text with `other` in place of the first `limit` occurrences. Nil if it would be longer than `size` bytes.
    func replaced(in text: String, by other: String, limit: Int = .max, size: Int) -> String? {
        let bytes = Array(text.utf8)
        let offsets = occurrences(in: bytes, limit: limit)
        guard !offsets.isEmpty else { return text }
        let other = Array(other.utf8)
        let count = bytes.count + offsets.count * (other.count - part.count)
        guard count <= size else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(count)
        var start = 0
        for offset in offsets {
            output += bytes[start..<offset]
            output += other
            start = offset + part.count
        }
        output += bytes[start...]
        return String(decoding: output, as: UTF8.self)
    }

    /// The text with `other` in place of the last occurrence, which may overlap others.
    func replacedLast(in text: String, by other: String) -> String {
        // From the end, both texts stand reversed.
        let backwards = ByteSearch(part.reversed())
        guard let offset = backwards.occurrences(in: text.utf8.reversed(), limit: 1).first else { return text }
        let bytes = Array(text.utf8)
        let end = bytes.count - offset
        return String(decoding: bytes[..<(end - part.count)] + Array(other.utf8) + bytes[end...], as: UTF8.self)
    }

    /// The texts between the first `limit - 1` occurrences, and the rest.
    func pieces(of text: String, limit: Int = .max) -> [String] {
        let bytes = Array(text.utf8)
        var pieces: [String] = []
        var start = 0
        for offset in occurrences(in: bytes, limit: limit - 1) {
            pieces.append(String(decoding: bytes[start..<offset], as: UTF8.self))
            start = offset + part.count
        }
        return pieces + [String(decoding: bytes[start...], as: UTF8.self)]
    }
}
