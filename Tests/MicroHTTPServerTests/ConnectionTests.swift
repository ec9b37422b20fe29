import Glibc
import HTTPModel
import Synchronization
import TestSupport
import Testing

@testable import MicroHTTPServer

@Suite("Connections and their limits")
struct ConnectionTests {
    @Test("A head that is incomplete at its deadline ends the connection, even if bytes trickle in")
    func slowHead() async throws {
        try await withServer(limits: { $0.headDeadline = .milliseconds(400) }) { server in
            let port = server.port
            try await onThread {
                let silent = try RawClient(port: port)
                let stalled = try RawClient(port: port)
                stalled.send("GET / HTTP/1.1\r\nHo")
                expectEqual(try silent.receiveAll(), "")
                expectEqual(try stalled.receiveAll(), "")

                let trickling = try RawClient(port: port)
                trickling.send("GET / HTTP/1.1\r\nX: ")
                // Sends a byte after every 20 ms of silence, which is always shorter than the deadline.
                var wait = timeval(tv_sec: 0, tv_usec: 20_000)
                setsockopt(trickling.socket, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
                var sent = 0
                while (try? trickling.receive()) == nil, sent < 400 {
                    trickling.send("a")
                    sent += 1
                }
                #expect(sent > 0 && sent < 400)
            }
        }
    }

    @Test("A body that is incomplete at its deadline ends the connection")
    func slowBody() async throws {
        let recorder = Recorder()
        try await withServer(limits: { $0.bodyDeadline = .milliseconds(50) }, recorder: recorder) { server in
            let port = server.port
            try await onThread {
                let client = try RawClient(port: port)
                client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc")
                expectEqual(try client.receiveAll(), "")
            }
            await server.stop()
            #expect(recorder.records.map(\.outcome) == [.aborted])
            #expect(recorder.records.map(\.requestBytes) == [3])
        }
    }

    @Test("A kept connection is closed after the idle timeout")
    func idle() async throws {
        try await withServer(limits: {
            $0.idleTimeout = .seconds(1)
            $0.headDeadline = .seconds(1)
        }) { server in
            let port = server.port
            try await onThread {
                let client = try RawClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                expectEqual(try client.receiveAnswer().status, 200)
                expectEqual(try client.receiveAll(), "")
            }
        }
    }

    @Test("A connection over the total limit is closed, and a freed place is used again")
    func connections() async throws {
        try await withServer(limits: { $0.connections = 2 }) { server in
            let port = server.port
            try await onThread {
                var clients = try [RawClient(port: port), RawClient(port: port)]
                for client in clients {
                    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                    expectEqual(try client.receiveAnswer().status, 200)
                }
                expectEqual(try RawClient(port: port).receiveAll(), "")
                clients.removeLast()
                // The server needs a moment to detect the end of the connection.
                var answer: Answer?
                for _ in 0..<10_000 where answer == nil {
                    let client = try RawClient(port: port)
                    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                    answer = try? client.receiveAnswer()
                }
                #expect(answer?.status == 200)
            }
        }
    }

    @Test("A connection over an address's limit is closed; other addresses are served")
    func connectionsPerAddress() async throws {
        try await withServer(limits: { $0.connectionsPerAddress = 1 }) { server in
            let port = server.port
            try await onThread {
                let first = try RawClient(port: port, from: "127.0.0.1")
                first.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                expectEqual(try first.receiveAnswer().status, 200)
                expectEqual(try RawClient(port: port, from: "127.0.0.1").receiveAll(), "")
                let other = try RawClient(port: port, from: "127.0.0.2")
                other.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                expectEqual(try other.receiveAnswer().status, 200)
            }
        }
    }

    @Test("A client that leaves in the middle of a head or body does not affect others")
    func leavingClients() async throws {
        try await withServer { server in
            let port = server.port
            try await onThread {
                for text in [
                    "", "GE", "GET / HTTP/1.1\r\nHost: x\r\n",
                    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab",
                ] {
                    for _ in 0..<20 { try RawClient(port: port).send(text) }
                }
                let client = try RawClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                expectEqual(try client.receiveAnswer().status, 200)
            }
        }
    }

    @Test("Listening on a port in use fails with that reason")
    func takenPort() async throws {
        try await withServer { server in
            let second = try HTTPServer(
                configuration: HTTPServerConfiguration(port: server.port), handler: echo)
            #expect(throws: HTTPServerError.self) { try second.start() }
            #expect(throws: HTTPServerError.cannotStart("it was started before")) { try server.start() }
        }
    }

    @Test("A port that was taken keeps its connections until the server starts, or is given back")
    func taken() async throws {
        let server = try HTTPServer(configuration: HTTPServerConfiguration(), handler: echo)
        try server.listen()
        let port = server.port
        let client = try RawClient(port: port)
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        try server.start()
        #expect(server.port == port)
        #expect(try await onThread { try client.receiveAnswer().status } == 200)
        await server.stop()
        let other = try HTTPServer(configuration: HTTPServerConfiguration(port: port), handler: echo)
        try other.listen()
        await other.stop()
        #expect(other.port == 0)
        let next = try HTTPServer(configuration: HTTPServerConfiguration(port: port), handler: echo)
        try next.listen()
        #expect(next.port == port)
        await next.stop()
    }

    @Test("One socket serves both families, and IPv4 clients have IPv4 addresses")
    func bothFamilies() async throws {
        let recorder = Recorder()
        let server = try HTTPServer(
            configuration: HTTPServerConfiguration(address: "::"), observer: recorder, handler: echo)
        try server.start()
        let port = server.port
        let answer = try await onThread {
            let client = try RawClient(port: port)
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            return try client.receiveAnswer()
        }
        await server.stop()
        #expect(answer.status == 200)
        #expect(recorder.records.map(\.remoteAddress) == ["127.0.0.1"])
    }
}
