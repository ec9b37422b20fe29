import Glibc
import Load
import Testing

@Suite("Loading a server")
struct LoadTests {
    /// Sends the next request at each answer, and records the answers.
    final class Counter: Scenario {
        private let request: [UInt8]
        private let limit: Int
        private var bodies = 0
        private var count = 0

        init(request: [UInt8], limit: Int) {
            self.request = request
            self.limit = limit
        }

        func begin(_ connections: [Connection]) {
            for connection in connections { connection.send(request) }
        }

        func reopened(_ connection: Connection) { connection.send(request) }

        func answered(_ answer: Answer, on connection: Connection) {
            count += 1
            bodies += answer.body.count
            connection.send(request)
        }

        var isFinished: Bool { count >= limit }
        var tally: [String: Int] { ["bodies": bodies, "count": count] }
    }

    @Test("Every large request is answered, over several threads and connections")
    func answers() throws {
        let server = try EchoServer(closingAfter: .max)
        let request = EchoServer.request(bodySize: 300_000)
        let measurement = try Load(
            port: server.port, threads: 2, connections: 8, warmUp: .zero, duration: .seconds(20)
        ).run { _ in Counter(request: request, limit: 20) }
        #expect(measurement.answers >= 40)
        #expect(measurement.classes[2] == measurement.answers)
        #expect(measurement.latencies.count == measurement.answers)
        #expect(measurement.tally["bodies"] == measurement.answers * 7)
        #expect(measurement.reopened == 0)
    }

    @Test("A connection that the server closes is opened again and counted")
    func reopened() throws {
        let server = try EchoServer(closingAfter: 3)
        let request = EchoServer.request(bodySize: 10)
        let measurement = try Load(
            port: server.port, threads: 1, connections: 2, warmUp: .zero, duration: .seconds(20)
        ).run { _ in Counter(request: request, limit: 30) }
        #expect(measurement.answers >= 30)
        #expect(measurement.reopened >= 8)
    }

    @Test("Connecting to an unused port fails with that reason")
    func refused() throws {
        let port = try EchoServer(closingAfter: 1).port
        let load = Load(port: port, threads: 1, connections: 1, warmUp: .zero, duration: .seconds(1))
        #expect(throws: LoadFailure.connect(port: port, errno: ECONNREFUSED)) {
            try load.run { _ in Counter(request: [], limit: 1) }
        }
    }
}

/// Answers each request with seven bytes. Has a thread per connection, until it is deallocated.
final class EchoServer {
    let port: UInt16
    private let listener: Int32

    init(closingAfter limit: Int) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0 ? getsockname(listener, $0, &size) : -1
            }
        }
        try #require(result == 0)
        port = UInt16(bigEndian: address.sin_port)
        self.listener = listener
        Self.detach {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                Self.detach { Self.serve(connection, limit) }
            }
            // Closed by the accepting thread. If another closed it, its number might belong to another listener by
            // then.
            close(listener)
        }
    }

    /// Refuses new connections and wakes the accepting thread.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    static func request(bodySize: Int) -> [UInt8] {
        Array("POST / HTTP/1.1\r\nContent-Length: \(bodySize)\r\n\r\n".utf8) + [UInt8](repeating: 120, count: bodySize)
    }

    private static func serve(_ connection: Int32, _ limit: Int) {
        defer { close(connection) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var missing = 0
        var answered = 0
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nanswer\n".utf8)
        while answered < limit {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            var data = buffer[..<count]
            if missing == 0 {
                // The head of these requests always arrives in one piece.
                let head = String(decoding: data.prefix(80), as: UTF8.self)
                guard let end = head.utf8.firstRange(of: "\r\n\r\n".utf8) else { return }
                let length = head[..<end.lowerBound].split(separator: " ").last.flatMap { Int($0) } ?? 0
                missing = length
                data = data.dropFirst(head.utf8.distance(from: head.utf8.startIndex, to: end.upperBound))
            }
            missing -= data.count
            guard missing == 0 else { continue }
            _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
            answered += 1
        }
    }

    private static func detach(_ body: @escaping @Sendable () -> Void) {
        final class Work: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        var thread = pthread_t()
        let created = pthread_create(
            &thread, nil,
            { argument in
                argument.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().body() }
                return nil
            }, Unmanaged.passRetained(Work(body)).toOpaque())
        if created == 0 { pthread_detach(thread) }
    }
}
