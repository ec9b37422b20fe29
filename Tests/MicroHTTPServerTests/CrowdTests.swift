import Glibc
import HTTPModel
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import MicroHTTPServer

@Suite("Many connections: no network locks another out")
struct CrowdTests {
    /// True if the server answers a request on the connection.
    private static func isServed(_ client: RawClient) -> Bool {
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        return (try? client.receiveAnswer().status) == 200
    }

    /// Opens connections from an address until one of them is not served.
    private static func fill(_ port: UInt16, from source: String, atMost count: Int) throws -> [RawClient] {
        var clients: [RawClient] = []
        while clients.count < count {
            let client = try RawClient(port: port, from: source)
            guard isServed(client) else { break }
            clients.append(client)
        }
        return clients
    }

    @Test("One address gets no place of the last eighth, and others with few connections do")
    func reserve() async throws {
        try await withServer(limits: { $0.connections = 128 }) { server in
            let port = server.port
            try await onThread {
                let large = try Self.fill(port, from: "127.0.0.1", atMost: 128)
                #expect(large.count == 112)
                let small = try (2..<10).map { try RawClient(port: port, from: "127.0.0.\($0)") }
                #expect(small.allSatisfy(Self.isServed))
                expectEqual(try RawClient(port: port, from: "127.0.0.1").receiveAll(), "")
            }
        }
    }

    @Test("On the last eighth, the connections that waited longest end, of the address with most first")
    func surplus() async throws {
        // Checks every 250 ms, a quarter of no deadline.
        try await withServer(limits: { $0.connections = 128 }) { server in
            let port = server.port
            try await onThread {
                let small = try (2..<4).map { try RawClient(port: port, from: "127.0.0.\($0)") }
                #expect(small.allSatisfy(Self.isServed))
                let silent = try Self.fill(port, from: "127.0.0.1", atMost: 1)
                // Deadlines are set by the timer's ticks: those of one tick are alike.
                let tick = MonotonicClock.milliseconds
                while MonotonicClock.milliseconds == tick { sched_yield() }
                let large = silent + (try Self.fill(port, from: "127.0.0.1", atMost: 127))
                #expect(large.count == 110)
                let last = try RawClient(port: port, from: "127.0.0.5")
                #expect(Self.isServed(last))
                // One stands on the last eighth. The large address loses that which was silent for longest.
                expectEqual(try large[0].receiveAll(), "")
                #expect(Self.isServed(large[109]))
                #expect((small + [last]).allSatisfy(Self.isServed))
            }
        }
    }

    @Test("Connections of a proxy are those of many clients, so that the limit of an address does not count them")
    func proxies() async throws {
        let proxies = ["127.0.0.1"].compactMap { IPNetwork($0) }
        try await withServer(limits: { $0.connectionsPerAddress = 2 }, proxies: proxies) { server in
            let port = server.port
            try await onThread {
                expectEqual(try Self.fill(port, from: "127.0.0.1", atMost: 20).count, 20)
                expectEqual(try Self.fill(port, from: "127.0.0.2", atMost: 20).count, 2)
            }
        }
    }

    /// Blocks the only event thread until it may go on.
    private final class Blocked: Sendable {
        private let place = Mutex(DispatchPlace())
        let silences = Mutex<[Duration]>([])
        let isBlocking = Mutex(false)

        private struct DispatchPlace { var pipe: (read: Int32, write: Int32)? }

        init() {
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            place.withLock { $0.pipe = (ends[0], ends[1]) }
        }

        var handler: SynchronousHandler {
            { request in
                if request.path == "/block" {
                    self.isBlocking.withLock { $0 = true }
                    var byte: UInt8 = 0
                    let end = self.place.withLock { $0.pipe?.read ?? -1 }
                    _ = read(end, &byte, 1)
                }
                self.silences.withLock { $0.append(request.client?.silence ?? .zero) }
                return Response(status: 200)
            }
        }

        func goOn() {
            var byte: UInt8 = 1
            _ = write(place.withLock { $0.pipe?.write ?? -1 }, &byte, 1)
        }

        deinit {
            place.withLock { place in
                guard let ends = place.pipe else { return }
                close(ends.read)
                close(ends.write)
            }
        }
    }

    @Test("While event threads are behind, connections wait in the kernel's queue, and all are served afterwards")
    func arrivals() async throws {
        let blocked = Blocked()
        try await withServer(threads: 1, answerSynchronously: blocked.handler) { server in
            let port = server.port
            try await onThread {
                let first = try RawClient(port: port)
                first.send("GET /block HTTP/1.1\r\nHost: x\r\n\r\n")
                while !blocked.isBlocking.withLock({ $0 }) { sched_yield() }
                let clients = try (0..<400).map { _ in try RawClient(port: port) }
                for client in clients { client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
                // The handler holds the thread, and a look for more is due every 5 ms.
                while server.openConnections < 257 { sched_yield() }
                usleep(50_000)
                #expect(server.openConnections == 257)
                blocked.goOn()
                expectEqual(try first.receiveAnswer().status, 200)
                for client in clients { expectEqual(try client.receiveAnswer().status, 200) }
            }
        }
    }

    @Test("A handler knows for how long its request lay unread")
    func silence() async throws {
        let blocked = Blocked()
        try await withServer(threads: 1, answerSynchronously: blocked.handler) { server in
            let port = server.port
            try await onThread {
                let (first, second) = (try RawClient(port: port), try RawClient(port: port))
                expectEqual(Self.isServed(second), true)
                first.send("GET /block HTTP/1.1\r\nHost: x\r\n\r\n")
                usleep(50_000)
                second.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                usleep(300_000)
                blocked.goOn()
                expectEqual(try second.receiveAnswer().status, 200)
            }
            let silences = blocked.silences.withLock { $0 }
            #expect(silences.count == 3)
            #expect(silences[0] < .milliseconds(200))
            #expect(silences[2] >= .milliseconds(280))
        }
    }
}
