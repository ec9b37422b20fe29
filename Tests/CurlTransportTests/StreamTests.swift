import CurlTransport
import Dispatch
import HTTPModel
import TestSupport
import Testing

@Suite("CurlTransport.stream")
struct StreamTests {
    private let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

    private func request(_ server: RawServer) -> ClientRequest {
        ClientRequest(method: .get, url: server.url(), timeout: nil)
    }

    @Test("The head arrives before the body, and each piece as it is sent")
    func pieces() async throws {
        let next = DispatchSemaphore(value: 0)
        let server = try RawServer { [head] connection in
            guard connection.readRequest() != nil else { return }
            connection.write(head)
            for piece in ["one", "two"] {
                next.wait()
                connection.write("3\r\n\(piece)\r\n")
            }
            connection.write("0\r\n\r\n")
        }
        let response = try await CurlTransport().stream(request(server))
        #expect(response.status == 200)
        #expect(response.fields["content-type"] == "text/event-stream")
        next.signal()
        var body = response.body.makeAsyncIterator()
        #expect(try await body.next() == Array("one".utf8))
        next.signal()
        #expect(try await body.next() == Array("two".utf8))
        #expect(try await body.next() == nil)
        #expect(try await body.next() == nil)
    }

    @Test("An unread body pauses the transfer, and reading resumes it to the last byte")
    func backPressure() async throws {
        let size = 32 << 20
        let stalled = Signal<Int>()
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            let bytes = [UInt8](repeating: 0x78, count: size)
            let sent = connection.writeUntilStalled(bytes, patience: 300)
            stalled.send(sent)
            connection.write(Array(bytes[sent...]))
        }
        var configuration = CurlTransport.Configuration()
        configuration.streamHighWater = 64 << 10
        let response = try await CurlTransport(configuration).stream(request(server))
        #expect(try #require(await stalled.wait()) < size)
        var count = 0
        for try await piece in response.body { count += piece.count }
        #expect(count == size)
    }

    @Test("A body that ends early throws after the received bytes")
    func earlyClose() async throws {
        let server = try RawServer { [head] connection in
            guard connection.readRequest() != nil else { return }
            connection.write(head + "3\r\nabc\r\n")
        }
        let response = try await CurlTransport().stream(request(server))
        var bytes: [UInt8] = []
        await #expect(throws: HTTPClientError.self) {
            for try await piece in response.body { bytes += piece }
        }
        #expect(bytes == Array("abc".utf8))
    }

    @Test("Cancelling the task that reads closes the connection")
    func cancellation() async throws {
        let reading = Signal<Bool>()
        let closed = Signal<Bool>()
        let server = try RawServer { [head] connection in
            guard connection.readRequest() != nil else { return }
            connection.write(head + "3\r\nabc\r\n")
            connection.waitForClose()
            closed.send(true)
        }
        let response = try await CurlTransport().stream(request(server))
        let task = Task {
            for try await _ in response.body { reading.send(true) }
        }
        #expect(await reading.wait() == true)
        task.cancel()
        _ = await task.result
        #expect(await closed.wait() == true)
    }

    @Test("Dropping an unread body closes the connection")
    func dropped() async throws {
        let closed = Signal<Bool>()
        let server = try RawServer { [head] connection in
            guard connection.readRequest() != nil else { return }
            connection.write(head)
            connection.waitForClose()
            closed.send(true)
        }
        let transport = try CurlTransport()
        _ = try await transport.stream(request(server))
        #expect(await closed.wait() == true)
    }

    @Test("A stream can be cancelled before its head arrives")
    func cancelledBeforeHead() async throws {
        let arrived = Signal<Bool>()
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            arrived.send(true)
            connection.waitForClose()
        }
        let transport = try CurlTransport()
        let task = Task { _ = try await transport.stream(request(server)) }
        #expect(await arrived.wait() == true)
        task.cancel()
        await #expect(throws: HTTPClientError.cancelled) { try await task.value }
    }
}
