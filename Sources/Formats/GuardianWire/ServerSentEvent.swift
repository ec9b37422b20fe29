import Primitives

/// One event of a `text/event-stream` (HTML Living Standard, clause 9.2).
package struct ServerSentEvent: Sendable, Equatable {
    /// The last `id` at or before this event.
    package var id: String?
    /// `event`. Defaults to `message`.
    package var type = "message"
    package var data: String

    package init(id: String? = nil, type: String = "message", data: String) {
        self.id = id
        self.type = type
        self.data = data
    }

    /// A comment that keeps the connection open.
    package static let keepAlive: [UInt8] = Array(":\n\n".utf8)

    /// Line with the milliseconds that a client waits before it reconnects.
    package static func retry(milliseconds: Int) -> [UInt8] { Array("retry: \(milliseconds)\n\n".utf8) }

    /// The event on the wire. Line ends in `data` start new `data` lines. `id` and `type` must have none.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.utf8.count + type.utf8.count + (id?.utf8.count ?? 0) + 32)
        func append(_ line: some Collection<UInt8>, as field: StaticString) {
            field.withUTF8Buffer { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: line)
            bytes.append(0x0A)
        }
        if let id { append(id.utf8, as: "id: ") }
        append(type.utf8, as: "event: ")
        var data = data
        data.withUTF8 { data in
            var rest = data[...]
            while let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
                append(rest[..<end], as: "data: ")
                let isPair = rest[end] == 0x0D && rest[end...].dropFirst().first == 0x0A
                rest = rest[end...].dropFirst(isPair ? 2 : 1)
            }
            append(rest, as: "data: ")
        }
        bytes.append(0x0A)
        return bytes
    }
}

/// Reads a `text/event-stream` as it arrives, in pieces of any size.
package struct ServerSentEventParser: Sendable {
    package enum Failure: Error, Sendable, Equatable {
        /// One event is longer than the limit, in bytes.
        case tooLong(limit: Int)
    }

    /// `id` of the last complete event, for `Last-Event-ID` when reconnecting.
    package private(set) var lastEventID: String?
    /// The stream's latest pause before reconnecting, in milliseconds.
    package private(set) var retryMilliseconds: Int?

    private let limit: Int
    private var line: [UInt8] = []
    private var idBuffer: String?
    private var type = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var afterCarriageReturn = false
    private var isFirstLine = true

    /// `limit` is the maximum bytes of an event.
    package init(lastEventID: String? = nil, limit: Int = 262_144) {
        self.lastEventID = lastEventID
        idBuffer = lastEventID
        self.limit = limit
    }

    /// Takes the next piece and returns the events it completes. An event cut off by the stream's end is dropped, as
    /// the standard asks.
    package mutating func parse(_ bytes: some Sequence<UInt8>) throws(Failure) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            let endsCarriageReturn = afterCarriageReturn
            afterCarriageReturn = byte == 0x0D
            switch byte {
            case 0x0A where endsCarriageReturn: break
            case 0x0A, 0x0D: if let event = endLine() { events.append(event) }
            default:
                line.append(byte)
                guard line.count + data.count <= limit else { throw .tooLong(limit: limit) }
            }
        }
        return events
    }

    private mutating func endLine() -> ServerSentEvent? {
        var content = line[...]
        // A leading byte order mark is not part of the stream.
        if isFirstLine { content = content.withoutByteOrderMark }
        isFirstLine = false
        defer { line.removeAll(keepingCapacity: true) }
        guard !content.isEmpty else { return dispatch() }
        let colon = content.firstIndex(of: UInt8(ascii: ":")) ?? content.endIndex
        var value = content[colon...].dropFirst()
        if value.first == 0x20 { value = value.dropFirst() }
        field(String(decoding: content[..<colon], as: UTF8.self), value)
        return nil
    }

    private mutating func field(_ name: String, _ value: ArraySlice<UInt8>) {
        switch name {
        case "event": type = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(0x0A) }
            data.append(contentsOf: value)
            hasData = true
        case "id" where !value.contains(0): idBuffer = String(decoding: value, as: UTF8.self)
        case "retry" where !value.isEmpty && value.allSatisfy { (0x30...0x39).contains($0) }:
            retryMilliseconds = Int(String(decoding: value, as: UTF8.self))
        default: break
        }
    }

    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            type = ""
            data.removeAll(keepingCapacity: true)
            hasData = false
        }
        // Only now: an event that was cut off after its id must come again.
        lastEventID = idBuffer
        guard hasData else { return nil }
        return ServerSentEvent(
            id: lastEventID, type: type.isEmpty ? "message" : type, data: String(decoding: data, as: UTF8.self))
    }
}
