/// A token of the inside of markup.
struct TemplateToken: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case name(String)
        case string(String)
        case number(String)
        case symbol(String)
    }

    let kind: Kind
    let offset: Int

    /// Maximum bytes of a name. Each read of a variable compares its name.
    private static let nameLimit = 255
    /// Maximum bytes of a number.
    private static let numberLimit = 40

    static func all(of source: [UInt8], in range: Range<Int>) throws(TemplateFailure) -> [TemplateToken] {
        var tokens: [TemplateToken] = []
        var position = range.lowerBound
        func text(to end: Int) -> String { String(decoding: source[position..<end], as: UTF8.self) }
        while position < range.upperBound {
            let byte = source[position]
            let next = position + 1 < range.upperBound ? source[position + 1] : 0
            var end = position + 1
            switch byte {
            case let byte where byte.isLiquidSpace:
                position = end
                continue
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                while end < range.upperBound, source[end] != byte { end += 1 }
                guard end < range.upperBound else {
                    throw TemplateFailure("a text has no closing quotation mark", at: position, in: source)
                }
                let content = String(decoding: source[position + 1..<end], as: UTF8.self)
                tokens.append(TemplateToken(kind: .string(content), offset: position))
                end += 1
            case let byte where byte.isDigit || byte == UInt8(ascii: "-") && next.isDigit:
                while end < range.upperBound, source[end].isDigit { end += 1 }
                // Two dots belong to a range.
                if end + 1 < range.upperBound, source[end] == UInt8(ascii: "."), source[end + 1].isDigit {
                    end += 1
                    while end < range.upperBound, source[end].isDigit { end += 1 }
                }
                guard end - position <= numberLimit else {
                    throw TemplateFailure("a number is too long", at: position, in: source)
                }
                tokens.append(TemplateToken(kind: .number(text(to: end)), offset: position))
            case let byte where isLetter(byte):
                end = self.end(position, range, source)
                guard end - position <= nameLimit else {
                    throw TemplateFailure("a name is too long", at: position, in: source)
                }
                tokens.append(TemplateToken(kind: .name(text(to: end)), offset: position))
            default:
                let pair = text(to: min(position + 2, range.upperBound))
                if ["==", "!=", "<>", "<=", ">=", ".."].contains(pair) { end = position + 2 }
                let symbol = text(to: end)
                guard end == position + 2 || ".[]|:,()<>=".utf8.contains(byte) else {
                    throw TemplateFailure("a character is not understood here", at: position, in: source)
                }
                tokens.append(TemplateToken(kind: .symbol(symbol), offset: position))
            }
            position = end
        }
        return tokens
    }

    private static func end(_ start: Int, _ range: Range<Int>, _ source: [UInt8]) -> Int {
        var end = start
        while end < range.upperBound,
            isLetter(source[end]) || source[end].isDigit || source[end] == UInt8(ascii: "-")
        {
            end += 1
        }
        if end < range.upperBound, source[end] == UInt8(ascii: "?") { end += 1 }
        return end
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
    }
}
