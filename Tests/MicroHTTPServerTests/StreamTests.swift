import HTTPModel
import Synchronization
import TestSupport
import Testing

@testable import MicroHTTPServer

@Suite("Streamed answers")
struct StreamTests {
    /// A stream that the test feeds, and its end.
    private final class Feed: Sendable {
        let stream: AsyncStream<[UInt8]>
        let continuation: AsyncStream<[UInt8]>.Continuation
        let opened = Signal()
        let cancelled = Signal()

        init() {
            (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
            continuation.onTermination = { [cancelled] reason in
                if case .cancelled = reason { cancelled.set() }
            }
        }

        func send(_ text: String) { continuation.yield(Array(text.utf8)) }

        var handler: Handler {
            { [self] request in
                if request.path != "/" { return await echo(request) }
                opened.set()
                return Response(status: 200, fields: ["Content-Type": "text/event-stream"], body: .stream(stream))
            }
        }
    }

    private static let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test("The head is sent at once, elements when they are produced, and the connection is kept after the end")
    func reading() async throws {
        let feed = Feed()
        try await withServer(handler: feed.handler) { server in
            let client = try await RawClient.sending(Self.request, to: server.port)
            let head = try await onThread { try client.receive { $0.contains("\r\n\r\n") } }
            #expect(head.hasPrefix("HTTP/1.1 200"))
            #expect(head.contains("Transfer-Encoding: chunked"))
            for number in 0..<20 {
                feed.send("data: \(number)\n\n")
                let part = try await onThread { try client.receive { $0.hasSuffix("\n\n\r\n") } }
                #expect(part.contains("data: \(number)\n\n"))
            }
            let large = String(repeating: "x", count: 200_000)
            feed.send(large)
            feed.continuation.finish()
            let rest = try await onThread { try client.receive { $0.hasSuffix("0\r\n\r\n") } }
            #expect(rest.utf8.filter { $0 == UInt8(ascii: "x") }.count == large.utf8.count)
            try await onThread {
                client.send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
                expectEqual(try client.receiveAnswer().body, "GET /next - 0")
            }
        }
    }

    @Test("A client that leaves ends the stream's iteration")
    func peerGone() async throws {
        let feed = Feed()
        let recorder = Recorder()
        try await withServer(
            limits: { $0.headDeadline = .milliseconds(400) }, recorder: recorder, handler: feed.handler
        ) { server in
            do {
                let client = try await RawClient.sending(Self.request, to: server.port)
                await feed.opened.wait()
                withExtendedLifetime(client) {}
            }
            await feed.cancelled.wait()
            await server.stop()
            #expect(recorder.records.map(\.outcome) == [.aborted])
        }
    }

    enum Ending: CaseIterable { case clientLeaves, streamFinishes }

    @Test(
        "A connection is freed with its stream while other connections of its event thread wait",
        arguments: ["HTTP/1.0", "HTTP/1.1"], Ending.allCases)
    func besideIdle(version: String, ending: Ending) async throws {
        let feed = Feed()
        let recorder = Recorder()
        try await withServer(limits: { $0.headDeadline = .seconds(60) }, recorder: recorder, handler: feed.handler) {
            server in
            let port = server.port
            // More connections than event threads, so that one thread has two. The library checks only the oldest of
            // those that wait.
            let idle = try await onThread { try (0..<4).map { _ in try RawClient(port: port) } }
            defer { withExtendedLifetime(idle) {} }
            do {
                let client = try await RawClient.sending(
                    "GET / \(version)\r\nHost: x\r\nConnection: close\r\n\r\n", to: port)
                feed.send("data: 1\n\n")
                _ = try await onThread { try client.receive { $0.contains("data: 1") } }
                if ending == .streamFinishes {
                    feed.continuation.finish()
                    _ = try await onThread { try client.receiveAll() }
                }
            }
            // The supervisor needs a moment to detect that the client left.
            let limit = ContinuousClock.now + .seconds(10)
            while server.openConnections != idle.count, ContinuousClock.now < limit {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(server.openConnections == idle.count)
            #expect(recorder.records.map(\.outcome) == [ending == .clientLeaves ? .aborted : .completed])
            let stop = await ContinuousClock().measure { await server.stop(within: .seconds(10)) }
            #expect(stop < .seconds(5))
        }
    }

    @Test("A client that does not read is disconnected when the buffer is full", .timeLimit(.minutes(1)))
    func notReading() async throws {
        let feed = Feed()
        try await withServer(limits: { $0.streamBufferBytes = 4_096 }, handler: feed.handler) { server in
            let client = try await RawClient.sending(Self.request, to: server.port, receiveBuffer: 4_096)
            defer { withExtendedLifetime(client) {} }
            await feed.opened.wait()
            let element = [UInt8](repeating: 0x61, count: 4_096)
            let ended = Mutex(false)
            let pump = Task {
                // The kernel's buffers hold some megabytes first.
                while !ended.withLock({ $0 }) {
                    feed.continuation.yield(element)
                    await Task.yield()
                }
            }
            await feed.cancelled.wait()
            ended.withLock { $0 = true }
            await pump.value
        }
    }

    @Test("Stopping ends streams in order")
    func stopping() async throws {
        let feed = Feed()
        try await withServer(handler: feed.handler) { server in
            let client = try await RawClient.sending(Self.request, to: server.port)
            feed.send("data: last\n\n")
            _ = try await onThread { try client.receive { $0.contains("data: last") } }
            await server.stop(within: .seconds(60))
            expectEqual(try await onThread { try client.receiveAll() }.hasSuffix("0\r\n\r\n"), true)
            await feed.cancelled.wait()
        }
    }

    @Test("HEAD gets no stream and ends it")
    func head() async throws {
        let feed = Feed()
        try await withServer(handler: feed.handler) { server in
            let port = server.port
            try await onThread {
                let client = try RawClient(port: port)
                client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
                expectEqual(try client.receiveAnswer(hasBody: false).status, 200)
                client.send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
                expectEqual(try client.receiveAnswer().body, "GET /next - 0")
            }
        }
    }
}
