/// Writes compact JSON directly into bytes, without building a `JSONValue`.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

    package static func bytes(_ value: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(value)
        return writer.bytes
    }

    /// The bytes of an object whose members `body` adds.
    package static func object(capacity: Int = 256, _ body: (inout JSONWriter) throws -> Void) rethrows -> [UInt8] {
        var writer = JSONWriter(capacity: capacity)
        try writer.object(body)
        return writer.bytes
    }

    package static func string(_ value: JSONValue) -> String { String(decoding: bytes(value), as: UTF8.self) }

    package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
        begin(UInt8(ascii: "{"))
        try body(&self)
        end(UInt8(ascii: "}"))
    }

    package mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
        begin(UInt8(ascii: "["))
        try body(&self)
        end(UInt8(ascii: "]"))
    }

    /// Writes a member's name. Exactly one value must follow.
    package mutating func name(_ name: String) {
        comma()
        quoted(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }

    /// Writes nothing for nil, so that absent members are omitted rather than null.
    package mutating func member(_ name: String, ifPresent value: String?) { if let value { member(name, value) } }

    // Inlinable, so that writing an Int does not go through a generic description.
    @inlinable
    package mutating func member(_ name: String, _ value: some BinaryInteger) {
        self.name(name)
        integer(value)
    }

    package mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        bool(value)
    }

    package mutating func member(_ name: String, _ values: [String]) {
        self.name(name)
        array { writer in for value in values { writer.string(value) } }
    }

    package mutating func member(_ name: String, object body: (inout JSONWriter) -> Void) {
        self.name(name)
        object(body)
    }

    package mutating func member(_ name: String, _ value: JSONValue) {
        self.name(name)
        self.value(value)
    }

    package mutating func string(_ text: String) {
        comma()
        quoted(text)
        needsComma = true
    }

    @inlinable
    package mutating func integer(_ value: some BinaryInteger) { raw(value.description) }

    package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: raw("null")
        case .bool(let value): bool(value)
        case .number(let number): raw(number.literal)
        case .string(let text): string(text)
        case .array(let elements): array { writer in for element in elements { writer.value(element) } }
        case .object(let object): self.object { writer in for (name, value) in object { writer.member(name, value) } }
        }
    }

    @usableFromInline
    mutating func raw(_ literal: String) {
        comma()
        bytes.append(contentsOf: literal.utf8)
        needsComma = true
    }

    private mutating func begin(_ bracket: UInt8) {
        comma()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func comma() { if needsComma { bytes.append(UInt8(ascii: ",")) } }

    private mutating func quoted(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { text in
            // Runs without escapes are copied whole.
            var start = 0
            for position in text.indices {
                let byte = text[position]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<position]))
                escape(byte)
                start = position + 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0..<0x20:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(contentsOf: Hex.encode([byte]).utf8)
        default: bytes.append(byte)
        }
    }
}
