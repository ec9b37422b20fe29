import Glibc

/// Finds fields in answers without parsing, since the generator shares the machine with the measured program.
package enum Scan {
    /// The string value of a member of a JSON text. Correct only for values without escapes, such as tokens and ids.
    package static func string(_ name: StaticString, in json: UnsafeRawBufferPointer) -> ArraySlice<UInt8>? {
        guard let base = json.baseAddress else { return nil }
        let length = name.utf8CodeUnitCount
        var position = 0
        while let quote = byte(UInt8(ascii: "\""), in: json, from: position) {
            position = quote + 1
            guard position + length + 3 < json.count else { return nil }
            guard memcmp(base + position, name.utf8Start, length) == 0,
                json[position + length] == UInt8(ascii: "\"")
            else { continue }
            var value = position + length + 1
            while value < json.count, json[value] == UInt8(ascii: " ") { value += 1 }
            guard value < json.count, json[value] == UInt8(ascii: ":") else { continue }
            value += 1
            while value < json.count, json[value] == UInt8(ascii: " ") { value += 1 }
            guard value < json.count, json[value] == UInt8(ascii: "\""),
                let end = byte(UInt8(ascii: "\""), in: json, from: value + 1)
            else { return nil }
            return Array(json[(value + 1)..<end])[...]
        }
        return nil
    }

    package static func contains(_ text: StaticString, in bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        let length = text.utf8CodeUnitCount
        return (0...max(0, bytes.count - length)).contains {
            $0 + length <= bytes.count && memcmp(base + $0, text.utf8Start, length) == 0
        }
    }

    package static func byte(_ byte: UInt8, in bytes: UnsafeRawBufferPointer, from position: Int) -> Int? {
        guard position < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + position, Int32(byte), bytes.count - position)
        else { return nil }
        return found - UnsafeMutableRawPointer(mutating: base)
    }
}

/// Cuts a `text/event-stream` into events.
package struct EventCutter {
    private var rest: [UInt8] = []

    package init() {}

    /// Calls `body` for each event that the piece completes.
    package mutating func append(_ piece: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        rest.append(contentsOf: piece)
        var start = 0
        rest.withUnsafeBytes { bytes in
            var position = 0
            while let newline = Scan.byte(10, in: bytes, from: position) {
                position = newline + 1
                guard position < bytes.count, bytes[position] == 10 else { continue }
                position += 1
                body(UnsafeRawBufferPointer(rebasing: bytes[start..<position]))
                start = position
            }
        }
        rest.removeFirst(start)
    }
}
