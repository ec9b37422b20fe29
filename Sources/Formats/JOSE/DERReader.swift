/// Reads the Distinguished Encoding Rules (ITU-T X.690 clause 10), strictly: one encoding for each value.
package struct DERReader {
    package struct Failure: Error {
        package init() {}
    }

    /// Tags that are read here (X.680 clause 8.4), with their constructed bit.
    package enum Tag {
        package static let boolean: UInt8 = 0x01
        package static let integer: UInt8 = 0x02
        package static let bitString: UInt8 = 0x03
        package static let octetString: UInt8 = 0x04
        package static let objectIdentifier: UInt8 = 0x06
        package static let utf8String: UInt8 = 0x0C
        package static let printableString: UInt8 = 0x13
        package static let ia5String: UInt8 = 0x16
        package static let utcTime: UInt8 = 0x17
        package static let generalizedTime: UInt8 = 0x18
        package static let sequence: UInt8 = 0x30
        package static let set: UInt8 = 0x31
        /// `[number]`, which holds other values.
        package static func constructed(_ number: UInt8) -> UInt8 { 0xA0 | number }
        /// `[number]` in place of another tag.
        package static func primitive(_ number: UInt8) -> UInt8 { 0x80 | number }
    }

    package struct Element {
        package let tag: UInt8
        package let content: ArraySlice<UInt8>
        /// With tag and length.
        package let whole: ArraySlice<UInt8>
    }

    private var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    package var isAtEnd: Bool { rest.isEmpty }

    /// Tag of the next element. Nil at the end.
    package var nextTag: UInt8? { rest.first }

    package mutating func next() throws(Failure) -> Element {
        let start = rest
        // Tags of more than one byte are not needed here.
        guard let tag = rest.popFirst(), tag & 0x1F != 0x1F, let first = rest.popFirst() else { throw Failure() }
        var length = Int(first)
        if first & 0x80 != 0 {
            let count = Int(first & 0x7F)
            guard (1...4).contains(count), rest.count >= count, rest.first != 0 else { throw Failure() }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
            guard length >= 0x80 else { throw Failure() }
        }
        guard rest.count >= length else { throw Failure() }
        let content = rest.prefix(length)
        rest = rest.dropFirst(length)
        return Element(tag: tag, content: content, whole: start[..<content.endIndex])
    }

    /// The content of the next element, which must have that tag.
    package mutating func next(_ tag: UInt8) throws(Failure) -> ArraySlice<UInt8> {
        let element = try next()
        guard element.tag == tag else { throw Failure() }
        return element.content
    }

    package mutating func nextIfPresent(_ tag: UInt8) throws(Failure) -> ArraySlice<UInt8>? {
        nextTag == tag ? try next(tag) : nil
    }

    package mutating func sequence() throws(Failure) -> DERReader { DERReader(try next(Tag.sequence)) }

    package func end() throws(Failure) { guard isAtEnd else { throw Failure() } }

    /// A non-negative number without leading zero bytes. Zero is empty.
    package mutating func unsignedInteger() throws(Failure) -> [UInt8] {
        let content = try next(Tag.integer)
        guard let first = content.first, first < 0x80 else { throw Failure() }
        if first == 0, content.count > 1, content[content.startIndex + 1] < 0x80 { throw Failure() }
        return Array(content.drop { $0 == 0 })
    }

    /// A bit string of whole bytes.
    package mutating func bytesOfBitString() throws(Failure) -> ArraySlice<UInt8> {
        let content = try next(Tag.bitString)
        guard content.first == 0 else { throw Failure() }
        return content.dropFirst()
    }

    /// An object identifier in dots: `2.5.4.3`.
    package mutating func objectIdentifier() throws(Failure) -> String {
        let content = try next(Tag.objectIdentifier)
        var numbers: [UInt64] = []
        var number: UInt64 = 0
        var isInside = false
        for byte in content {
            guard isInside || byte != 0x80, number < 1 << 50 else { throw Failure() }
            number = number << 7 | UInt64(byte & 0x7F)
            isInside = byte & 0x80 != 0
            if !isInside {
                if numbers.isEmpty {
                    let first = min(number / 40, 2)
                    numbers = [first, number - first * 40]
                } else {
                    numbers.append(number)
                }
                number = 0
            }
        }
        guard !isInside, !numbers.isEmpty else { throw Failure() }
        return numbers.map(String.init).joined(separator: ".")
    }
}
