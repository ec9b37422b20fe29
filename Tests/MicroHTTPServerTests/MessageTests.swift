import HTTPModel
import Synchronization
import TestSupport
import Testing

@testable import MicroHTTPServer

/// Sends bytes on a new connection and reads one answer.
func answer(
    to text: String, limits: (inout HTTPLimits) -> Void = { _ in }, handler: @escaping Handler = echo
) async throws -> Answer {
    let result = Mutex<Answer?>(nil)
    try await withServer(limits: limits, handler: handler) { server in
        let port = server.port
        let answer = try await onThread {
            let client = try RawClient(port: port)
            client.send(text)
            return try client.receiveAnswer()
        }
        result.withLock { $0 = answer }
    }
    return try #require(result.withLock { $0 })
}

@Suite("HTTP/1.1 messages")
struct MessageTests {
    @Test("RFC 9112 9.3: a connection is kept and serves several requests")
    func keepAlive() async throws {
        try await withServer { server in
            let port = server.port
            try await onThread {
                let client = try RawClient(port: port)
                for number in 0..<5 {
                    client.send("GET /\(number)?a=%20b&c HTTP/1.1\r\nHost: x\r\n\r\n")
                    let answer = try client.receiveAnswer()
                    #expect(answer.status == 200)
                    #expect(answer.body == "GET /\(number) a=%20b&c 0")
                    #expect(answer["Connection"] == nil)
                }
            }
        }
    }

    @Test("RFC 9112 9.3.2: pipelined requests are answered in order, suspended or not")
    func pipelined() async throws {
        let handler: Handler = { request in
            if request.path == "/later" { await Task.yield() }
            return await echo(request)
        }
        try await withServer(handler: handler) { server in
            let port = server.port
            try await onThread {
                let client = try RawClient(port: port)
                client.send(
                    """
                    POST /one HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc\
                    GET /later HTTP/1.1\r\nHost: x\r\n\r\n\
                    POST /three HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde\
                    GET /four HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n
                    """)
                let text = try client.receiveAll()
                let bodies = ["POST /one - 3", "GET /later - 0", "POST /three - 5", "GET /four - 0"]
                var rest = text[...]
                for body in bodies {
                    let found = try #require(rest.firstRange(of: body), "\(body) in \(text)")
                    rest = rest[found.upperBound...]
                }
            }
        }
    }

    @Test("A request that arrives byte by byte is read like one that arrives at once")
    func byteByByte() async throws {
        try await withServer { server in
            let port = server.port
            let answer = try await onThread {
                let client = try RawClient(port: port)
                let text =
                    "POST /slow?q HTTP/1.1\r\nHost: x\r\nX-Long: aaaaaaaaaaaaaaaa\r\nContent-Length: 4\r\n\r\nabcd"
                for byte in text.utf8 { client.send([byte]) }
                return try client.receiveAnswer()
            }
            #expect(answer.body == "POST /slow q 4")
        }
    }

    @Test("RFC 9110 10.1.1: a client that expects 100-continue gets 100")
    func expectContinue() async throws {
        try await withServer { server in
            let port = server.port
            try await onThread {
                let client = try RawClient(port: port)
                client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
                let interim = try client.receive { $0.contains("\r\n\r\n") }
                #expect(interim.hasPrefix("HTTP/1.1 100"))
                client.send("ab")
                #expect(try client.receiveAnswer().body == "POST / - 2")
            }
        }
    }

