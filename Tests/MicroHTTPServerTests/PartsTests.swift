import Glibc
import HTTPModel
import Synchronization
import TestSupport
import Testing

@testable import MicroHTTPServer

@Suite("Answers in parts")
struct PartsTests {
    /// A body of numbered parts, which counts those that were fetched.
    private final class File: Sendable {
        static let size = 1_000_000
        let fetched = Mutex(0)
        let held = Signal()
        let released: Signal
        private let parts: Int
        /// The part that fails, or that is never there.
        private let failing: Int?
        private let missing: Int?

        init(parts: Int, failing: Int? = nil, missing: Int? = nil, released: Signal = Signal()) {
            self.parts = parts
            self.failing = failing
            self.missing = missing
            self.released = released
        }

        deinit { released.set() }

        var count: Int { fetched.withLock { $0 } }

        func next() async throws -> [UInt8]? {
            let number = fetched.withLock { fetched in
                defer { fetched += 1 }
                return fetched
            }
            if number == failing { throw Unexpected("the store is gone") }
            if number == missing {
                held.set()
                try await Task.sleep(for: .seconds(3_600))
            }
            guard number < parts else { return nil }
            return [UInt8](repeating: UInt8(ascii: "a") + UInt8(number % 26), count: Self.size)
        }

        /// The handler lets go of the file with its answer.
        static func handler(_ make: @escaping @Sendable () -> File) -> Handler {
            { request in
                if request.path != "/" { return await echo(request) }
                let file = make()
                return Response(status: 200, body: .parts { try await file.next() })
            }
        }
    }

    private static let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let end = "\r\n0\r\n\r\n"

    @Test("Parts arrive whole and in order, and the connection is kept after the last")
    func order() async throws {
        try await withServer(handler: File.handler { File(parts: 3) }) { server in
            let client = try await RawClient.sending(Self.request, to: server.port)
            let answer = try await onThread { try client.receive { $0.hasSuffix(Self.end) } }
            var letters = ""
            for letter in answer.drop(while: { $0 != "a" }) where "abc".contains(letter) && letters.last != letter {
                letters.append(letter)
            }
            // Chunks have their sizes in hexadecimal digits between them.
            #expect(answer.utf8.count > 3 * File.size && letters.hasPrefix("a") && letters.contains("b"))
            #expect(answer.contains("Transfer-Encoding: chunked"))
            try await onThread {
                client.send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
                expectEqual(try client.receiveAnswer().body, "GET /next - 0")
            }
        }
    }

    @Test("A client that reads nothing costs one part, and is disconnected after the time of an answer")
    func notReading() async throws {
        let (file, recorder) = (File(parts: 1_000), Recorder())
        try await withServer(
            limits: { $0.exchangeDeadline = .milliseconds(500) }, recorder: recorder, handler: File.handler { file }
        ) { server in
            let client = try await RawClient.sending(Self.request, to: server.port, receiveBuffer: 4_096)
            defer { withExtendedLifetime(client) {} }
            try await eventually { file.count > 0 && server.openConnections == 0 }
            // The kernel's buffers take some megabytes.
            #expect(file.count < 20)
            await server.stop()
            #expect(recorder.records.map(\.outcome) == [.aborted])
        }
    }

    @Test("A client that takes a little now and then is disconnected, too")
    func trickle() async throws {
        let file = File(parts: 1_000)
        try await withServer(limits: { $0.exchangeDeadline = .milliseconds(500) }, handler: File.handler { file }) {
            server in
            let client = try await RawClient.sending(Self.request, to: server.port, receiveBuffer: 4_096)
            defer { withExtendedLifetime(client) {} }
            let reading = Task.detached {
                while !Task.isCancelled {
                    var taken = [UInt8](repeating: 0, count: 1_000)
                    recv(client.socket, &taken, taken.count, Int32(MSG_DONTWAIT))
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            defer { reading.cancel() }
            try await eventually { file.count > 0 && server.openConnections == 0 }
            #expect(file.count < 20)
        }
    }

    @Test("A failure ends the connection without the body's end")
    func failure() async throws {
        try await withServer(handler: File.handler { File(parts: 3, failing: 2) }) { server in
            let client = try await RawClient.sending(Self.request, to: server.port)
            let answer = try await onThread { try client.receiveAll() }
            #expect(answer.hasPrefix("HTTP/1.1 200") && answer.utf8.count > 2 * File.size)
            #expect(!answer.hasSuffix(Self.end))
        }
    }

    @Test("A client that leaves ends the work on the next part, and the file is let go", .timeLimit(.minutes(5)))
    func peerGone() async throws {
        let released = Signal()
        let held = Mutex<Signal?>(nil)
        try await withServer(
            handler: File.handler {
                let file = File(parts: 3, missing: 1, released: released)
                held.withLock { $0 = file.held }
                return file
            }
        ) { server in
            do {
                let client = try await RawClient.sending(Self.request, to: server.port)
                _ = try await onThread { try client.receive { $0.contains("aaaa") } }
                try await eventually { held.withLock { $0 } != nil }
                await held.withLock { $0 }?.wait()
                withExtendedLifetime(client) {}
            }
            await released.wait()
        }
    }

    @Test("A stopping server ends no file as if it were whole")
    func stopping() async throws {
        try await withServer(handler: File.handler { File(parts: 3, missing: 1) }) { server in
            let client = try await RawClient.sending(Self.request, to: server.port)
            _ = try await onThread { try client.receive { $0.utf8.count > File.size } }
            await server.stop(within: .milliseconds(300))
            expectEqual(try await onThread { try client.receiveAll() }.hasSuffix("0\r\n\r\n"), false)
        }
    }

    @Test("HEAD fetches no part")
    func head() async throws {
        let file = File(parts: 3)
        try await withServer(handler: File.handler { file }) { server in
            let port = server.port
            try await onThread {
                let client = try RawClient(port: port)
                client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
                expectEqual(try client.receiveAnswer(hasBody: false).status, 200)
            }
            #expect(file.count == 0)
        }
    }

    private func eventually(_ isTrue: () -> Bool) async throws {
        let limit = ContinuousClock.now + .seconds(30)
        while !isTrue(), ContinuousClock.now < limit { try await Task.sleep(for: .milliseconds(5)) }
        #expect(isTrue())
    }
}
