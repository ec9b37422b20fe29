import JOSE
import Primitives

/// The name of a certificate's subject (RFC 5280 clause 4.1.2.4). Equal if the attributes are the same in the same
/// order, compared exactly.
package struct DistinguishedName: Sendable, Hashable {
    struct Attribute: Sendable, Hashable {
        /// An object identifier in dots.
        let type: String
        let value: Value
    }

    enum Value: Sendable, Hashable {
        case text(String)
        /// The encoding of a value of another type.
        case encoded([UInt8])
    }

    /// Sets of attributes as in the certificate, the most significant first.
    let parts: [Set<Attribute>]

    /// Keywords of RFC 4514 clause 3 and those that OpenSSL writes, in capitals.
    private static let keywords = [
        "CN": "2.5.4.3", "SN": "2.5.4.4", "SERIALNUMBER": "2.5.4.5", "C": "2.5.4.6", "L": "2.5.4.7", "ST": "2.5.4.8",
        "STREET": "2.5.4.9", "O": "2.5.4.10", "OU": "2.5.4.11", "TITLE": "2.5.4.12", "GN": "2.5.4.42",
        "DNQUALIFIER": "2.5.4.46", "ORGANIZATIONIDENTIFIER": "2.5.4.97", "UID": "0.9.2342.19200300.100.1.1",
        "DC": "0.9.2342.19200300.100.1.25", "EMAILADDRESS": "1.2.840.113549.1.9.1",
    ]

    /// Reads the content of a `Name`.
    init(_ content: ArraySlice<UInt8>) throws(DERReader.Failure) {
        var reader = DERReader(content)
        var parts: [Set<Attribute>] = []
        while !reader.isAtEnd {
            var set = DERReader(try reader.next(DERReader.Tag.set))
            var attributes: Set<Attribute> = []
            while !set.isAtEnd {
                var pair = try set.sequence()
                let type = try pair.objectIdentifier()
                let value = try pair.next()
                try pair.end()
                attributes.insert(Attribute(type: type, value: Self.value(value)))
            }
            guard !attributes.isEmpty else { throw DERReader.Failure() }
            parts.append(attributes)
        }
        self.parts = parts
    }

    private static func value(_ element: DERReader.Element) -> Value {
        switch element.tag {
        case DERReader.Tag.utf8String, DERReader.Tag.printableString, DERReader.Tag.ia5String:
            String(validating: element.content, as: UTF8.self).map { .text($0) } ?? .encoded(Array(element.whole))
        default: .encoded(Array(element.whole))
        }
    }

    /// Reads the form of RFC 4514, the least significant part first: `CN=agent,O=Example,C=CH`. Nil for anything else,
    /// for an unknown keyword, and for an empty name.
    package init?(_ text: String) {
        var scanner = Scanner(Array(text.utf8))
        var parts: [Set<Attribute>] = []
        repeat {
            var attributes: Set<Attribute> = []
            repeat {
                guard let attribute = scanner.attribute(Self.keywords) else { return nil }
                attributes.insert(attribute)
            } while scanner.skip(UInt8(ascii: "+"))
            parts.append(attributes)
        } while scanner.skip(UInt8(ascii: ","))
        guard scanner.isAtEnd else { return nil }
        parts.reverse()
        self.parts = parts
    }

    /// Reads the form of RFC 4514 clause 3. Skips blanks around separators.
    private struct Scanner {
        private let bytes: [UInt8]
        private var position = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { position == bytes.count }

        private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

        mutating func skip(_ byte: UInt8) -> Bool {
            guard current == byte else { return false }
            position += 1
            return true
        }

        private mutating func skipBlanks() { while skip(UInt8(ascii: " ")) {} }

        mutating func attribute(_ keywords: [String: String]) -> Attribute? {
            skipBlanks()
            let start = position
            while let byte = current, byte != UInt8(ascii: "="), byte != UInt8(ascii: " ") { position += 1 }
            let name = String(decoding: bytes[start..<position], as: UTF8.self)
            skipBlanks()
            guard skip(UInt8(ascii: "=")) else { return nil }
            skipBlanks()
            let isDotted = name.contains(".") && name.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
            guard let type = isDotted ? name : keywords[name.uppercased()] else { return nil }
            return value().map { Attribute(type: type, value: $0) }
        }

        private mutating func value() -> Value? {
            if skip(UInt8(ascii: "#")) {
                let start = position
                while let byte = current, byte != UInt8(ascii: ","), byte != UInt8(ascii: "+") { position += 1 }
                let encoded = Hex.decode(String(decoding: bytes[start..<position], as: UTF8.self))
                guard let encoded, !encoded.isEmpty else { return nil }
                return .encoded(encoded)
            }
            var read: [UInt8] = []
            // Trailing blanks belong to the value only if escaped.
            var length = 0
            while let byte = current {
                switch byte {
                case UInt8(ascii: ","), UInt8(ascii: "+"): return finish(read, length)
                case UInt8(ascii: "\""), UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: ">"), 0: return nil
                case UInt8(ascii: "\\"):
                    position += 1
                    guard let escaped = escaped() else { return nil }
                    read.append(escaped)
                    length = read.count
                default:
                    position += 1
                    read.append(byte)
                    if byte != UInt8(ascii: " ") { length = read.count }
                }
            }
            return finish(read, length)
        }

        private func finish(_ read: [UInt8], _ length: Int) -> Value? {
            String(validating: read.prefix(length), as: UTF8.self).flatMap { $0.isEmpty ? nil : .text($0) }
        }

        /// A special character, or a byte as two hexadecimal digits.
        private mutating func escaped() -> UInt8? {
            guard let first = current else { return nil }
            if " #,+;<=>\\\"".utf8.contains(first) {
                position += 1
                return first
            }
            guard position + 2 <= bytes.count,
                let byte = Hex.decode(String(decoding: bytes[position..<position + 2], as: UTF8.self))?.first
            else { return nil }
            position += 2
            return byte
        }
    }
}
