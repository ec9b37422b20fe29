@testable import GuardianWire
import Testing

@Suite("Server-Sent Events of the device channel")
struct DeviceEventTests {
    static let events = [
        DeviceEvent(id: 7, content: .notification(NotificationPayloadTests.payload)),
        DeviceEvent(id: 7, content: .notification(NotificationPayloadTests.payload), record: #"{"id":"cns_1"}"#),
        DeviceEvent(id: 8, content: .withdrawal(transactionLinkingID: "cns_1")),
        DeviceEvent(id: 8, content: .pending(transactionLinkingIDs: ["cns_2", "cns_3"])),
    ]

    @Test("Frames: id, event, and as data exactly APNs' payload")
    func frames() throws {
        #expect(
            String(decoding: Self.events[0].serverSentEvent.bytes, as: UTF8.self)
                == "id: 7\nevent: notification\ndata: \(NotificationPayloadTests.apns)\n\n")
        let withRecord = NotificationPayloadTests.apns.dropLast() + #","record":"{\"id\":\"cns_1\"}"}"#
        #expect(
            String(decoding: Self.events[1].serverSentEvent.bytes, as: UTF8.self)
                == "id: 7\nevent: notification\ndata: \(withRecord)\n\n")
        #expect(
            String(decoding: Self.events[2].serverSentEvent.bytes, as: UTF8.self)
                == "id: 8\nevent: withdrawal\ndata: {\"txlnkid\":\"cns_1\"}\n\n")
        #expect(
            String(decoding: Self.events[3].serverSentEvent.bytes, as: UTF8.self)
                == "id: 8\nevent: pending\ndata: {\"txlnkid\":[\"cns_2\",\"cns_3\"]}\n\n")
    }

    @Test("A stream in pieces of any size gives the same events", arguments: [1, 2, 3, 7, 64, 100_000])
    func pieces(size: Int) throws {
        var bytes = ServerSentEvent.retry(milliseconds: 2500) + ServerSentEvent.keepAlive
        for event in Self.events { bytes += event.serverSentEvent.bytes + ServerSentEvent.keepAlive }
        var parser = ServerSentEventParser()
        var read: [DeviceEvent?] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            read += try parser.parse(bytes[start..<min(start + size, bytes.count)]).map { try DeviceEvent($0) }
        }
        #expect(read == Self.events)
        #expect(parser.lastEventID == "8")
        #expect(parser.retryMilliseconds == 2500)
    }

    @Test("HTML 9.2.6: line ends, joined data, comments, unknown fields, a byte order mark")
    func standard() throws {
        var parser = ServerSentEventParser()
        let text =
            "\u{FEFF}data: a\r\ndata:b\rdata\n\n: c\nfoo: x\nid: 1\u{0}\nevent: e\n\nid:2\ndata:  d\r\n\r\ndata: cut"
        #expect(
            try parser.parse(Array(text.utf8)) == [
                ServerSentEvent(data: "a\nb\n"), ServerSentEvent(id: "2", data: " d"),
            ])
    }

    @Test("An event cut off after its id is not received")
    func cutOff() throws {
        var parser = ServerSentEventParser(lastEventID: "6")
        #expect(try parser.parse(Array("id: 7\nevent: notification\ndata: {".utf8)).isEmpty)
        #expect(parser.lastEventID == "6")
    }

    @Test("Data of several lines survives; U+2028 does not end a line")
    func lines() throws {
        var parser = ServerSentEventParser()
        let event = ServerSentEvent(id: "1", type: "x", data: "a\nb\u{2028}c")
        #expect(try parser.parse(event.bytes) == [event])
        let ends = ServerSentEvent(data: "a\r\nb\rc\n\n")
        let lines = ["event: message", "data: a", "data: b", "data: c", "data: ", "data: ", "", ""]
        #expect(String(decoding: ends.bytes, as: UTF8.self) == lines.joined(separator: "\n"))
        #expect(try parser.parse(ServerSentEvent(data: "").bytes).map(\.data) == [""])
    }

    @Test("An endless event is refused at the limit")
    func limit() {
        var parser = ServerSentEventParser(limit: 100)
        #expect(throws: ServerSentEventParser.Failure.tooLong(limit: 100)) {
            try parser.parse([UInt8](repeating: 0x61, count: 101))
        }
    }

    @Test("An unknown type is skipped; an id that is not a number, or malformed data, is an error")
    func unknown() throws {
        #expect(try DeviceEvent(ServerSentEvent(id: "1", type: "later", data: "?")) == nil)
        #expect(throws: DeviceEvent.Failure.id) {
            try DeviceEvent(ServerSentEvent(id: "x", type: "withdrawal", data: "{}"))
        }
        #expect(throws: DeviceEvent.Failure.data(.missing("txlnkid"))) {
            try DeviceEvent(ServerSentEvent(id: "1", type: "withdrawal", data: "{}"))
        }
        #expect(throws: DeviceEvent.Failure.data(.invalid("txlnkid", expected: "a list of strings"))) {
            try DeviceEvent(ServerSentEvent(id: "1", type: "pending", data: #"{"txlnkid":["cns_1",2]}"#))
        }
    }
}
