import CurlTransport
import Dispatch
import HTTPModel
import TestSupport
import Testing

@Suite("CurlTransport.send")
struct SendTests {
    private func transport(_ change: (inout CurlTransport.Configuration) -> Void = { _ in }) throws -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        change(&configuration)
        return try CurlTransport(configuration)
    }

    private func answering(_ bytes: String) throws -> RawServer {
        try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(bytes)
        }
    }

    @Test("A request has its method, target, fields and body, without libcurl's additions for bodies")
    func request() async throws {
        let seen = Signal<(String, [UInt8])>()
        let server = try RawServer { connection in
            guard let (head, body) = connection.readRequest() else { return }
            seen.send((head, body))
            connection.write("HTTP/1.1 204 No Content\r\n\r\n")
        }
        let response = try await transport().send(
            ClientRequest(
                method: .patch, url: server.url("/a/../b?c=%20"), fields: ["X-Empty": "", "X-Name": "value"],
                body: Array("hello".utf8)))
        #expect(response.status == 204)
        let (head, body) = try #require(await seen.wait())
        let lines = head.split(separator: "\r\n").map(String.init)
        #expect(lines.first == "PATCH /a/../b?c=%20 HTTP/1.1")
        #expect(lines.contains("X-Name: value"))
        #expect(lines.contains("X-Empty:"))
        #expect(lines.contains("Content-Length: 5"))
        #expect(!lines.contains { $0.hasPrefix("Content-Type") || $0.hasPrefix("Expect") })
        #expect(body == Array("hello".utf8))
    }

    @Test("A POST without a body has Content-Length 0")
    func emptyPost() async throws {
        let seen = Signal<String>()
        let server = try RawServer { connection in
            guard let (head, _) = connection.readRequest() else { return }
            seen.send(head)
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        _ = try await transport().send(ClientRequest(method: .post, url: server.url()))
        #expect(try #require(await seen.wait()).contains("Content-Length: 0"))
    }

    @Test("RFC 9110 15.2: fields of interim responses are dropped")
    func interim() async throws {
        let server = try answering(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
                + "HTTP/1.1 401 Unauthorized\r\nX-One: 1\r\nx-one:  2 \r\nContent-Length: 2\r\n\r\nno")
        let response = try await transport().send(ClientRequest(method: .get, url: server.url()))
        #expect(response.status == 401)
        #expect(response.fields["Link"] == nil)
        #expect(response.fields.values(of: "X-One") == ["1", "2"])
        #expect(response.body == Array("no".utf8))
    }

    @Test("RFC 9112 7.1: a chunked body arrives whole, and its trailers are not header fields")
    func chunked() async throws {
        let server = try answering(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\nX-Trailer: 1\r\n\r\n")
        let response = try await transport().send(ClientRequest(method: .get, url: server.url()))
        #expect(response.body == Array("abcdefg".utf8))
        #expect(response.fields["X-Trailer"] == nil)
    }

    @Test("A field that is not UTF-8 is read as ISO 8859-1")
    func latin1() async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(Array("HTTP/1.1 200 OK\r\nX-Name: caf".utf8) + [0xE9] + Array("\r\n\r\n".utf8))
        }
        let response = try await transport().send(ClientRequest(method: .get, url: server.url()))
        #expect(response.fields["X-Name"] == "caf\u{E9}")
    }

    @Test("A redirect is returned, not followed")
    func redirect() async throws {
        let server = try answering("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")
        let response = try await transport().send(ClientRequest(method: .get, url: server.url()))
        #expect(response.status == 302)
        #expect(server.connections == 1)
    }

    @Test("A body over the limit is refused while it arrives", arguments: [true, false])
    func oversize(isAnnounced: Bool) async throws {
        let length = isAnnounced ? "Content-Length: 2000\r\n" : ""
        let server = try answering("HTTP/1.1 200 OK\r\n\(length)\r\n" + String(repeating: "x", count: 2000))
        await #expect(throws: HTTPClientError.tooLarge(limit: 1999)) {
            try await transport { $0.responseLimit = 1999 }.send(ClientRequest(method: .get, url: server.url()))
        }
    }

    @Test("An endless head is refused")
    func endlessHead() async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\n" + String(repeating: "X-Filler: yes\r\n", count: 100_000))
        }
        await #expect(throws: HTTPClientError.tooLarge(limit: 65_536)) {
            try await transport().send(ClientRequest(method: .get, url: server.url()))
        }
    }

    @Test(
        "An answer that ends early is a failure",
        arguments: [
            [], ["HTTP/1.1 200 OK", "Content-Length: 10", "", "abc"],
            ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "5", "ab"],
        ])
    func earlyClose(_ lines: [String]) async throws {
        let server = try answering(lines.joined(separator: "\r\n"))
        let failure = await #expect(throws: HTTPClientError.self) {
            try await transport().send(ClientRequest(method: .get, url: server.url()))
        }
        guard case .other = failure else {
            Issue.record("unexpected: \(String(describing: failure))")
            return
        }
    }

    @Test("A late answer is a timeout, and its connection is closed")
    func timeout() async throws {
        let closed = Signal<Bool>()
        let server = try RawServer { connection in
            connection.waitForClose()
            closed.send(true)
        }
        let transport = try transport()
        await #expect(throws: HTTPClientError.timedOut) {
            try await transport.send(
                ClientRequest(method: .get, url: server.url(), timeout: .milliseconds(50)))
        }
        #expect(await closed.wait() == true)
    }

    @Test("Cancelling the task ends the request and closes its connection")
    func cancellation() async throws {
        let arrived = Signal<Bool>()
        let closed = Signal<Bool>()
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            arrived.send(true)
            connection.waitForClose()
            closed.send(true)
        }
        let transport = try transport()
        let task = Task {
            try await transport.send(ClientRequest(method: .get, url: server.url(), timeout: nil))
        }
        #expect(await arrived.wait() == true)
        task.cancel()
        await #expect(throws: HTTPClientError.cancelled) { try await task.value }
        #expect(await closed.wait() == true)
    }

    @Test("A cancelled task sends nothing")
    func cancelledBefore() async throws {
        let server = try answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let transport = try transport()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(ClientRequest(method: .get, url: server.url()))
        }
        await #expect(throws: HTTPClientError.cancelled) { try await task.value }
        #expect(server.connections == 0)
    }

    @Test("200 concurrent requests do not wait for each other")
    func concurrent() async throws {
        let count = 200
        let gate = DispatchSemaphore(value: 0)
        let arrivals = Signal<Int>()
        let server = try RawServer { connection in
            while let (_, body) = connection.readRequest() {
                arrivals.send(1)
                gate.wait()
                gate.signal()
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
                connection.write(body)
            }
        }
        let transport = try transport()
        let answers = try await withThrowingTaskGroup(of: (String, String).self) { group in
            for index in 0..<count {
                group.addTask {
                    let response = try await transport.send(
                        ClientRequest(method: .post, url: server.url(), body: Array("request \(index)".utf8)))
                    return ("request \(index)", String(decoding: response.body, as: UTF8.self))
                }
            }
            for _ in 0..<count { _ = await arrivals.wait() }
            gate.signal()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == count)
        #expect(answers.allSatisfy { $0.0 == $0.1 })
    }

    @Test("Connections are reused")
    func keepAlive() async throws {
        let server = try RawServer { connection in
            while connection.readRequest() != nil {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        let transport = try transport()
        for _ in 0..<5 { _ = try await transport.send(ClientRequest(method: .get, url: server.url())) }
        #expect(server.connections == 1)
    }

    @Test(
        "An invalid URL, or one with another scheme or a password, is refused",
        arguments: [
            "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "", "http://127.0.0.1/a b",
            "http://127.0.0.1/\r\nX: y", "http://name:secret@127.0.0.1:1/",
        ])
    func badURL(_ url: String) async throws {
        let failure = await #expect(throws: HTTPClientError.self) {
            try await transport().send(ClientRequest(method: .get, url: url))
        }
        guard case .invalidURL(let text) = failure else {
            Issue.record("unexpected: \(String(describing: failure))")
            return
        }
        #expect(!text.contains("secret"))
    }

    @Test("Nothing in a method or a field can add a line to the request")
    func injection() async throws {
        let server = try answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let transport = try transport()
        for request in [
            ClientRequest(method: HTTPMethod("GET / HTTP/1.1\r\nX: y"), url: server.url()),
            ClientRequest(method: .get, url: server.url(), fields: ["A\r\nB": "c"]),
            ClientRequest(method: .get, url: server.url(), fields: ["A": "b\r\nC: d"]),
            ClientRequest(method: .get, url: server.url(), fields: ["A": "b\0"]),
        ] {
            await #expect(throws: HTTPClientError.self) { try await transport.send(request) }
        }
        #expect(server.connections == 0)
    }

    @Test("A closed port is a connection failure with the address")
    func refused() async throws {
        let port = try RawServer { _ in }.port
        let failure = await #expect(throws: HTTPClientError.self) {
            try await transport().send(ClientRequest(method: .get, url: "http://127.0.0.1:\(port)/"))
        }
        guard case .cannotConnect(let text) = failure else {
            Issue.record("unexpected: \(String(describing: failure))")
            return
        }
        #expect(text.contains("127.0.0.1"))
    }
}
