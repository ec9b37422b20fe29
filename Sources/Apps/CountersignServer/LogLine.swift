import Primitives

/// A log line, built directly in bytes because every request writes one.
struct LogLine {
    private(set) var bytes: [UInt8] = []
    private let format: Log.Format

    init(_ format: Log.Format, time: [UInt8], level: Log.Level, event: StaticString) {
        self.format = format
        bytes.reserveCapacity(256)
        switch format {
        case .json:
            bytes.append(contentsOf: #"{"time":""#.utf8)
            bytes.append(contentsOf: time)
            bytes.append(contentsOf: #"","level":""#.utf8)
            bytes.append(contentsOf: level.rawValue.utf8)
            bytes.append(contentsOf: #"","event":""#.utf8)
            event.withUTF8Buffer { bytes.append(contentsOf: $0) }
            bytes.append(UInt8(ascii: "\""))
        case .text:
            bytes.append(contentsOf: time)
            bytes.append(0x20)
            bytes.append(contentsOf: level.rawValue.utf8)
            bytes.append(0x20)
            event.withUTF8Buffer { bytes.append(contentsOf: $0) }
        }
    }

    /// Adds a text from any source. It is quoted if it contains anything but visible ASCII.
    mutating func add(_ name: StaticString, _ value: String) {
        begin(name)
        let isPlain = value.utf8.allSatisfy { $0 > 0x22 && $0 != 0x3D && $0 != 0x5C && $0 < 0x7F }
        switch (format, isPlain) {
        case (.text, true) where !value.isEmpty: bytes.append(contentsOf: value.utf8)
        case (.json, true):
            bytes.append(UInt8(ascii: "\""))
            bytes.append(contentsOf: value.utf8)
            bytes.append(UInt8(ascii: "\""))
        default: appendQuoted(value)
        }
    }

    /// Quotes as JSON does, and escapes characters that could reorder or hide the line on a terminal.
    private mutating func appendQuoted(_ value: String) {
        let quoted = JSONWriter.bytes(.string(value))
        guard !quoted.allSatisfy({ $0 < 0x7F }) else { return bytes.append(contentsOf: quoted) }
        for scalar in String(decoding: quoted, as: UTF8.self).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                    bytes.append(contentsOf: "\\u".utf8)
                    bytes.append(contentsOf: Hex.encode([UInt8(unit >> 8), UInt8(unit & 0xFF)]).utf8)
                }
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }

    mutating func add(_ name: StaticString, _ value: Int) {
        begin(name)
        append(value)
    }

    /// Adds milliseconds with three decimals.
    mutating func add(_ name: StaticString, _ duration: Duration) {
        begin(name)
        let (seconds, attoseconds) = duration.components
        let microseconds = Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
        append(microseconds / 1000)
        bytes.append(UInt8(ascii: "."))
        for divisor in [100, 10, 1] { bytes.append(0x30 + UInt8(microseconds % 1000 / divisor % 10)) }
    }

    /// Ends the line and returns it.
    mutating func end() -> [UInt8] {
        if format == .json { bytes.append(UInt8(ascii: "}")) }
        bytes.append(0x0A)
        return bytes
    }

    private mutating func begin(_ name: StaticString) {
        switch format {
        case .json:
            bytes.append(contentsOf: ",\"".utf8)
            name.withUTF8Buffer { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: "\":".utf8)
        case .text:
            bytes.append(0x20)
            name.withUTF8Buffer { bytes.append(contentsOf: $0) }
            bytes.append(UInt8(ascii: "="))
        }
    }

    private mutating func append(_ number: Int) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        var divisor: UInt = 1
        while rest / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            bytes.append(0x30 + UInt8(rest / divisor))
            rest %= divisor
            divisor /= 10
        }
    }
}
