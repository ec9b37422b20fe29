import Glibc

/// A whole HTTP/1.1 response. Its bytes are valid only during the call that passes it.
package struct Answer {
    package let status: Int
    /// From the status line to the blank line.
    package let head: UnsafeRawBufferPointer
    package let body: UnsafeRawBufferPointer
}

/// Fault between the load and the server. Not counted as an answer.
package enum LoadFailure: Error, Sendable, Equatable {
    case malformedAnswer
    case connect(port: UInt16, errno: Int32)
    case system(String, errno: Int32)
    /// The server closed the connection without an answer.
    case closed
    case timedOut
}

/// Reads responses from bytes that arrive in pieces of any size. Knows just enough of RFC 9112 for the measured servers
/// (a status line, Content-Length or chunked), and copies nothing with Content-Length.
package struct AnswerReader: ~Copyable {
    private enum Phase {
        case head
        case sized(head: Int, body: Int)
        case chunkSize(head: Int)
        case chunk(head: Int, left: Int)
        case trailer(head: Int)
    }

    private var buffer: UnsafeMutableRawPointer
    private var capacity: Int
    private var start = 0
    private var end = 0
    /// Start of the unread part of a chunked body, relative to `start`.
    private var cursor = 0
    private var phase = Phase.head
    private var status = 0
    private var chunked: [UInt8] = []

    package init(capacity: Int = 8192) {
        self.capacity = capacity
        buffer = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// Drops all bytes, for a reopened connection.
    package mutating func reset() {
        start = 0
        end = 0
        cursor = 0
        phase = .head
        chunked.removeAll(keepingCapacity: true)
    }

    /// Free room behind the read bytes. `filled` reports how much was used.
    package mutating func room() -> UnsafeMutableRawBufferPointer {
        if start == end {
            start = 0
            end = 0
        } else if capacity - end < capacity / 4 {
            if start > 0 {
                memmove(buffer, buffer + start, end - start)
                end -= start
                start = 0
            }
            if capacity - end < capacity / 4 {
                let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity * 2, alignment: 16)
                memcpy(larger, buffer, end)
                buffer.deallocate()
                buffer = larger
                capacity *= 2
            }
        }
        return UnsafeMutableRawBufferPointer(start: buffer + end, count: capacity - end)
    }

    package mutating func filled(_ count: Int) { end += count }

    /// Passes the next whole answer to `body`. Returns false if more bytes are needed. With `streamed`, passes each
    /// chunk's data there on arrival, and the answer at the stream's end.
    package mutating func next(
        streamed: ((UnsafeRawBufferPointer) -> Void)? = nil, _ body: (Answer) -> Void
    ) throws(LoadFailure) -> Bool {
        while true {
            let bytes = UnsafeRawBufferPointer(start: buffer + start, count: end - start)
            switch phase {
            case .head:
                guard try readHead(bytes) else { return false }
            case .sized(let head, let length):
                guard bytes.count >= head + length else { return false }
                finish(consumed: head + length)
                body(
                    Answer(
                        status: status, head: UnsafeRawBufferPointer(rebasing: bytes[..<head]),
                        body: UnsafeRawBufferPointer(rebasing: bytes[head..<head + length])))
                return true
            case .chunkSize(let head):
                guard let line = line(bytes) else { return false }
                guard let size = Self.hexadecimal(line.text) else { throw .malformedAnswer }
                cursor = line.end
                phase = size == 0 ? .trailer(head: head) : .chunk(head: head, left: size)
            case .chunk(let head, let left):
                let data = min(left, bytes.count - cursor)
                if data > 0 {
                    let piece = UnsafeRawBufferPointer(rebasing: bytes[cursor..<cursor + data])
                    if let streamed { streamed(piece) } else { chunked.append(contentsOf: piece) }
                    cursor += data
                    phase = .chunk(head: head, left: left - data)
                }
                guard left == data else {
                    discardStreamed(head, streamed != nil)
                    return false
                }
                guard bytes.count >= cursor + 2 else { return false }
                cursor += 2
                phase = .chunkSize(head: head)
                discardStreamed(head, streamed != nil)
            case .trailer(let head):
                guard let line = line(bytes) else { return false }
                cursor = line.end
                guard line.text.isEmpty else { continue }
                finish(consumed: cursor)
                chunked.withUnsafeBytes {
                    body(Answer(status: status, head: UnsafeRawBufferPointer(rebasing: bytes[..<head]), body: $0))
                }
                chunked.removeAll(keepingCapacity: true)
                return true
            }
        }
    }

    private mutating func finish(consumed: Int) {
        start += consumed
        cursor = 0
        phase = .head
    }

    /// Frees the delivered bytes of a stream, so that an endless stream needs no memory.
    private mutating func discardStreamed(_ head: Int, _ isStream: Bool) {
        guard isStream else { return }
        start += cursor
        cursor = 0
        switch phase {
        case .chunk(_, let left): phase = .chunk(head: 0, left: left)
        case .chunkSize: phase = .chunkSize(head: 0)
        default: break
        }
    }

    /// Reads the status and the framing. Returns false if the blank line is missing.
    private mutating func readHead(_ bytes: UnsafeRawBufferPointer) throws(LoadFailure) -> Bool {
        guard bytes.count >= 16, let base = bytes.baseAddress else { return false }
        guard bytes[0] == UInt8(ascii: "H"), bytes[8] == UInt8(ascii: " ") else { throw .malformedAnswer }
        var length: Int? = 0
        var isChunked = false
        var position = 12
        while let newline = memchr(base + position, 10, bytes.count - position) {
            position = newline - UnsafeMutableRawPointer(mutating: base) + 1
            guard position + 2 <= bytes.count else { return false }
            switch bytes[position] | 0x20 {
            case UInt8(ascii: "c"):
                if let value = Self.value(of: "content-length", bytes, at: position) {
                    length = Self.decimal(bytes, at: value)
                }
            case UInt8(ascii: "t"):
                if let value = Self.value(of: "transfer-encoding", bytes, at: position) {
                    isChunked = value < bytes.count && bytes[value] | 0x20 == UInt8(ascii: "c")
                }
            case 13 | 0x20:
                guard bytes[position] == 13, bytes[position + 1] == 10 else { continue }
                status = Int(bytes[9] &- 48) * 100 + Int(bytes[10] &- 48) * 10 + Int(bytes[11] &- 48)
                guard let length, (100...599).contains(status) else { throw .malformedAnswer }
                let head = position + 2
                cursor = isChunked ? head : 0
                phase = isChunked ? .chunkSize(head: head) : .sized(head: head, body: length)
                return true
            default: break
            }
        }
        return false
    }

    /// Reads a line of the chunked framing without its end. Also returns the position after it.
    private func line(_ bytes: UnsafeRawBufferPointer) -> (text: UnsafeRawBufferPointer, end: Int)? {
        guard cursor < bytes.count, let base = bytes.baseAddress,
            let newline = memchr(base + cursor, 10, bytes.count - cursor)
        else { return nil }
        let end = newline - UnsafeMutableRawPointer(mutating: base)
        let text = end > cursor && bytes[end - 1] == 13 ? end - 1 : end
        return (UnsafeRawBufferPointer(rebasing: bytes[cursor..<text]), end + 1)
    }

    /// Start of the value. Nil unless the field at `position` has this lower-case name.
    private static func value(of name: StaticString, _ head: UnsafeRawBufferPointer, at position: Int) -> Int? {
        let length = name.utf8CodeUnitCount
        guard head.count > position + length, head[position + length] == UInt8(ascii: ":") else { return nil }
        for index in 0..<length where head[position + index] | 0x20 != name.utf8Start[index] { return nil }
        var value = position + length + 1
        while value < head.count, head[value] == UInt8(ascii: " ") { value += 1 }
        return value
    }

    private static func decimal(_ bytes: UnsafeRawBufferPointer, at position: Int) -> Int? {
        var value = 0
        var index = position
        while index < bytes.count, (48...57).contains(bytes[index]), value < 1 << 40 {
            value = value * 10 + Int(bytes[index] - 48)
            index += 1
        }
        return index == position ? nil : value
    }

    private static func hexadecimal(_ text: UnsafeRawBufferPointer) -> Int? {
        var value = 0
        var digits = 0
        for byte in text {
            switch byte {
            case 48...57: value = value << 4 | Int(byte - 48)
            case 65...70, 97...102: value = value << 4 | (Int(byte | 0x20) - 87)
            case UInt8(ascii: ";"): return digits == 0 ? nil : value
            default: return nil
            }
            digits += 1
            guard digits <= 8 else { return nil }
        }
        return digits == 0 ? nil : value
    }
}
