/// Reads RFC 8259 text strictly: UTF-8 only, no duplicate names (RFC 8259 clause 4 leaves them undefined, and readers
/// that differ can be attacked), no lone surrogates, nothing after the value.
package struct JSONReader {
    package enum Failure: Error, Sendable, Equatable {
        /// Offset in bytes at which reading stopped, and the fault there.
        case syntax(offset: Int, String)
        case tooDeep(limit: Int)
        case duplicateName(String)
    }

    private let bytes: [UInt8]
    private var position = 0
    private let depthLimit: Int

    /// Reads one value. `depthLimit` is the maximum nesting of arrays and objects.
    package static func parse(_ bytes: [UInt8], depthLimit: Int = 32) throws(Failure) -> JSONValue {
        var reader = JSONReader(bytes: bytes, depthLimit: depthLimit)
        reader.skipSpace()
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.position == bytes.count else { throw reader.syntax("nothing may follow the value") }
        return value
    }

    package static func parse(_ text: String, depthLimit: Int = 32) throws(Failure) -> JSONValue {
        try parse(Array(text.utf8), depthLimit: depthLimit)
    }

    private init(bytes: [UInt8], depthLimit: Int) {
        self.bytes = bytes
        self.depthLimit = depthLimit
    }

    private func syntax(_ text: String) -> Failure { .syntax(offset: position, text) }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func value(depth: Int) throws(Failure) -> JSONValue {
        switch peek {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case .some(UInt8(ascii: "-")), .some(0x30...0x39): return .number(try number())
        case nil: throw syntax("the text ends where a value was expected")
        default: throw syntax("a value was expected")
        }
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(Failure) -> JSONValue {
        let matches = text.withUTF8Buffer { expected in bytes[position...].starts(with: expected) }
        guard matches else { throw syntax("a value was expected") }
        position += text.utf8CodeUnitCount
        return value
    }

    private mutating func array(depth: Int) throws(Failure) -> JSONValue {
        guard depth <= depthLimit else { throw .tooDeep(limit: depthLimit) }
        position += 1
        var elements: [JSONValue] = []
        skipSpace()
        if peek == UInt8(ascii: "]") {
            position += 1
            return .array(elements)
        }
        while true {
            skipSpace()
            elements.append(try value(depth: depth))
            skipSpace()
            switch peek {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "]"):
                position += 1
                return .array(elements)
            default: throw syntax("',' or ']' was expected")
            }
        }
    }

    private mutating func object(depth: Int) throws(Failure) -> JSONValue {
        guard depth <= depthLimit else { throw .tooDeep(limit: depthLimit) }
        position += 1
        var members: [(name: String, value: JSONValue)] = []
        var names = UniqueNames()
        skipSpace()
        if peek == UInt8(ascii: "}") {
            position += 1
            return .object(JSONObject())
        }
        while true {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw syntax("a member's name was expected") }
            let name = try string()
            // Swift compares strings by canonical equivalence, so two spellings of é are one name here: stricter.
            guard names.insert(name) else { throw .duplicateName(name) }
            skipSpace()
            guard peek == UInt8(ascii: ":") else { throw syntax("':' was expected") }
            position += 1
            skipSpace()
            members.append((name, try value(depth: depth)))
            skipSpace()
            switch peek {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "}"):
                position += 1
                return .object(JSONObject(unchecked: members))
            default: throw syntax("',' or '}' was expected")
            }
        }
    }

    private mutating func number() throws(Failure) -> JSONNumber {
        let start = position
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
        if peek == UInt8(ascii: "-") { position += 1 }
        guard isDigit(peek) else { throw syntax("a digit was expected") }
        if peek == 0x30 {
            position += 1
            guard !isDigit(peek) else { throw syntax("a number may not begin with 0") }
        } else {
            while isDigit(peek) { position += 1 }
        }
        if peek == UInt8(ascii: ".") {
            position += 1
            guard isDigit(peek) else { throw syntax("a digit was expected") }
            while isDigit(peek) { position += 1 }
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            position += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
            guard isDigit(peek) else { throw syntax("a digit was expected") }
            while isDigit(peek) { position += 1 }
        }
        return JSONNumber(unchecked: String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func string() throws(Failure) -> String {
        position += 1
        let start = position
        while let byte = peek, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        if peek == UInt8(ascii: "\"") {
            let text = try validated(bytes[start..<position], at: start)
            position += 1
            return text
        }
        var output = Array(bytes[start..<position])
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                let text = try validated(output[...], at: start)
                position += 1
                return text
            case UInt8(ascii: "\\"):
                position += 1
                try escape(into: &output)
            case 0..<0x20: throw syntax("a control character must be escaped")
            default:
                output.append(byte)
                position += 1
            }
        }
        throw syntax("a string does not end")
    }

    private func validated(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(Failure) -> String {
        guard let text = bytes.withUnsafeBufferPointer({ String(validUTF8: $0) }) else {
            throw .syntax(offset: offset, "a string is not valid UTF-8")
        }
        return text
    }

    private mutating func escape(into output: inout [UInt8]) throws(Failure) {
        guard let byte = peek else { throw syntax("a string does not end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): output.append(byte)
        case UInt8(ascii: "b"): output.append(0x08)
        case UInt8(ascii: "f"): output.append(0x0C)
        case UInt8(ascii: "n"): output.append(0x0A)
        case UInt8(ascii: "r"): output.append(0x0D)
        case UInt8(ascii: "t"): output.append(0x09)
        case UInt8(ascii: "u"):
            var scalar = try unit()
            if (0xD800...0xDBFF).contains(scalar), bytes[position...].starts(with: [0x5C, 0x75]) {
                position += 2
                let low = try unit()
                guard (0xDC00...0xDFFF).contains(low) else { throw syntax("a surrogate stands alone") }
                scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let character = Unicode.Scalar(scalar) else { throw syntax("a surrogate stands alone") }
            output.append(contentsOf: String(character).utf8)
        default: throw syntax("an unknown escape")
        }
    }

    private mutating func unit() throws(Failure) -> UInt32 {
        guard position + 4 <= bytes.count else { throw syntax("four hexadecimal digits were expected") }
        var value: UInt32 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = Hex.value(byte) else { throw syntax("four hexadecimal digits were expected") }
            value = value << 4 | UInt32(digit)
        }
        position += 4
        return value
    }
}

/// Names seen so far. A few are compared one by one, which is faster than hashing. Many are hashed, so that reading
/// stays linear.
private struct UniqueNames {
    private static let fewest = 16
    private var few: [String] = []
    private var many: Set<String> = []

    /// False for a repeated name.
    mutating func insert(_ name: String) -> Bool {
        if few.count == Self.fewest {
            if many.isEmpty { many = Set(few) }
            return many.insert(name).inserted
        }
        guard !few.contains(name) else { return false }
        few.append(name)
        return true
    }
}
