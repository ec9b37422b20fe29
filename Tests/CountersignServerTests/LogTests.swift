import Glibc
import TestSupport
import Testing

@testable import CountersignServer

@Suite("The log")
struct LogTests {
    private func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        // Programs that other tests start must not keep them open.
        for end in ends { try #require(fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
        return (ends[0], ends[1])
    }

    /// Reads to the end, or until there are as many lines as wanted.
    private static func lines(from descriptor: Int32, wanted: Int = .max) -> [Substring] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        var seen = 0
        while seen < wanted {
            let count = read(descriptor, &buffer, buffer.count)
            if count <= 0 { break }
            bytes.append(contentsOf: buffer[..<count])
            seen += buffer[..<count].count { $0 == 0x0A }
        }
        close(descriptor)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    @Test(
        "Every line arrives, also on a non-blocking descriptor with a slow reader",
        .timeLimit(.minutes(2)))
    func nonBlocking() async throws {
        let (reading, writing) = try pipe()
        try #require(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
        let log = Log(format: .text, level: .info, clock: ManualClock(), descriptor: writing)
        // Ten times what a pipe takes.
        for number in 0..<10_000 {
            log.write(.info, "line", ["number": "\(number)", "filler": "0123456789012345678901"])
        }
        let lines = try await onThread { Self.lines(from: reading, wanted: 10_000) }
        try await onThread {
            log.close()
            close(writing)
        }
        #expect(lines.count == 10_000)
        #expect(lines.last?.contains("number=9999 ") == true)
    }

    @Test("Lines that nobody reads are counted, and the log reports their number")
    func backlog() async throws {
        let (reading, writing) = try pipe()
        let log = Log(format: .text, level: .info, clock: ManualClock(), descriptor: writing)
        let filler = String(repeating: "x", count: 100_000)
        for _ in 0..<200 { log.write(.info, "line", ["filler": filler]) }
        async let read = onThread { Self.lines(from: reading) }
        try await onThread {
            log.close()
            close(writing)
        }
        let lines = try await read
        let written = lines.count { $0.contains(" info line ") }
        #expect(written < 200)
        #expect(
            lines.contains("log: \(200 - written) lines were dropped because they could not be written in time"),
            "\(written)")
    }
}
