/// Header fields in the order received (RFC 9110 clause 5). Names are compared without ASCII case.
public struct HTTPFields: Sendable, Equatable, ExpressibleByDictionaryLiteral, Sequence {
    public struct Field: Sendable, Equatable {
        public let name: String
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private var fields: [Field] = []

    public init() {}

    public init(_ fields: [Field]) { self.fields = fields }

    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The first value of that name.
    public subscript(name: String) -> String? { place(of: name, from: 0).map { fields[$0].value } }

    /// Every value of that name, in order.
    public func values(of name: String) -> [String] { fields.lazy.filter { Self.same($0.name, name) }.map { $0.value } }

    /// True if there are two or more fields of that name.
    public func isRepeated(_ name: String) -> Bool {
        place(of: name, from: 0).map { place(of: name, from: $0 + 1) != nil } ?? false
    }

    public mutating func append(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// Replaces all values of that name by one.
    public mutating func set(_ name: String, _ value: String) {
        remove(name)
        append(name, value)
    }

    public mutating func remove(_ name: String) { fields.removeAll { Self.same($0.name, name) } }

    public var count: Int { fields.count }

    /// The media type of `Content-Type` without its parameters, in lower case (RFC 9110 clause 8.3.1).
    public var mediaType: String? {
        self["Content-Type"].map { value in
            // The usual form: without parameters and in lower case.
            let isPlain = value.utf8.allSatisfy { byte in
                byte > 0x20 && byte != UInt8(ascii: ";") && !(0x41...0x5A).contains(byte)
            }
            if isPlain { return value }
            let bytes = value.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
            return String(decoding: bytes.map(Self.lowercased), as: UTF8.self)
        }
    }

    public func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }

    /// Index of the first field of that name from `start` on. Compares in place, because copying fields would change
    /// many reference counts for each request.
    private func place(of name: String, from start: Int) -> Int? {
        fields.withUnsafeBufferPointer { fields in
            for index in start..<fields.count where Self.same(fields[index].name, name) { return index }
            return nil
        }
    }

    private static func same(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        if left == right { return true }
        var left = left
        var right = right
        return left.withUTF8 { left in
            right.withUTF8 { right in
                left.indices.allSatisfy { lowercased(left[$0]) == lowercased(right[$0]) }
            }
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
