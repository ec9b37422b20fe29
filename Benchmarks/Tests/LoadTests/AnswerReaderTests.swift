import Load
import Testing

@Suite("Reading answers that arrive in pieces")
struct AnswerReaderTests {
    static let sized =
        "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\ncontent-length: 12\r\n\r\n{\"a\":\"bcde\"}"
    static let chunked =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA;x=y\r\n, world!!!\r\n0\r\nTrailer: x\r\n\r\n"
    static let empty = "HTTP/1.1 204 No Content\r\nX-Request-Id: 1\r\n\r\n"

    /// Feeds `text` in pieces of `size` bytes.
    private func read(_ text: String, piece size: Int) throws -> [String] {
        var reader = AnswerReader(capacity: 64)
        var answers: [String] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let room = reader.room()
            let count = min(size, rest.count, room.count)
            room.copyBytes(from: rest.prefix(count))
            reader.filled(count)
            rest = rest.dropFirst(count)
            while try reader.next({ answers.append("\($0.status) \(String(decoding: $0.body, as: UTF8.self))") }) {}
        }
        return answers
    }

    @Test("RFC 9112 6 and 7.1: sized, chunked and empty answers, pipelined, cut anywhere", arguments: 1...70)
    func pieces(size: Int) throws {
        let text = Self.sized + Self.chunked + Self.empty + Self.sized
        #expect(
            try read(text, piece: size) == [
                "400 {\"a\":\"bcde\"}", "200 hello, world!!!", "204 ", "400 {\"a\":\"bcde\"}",
            ])
    }

    @Test("A stream's data is delivered at once, in constant memory", arguments: [1, 7, 64])
    func stream(size: Int) throws {
        var reader = AnswerReader(capacity: 64)
        var seen = ""
        let long = String(repeating: "x", count: 0x2B)
        var text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        for _ in 0..<100 { text += "5\r\nabcde\r\n2b\r\n\(long)\r\n" }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let room = reader.room()
            #expect(room.count <= 128)
            let count = min(size, rest.count, room.count)
            room.copyBytes(from: rest.prefix(count))
            reader.filled(count)
            rest = rest.dropFirst(count)
            let isWhole = try reader.next(
                streamed: { seen += String(decoding: $0, as: UTF8.self) },
                { _ in Issue.record("the stream did not end") })
            #expect(!isWhole)
        }
        #expect(seen == String(repeating: "abcde" + long, count: 100))
    }

    @Test(
        "Input that is not an HTTP/1.1 answer is an error",
        arguments: [
            "SSH-2.0-OpenSSH_9.2p1\r\n\r\n", "HTTP/1.1 999 Odd\r\n\r\nxxxxxxxx",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n",
        ])
    func malformed(text: String) {
        #expect(throws: LoadFailure.malformedAnswer) { try read(text, piece: 1000) }
    }
}

@Suite("Percentiles")
struct HistogramTests {
    @Test("A percentile is within a bucket's width of the exact one")
    func percentiles() {
        var histogram = LatencyHistogram()
        for value in 1...100_000 as ClosedRange<UInt64> { histogram.record(nanoseconds: value * 10) }
        #expect(histogram.count == 100_000)
        for fraction in [0.01, 0.5, 0.9, 0.99, 1] {
            let exact = fraction * 1_000_000
            #expect(abs(histogram.percentile(fraction) - exact) <= exact * 0.016 + 1)
        }
    }

    @Test("Extremes do not trap, and merging adds")
    func extremes() {
        var histogram = LatencyHistogram()
        histogram.record(nanoseconds: 0)
        histogram.record(nanoseconds: .max)
        var other = LatencyHistogram()
        other.record(nanoseconds: 5)
        histogram.merge(other)
        #expect(histogram.count == 3)
        #expect(histogram.percentile(0.5) == 5)
        #expect(LatencyHistogram().percentile(0.5) == 0)
    }
}