    @Test("RFC 9110 9.3.2: HEAD gets the head of GET and no body")
    func head() async throws {
        try await withServer { server in
            let port = server.port
            try await onThread {
                let client = try RawClient(port: port)
                client.send("HEAD /h HTTP/1.1\r\nHost: x\r\n\r\n")
                let answer = try client.receiveAnswer(hasBody: false)
                #expect(answer.status == 200)
                #expect(answer["Content-Length"] == "11")
                #expect(answer.body.isEmpty)
                // The next answer follows right after the head.
                client.send("GET /g HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.receiveAnswer().body == "GET /g - 0")
            }
        }
    }

    @Test("Answers carry a date and the request's id, and do not name the software")
    func answerFields() async throws {
        let recorder = Recorder()
        try await withServer(
            recorder: recorder,
            handler: { request in
                Response(status: 404, fields: ["X-Seen": request.id, "Content-Length": "99"], body: .bytes([0x61]))
            }
        ) { server in
            let port = server.port
            let answer = try await onThread {
                let client = try RawClient(port: port)
                client.send("GET /path?secret HTTP/1.1\r\nHost: x\r\nX-Request-Id: forged\r\n\r\n")
                return try client.receiveAnswer()
            }
            #expect(answer["Date"]?.hasSuffix("GMT") == true)
            #expect(answer["X-Content-Type-Options"] == "nosniff")
            #expect(answer["Server"] == nil)
            #expect(answer["X-Request-Id"] == answer["X-Seen"])
            #expect(answer["X-Request-Id"]?.utf8.count == 15)
            #expect(answer["Content-Length"] == "1")
            await server.stop()
            let record = try #require(recorder.records.first)
            #expect(recorder.records.count == 1)
            #expect(record.id == answer["X-Request-Id"])
            #expect(record.method == "GET")
            #expect(record.path == "/path")
            #expect(record.status == 404)
            #expect(record.outcome == .completed)
            #expect(record.responseBytes == 1)
            #expect(record.remoteAddress == "127.0.0.1")
            #expect(record.duration > .zero)
        }
    }

    @Test("A record has the peer's address, and the client's if the server knows it")
    func clientAddress() async throws {
        let recorder = Recorder()
        try await withServer(
            recorder: recorder, clientAddress: { $0.fields["X-Client"] ?? $0.remoteAddress },
            answerSynchronously: { $0.path == "/synchronous" ? Response(status: 204) : nil }
        ) { server in
            let port = server.port
            try await onThread {
                for head in ["/ HTTP/1.1\r\nX-Client: a", "/synchronous HTTP/1.1\r\nX-Client: b", "/ HTTP/1.1"] {
                    let client = try RawClient(port: port)
                    client.send("GET \(head)\r\nHost: x\r\n\r\n")
                    _ = try client.receiveAnswer()
                }
                let client = try RawClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\nX-Client: c\r\n\r\n")
                expectEqual(try client.receiveAnswer().status, 400)
            }
            await server.stop()
        }
        // A record comes after its answer, so those of two connections have no order.
        #expect(Set(recorder.records.map(\.clientAddress)) == ["a", "b", "127.0.0.1", nil])
        #expect(recorder.records.count == 4)
        #expect(recorder.records.allSatisfy { $0.remoteAddress == "127.0.0.1" })
    }

    @Test("The handler gets trimmed fields in order, with bytes that are not UTF-8 replaced")
    func fields() async throws {
        let seen = Mutex<HTTPFields>([:])
        _ = try await answer(
            to: "GET / HTTP/1.1\r\nHost:x\r\nA:  one \t\r\na: two\r\nEmpty:\r\nCookie: s=1; t=2\r\n\r\n",
            handler: { request in
                seen.withLock { $0 = request.fields }
                return Response(status: 204)
            })
        let fields = seen.withLock { $0 }
        #expect(fields["host"] == "x")
        #expect(fields.values(of: "A") == ["one", "two"])
        #expect(fields["empty"] == "")
        #expect(fields["cookie"] == "s=1; t=2")
        #expect(fields.count == 5)
    }

    @Test(
        "RFC 9112 3.2.2: a target in absolute-form is accepted, and its host replaces the Host field",
        arguments: [
            ("GET http://a.example/path?b=/c HTTP/1.1\r\nHost: x", "GET /path b=/c a.example"),
            ("GET HTTPS://A.example:8443/ HTTP/1.1\r\nhost: x", "GET / - A.example:8443"),
            ("GET http://a.example HTTP/1.1\r\nHost: x", "GET / - a.example"),
            ("GET http://a.example?b HTTP/1.1\r\nHost: x", "GET / b a.example"),
            ("GET http://[::1]:80//c/../d HTTP/1.1\r\nHost: a.example", "GET //c/../d - [::1]:80"),
            ("GET http://a.example/ HTTP/1.0", "GET / - a.example"),
            ("GET /http://a.example/ HTTP/1.1\r\nHost: x", "GET /http://a.example/ - x"),
        ])
    func absoluteForm(head: String, seen: String) async throws {
        let answer = try await answer(
            to: head + "\r\nConnection: close\r\n\r\n",
            handler: { request in
                let hosts = request.fields.values(of: "Host").joined(separator: " ")
                let text = "\(request.method) \(request.path) \(request.query ?? "-") \(hosts)"
                return Response(status: 200, body: .bytes(Array(text.utf8)))
            })
        #expect(answer.status == 200)
        #expect(answer.body == seen)
    }

    @Test("A field that would forge other fields is not sent")
    func forgedField() async throws {
        let answer = try await answer(
            to: "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            handler: { _ in Response(status: 302, fields: ["Location": "/\r\nSet-Cookie: a=b"]) })
        #expect(answer.status == 500)
        #expect(answer["Set-Cookie"] == nil)
        #expect(answer.body == "The server could not form its answer.\n")
    }

    @Test("HTTP/1.0 is answered and its connection closed")
    func version10() async throws {
        try await withServer { server in
            let port = server.port
            let text = try await onThread {
                let client = try RawClient(port: port)
                client.send("GET /old HTTP/1.0\r\n\r\n")
                return try client.receiveAll()
            }
            #expect(text.contains("GET /old - 0"))
        }
    }

    // MARK: Refusals

    private static let refused: [(String, Int)] = [
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\nabc", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400),
        (
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400
        ),
        ("POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 3\r\n\r\nabc", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\n X: y\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\0\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n", 400),
        ("GET / HTTP/1.1\nHost: x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\n\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: \u{1}\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nA(b): c\r\n\r\n", 400),
        ("GET x HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET http:/x HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET http:///a HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET http://?a HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET http://:80/ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET http://user@x/ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET http://x/#a HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET http://x/ HTTP/1.1\r\n\r\n", 400),
        ("GET http://x/ HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400),
        ("CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET  /a HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET /a\0b HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET /#a HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET /?\u{E9} HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("G(T / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nContent-Length: 3\r\n\r\n", 417),
    ]

    @Test(
        "RFC 9112 11.2: ambiguous requests are refused and the connection is closed",
        arguments: refused)
    func refusals(_ request: (String, Int)) async throws {
        let handled = Atomic(false)
        try await withServer(handler: { request in
            handled.store(true, ordering: .relaxed)
            return await echo(request)
        }) { server in
            let port = server.port
            let text = try await onThread {
                let client = try RawClient(port: port)
                client.send(request.0)
                return try client.receiveAll()
            }
            let answer = try #require(Answer(text), "\(text)")
            #expect(answer.status == request.1)
            #expect(answer["Connection"] == "close")
            #expect(answer["Content-Type"] == "text/plain")
            #expect(answer.body.hasSuffix(".\n"))
        }
        let wasHandled = handled.load(ordering: .relaxed)
        #expect(!wasHandled)
    }

    private static let notReadable: [(String, Int)] =
        ["3, 3", "+3", "0x3", "3 ", "", "-1", "abc"].map {
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \($0)\r\n\r\nabcGET / HTTP/1.1\r\n\r\n", 400)
        } + [
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
            ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505),
            ("GET / HTTP/0.9\r\nHost: x\r\n\r\n", 505),
            ("GET / HTTP/1.1a\r\nHost: x\r\n\r\n", 400),
            ("GET /\r\nHost: x\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", 400),
        ]

    @Test(
        "RFC 9112 2.2: unreadable requests get exactly one answer, and not the library's",
        arguments: notReadable)
    func unreadable(_ request: (String, Int)) async throws {
        let handled = Atomic(false)
        try await withServer(handler: { request in
            handled.store(true, ordering: .relaxed)
            return await echo(request)
        }) { server in
            let port = server.port
            let text = try await onThread {
                let client = try RawClient(port: port)
                client.send(request.0)
                return try client.receiveAll()
            }
            let answer = try #require(Answer(text), "\(text)")
            #expect(answer.status == request.1)
            #expect(answer["Connection"] == "close")
            #expect(answer["Content-Type"] == "text/plain")
            #expect(answer["X-Content-Type-Options"] == "nosniff")
            #expect(answer["Date"]?.hasSuffix(" GMT") == true)
            #expect(answer.body.hasSuffix(".\n"))
            #expect(text.hasSuffix(answer.body) && text.ranges(of: "HTTP/1.1 ").count == 1, "\(text)")
        }
        let wasHandled = handled.load(ordering: .relaxed)
        #expect(!wasHandled)
    }

    @Test(
        "RFC 9110 15.5.12: a body of unknown length gets 411, and none of it is read as a request",
        arguments: [
            "3\r\nabc\r\n0\r\n\r\n", "3\nabc\r\n0\r\n\r\n", "3;a\nabc\r\n0\r\n\r\n", "3\r\nabc\n0\r\n\r\n", "0\n\n",
            "0\r\nTrailer: x\n\r\n", "zz\r\n", "fffffffffffffffff\r\n", "",
        ])
    func chunked(_ body: String) async throws {
        let handled = Atomic(0)
        try await withServer(handler: { request in
            handled.add(1, ordering: .relaxed)
            return await echo(request)
        }) { server in
            let port = server.port
            let text = try await onThread {
                let client = try RawClient(port: port)
                client.send(
                    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + body
                        + "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
                return try client.receiveAll()
            }
            let answer = try #require(Answer(text), "\(text)")
            #expect(answer.status == 411)
            #expect(answer["Connection"] == "close")
            #expect(answer.body.contains("Content-Length"))
            #expect(text.hasSuffix(answer.body))
        }
        #expect(handled.load(ordering: .relaxed) == 0)
    }

    @Test(
        "An announced body over the limit is refused unread if the client waits or the body is far over the limit",
        arguments: ["Expect: 100-continue\r\nContent-Length: 2049", "Content-Length: 1050625"])
    func announcedBody(fields: String) async throws {
        let answer = try await answer(
            to: "POST / HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n", limits: { $0.bodyBytes = 2_048 })
        #expect(answer.status == 413)
        #expect(answer["Connection"] == "close")
    }
}
