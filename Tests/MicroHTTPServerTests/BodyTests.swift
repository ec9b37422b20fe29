import HTTPModel
import TestSupport
import Testing

@testable import MicroHTTPServer

@Suite("Memory of request bodies")
struct BodyTests {
    private static func post(_ length: Int, _ fields: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: x\r\n\(fields)Content-Length: \(length)\r\n\r\n"
    }

    private static func bytes(_ count: Int) -> String { String(repeating: "a", count: count) }

    @Test(
        "The head alone decides whether a large body is accepted, refused or answered",
        arguments: [("", 413), ("Rule: take\r\n", 200), ("Rule: refuse\r\n", 401)])
    func largeBodies(fields: String, status: Int) async throws {
        let rule: LargeBodyRule = { head in
            #expect(head.body.isEmpty && head.path == "/" && head.method == .post)
            return switch head.fields["Rule"] {
            case "take": .taken
            case "refuse": .refused(Response(status: 401, fields: ["WWW-Authenticate": "Bearer"]))
            default: .tooLarge
            }
        }
        try await withServer(limits: { $0.smallBodyBytes = 10 }, largeBodies: rule) { server in
            let port = server.port
            try await onThread {
                let client = try RawClient(port: port)
                client.send(Self.post(10) + Self.bytes(10))
                expectEqual(try client.receiveAnswer().status, 200)
                client.send(Self.post(11, fields) + Self.bytes(11))
                let answer = try client.receiveAnswer()
                #expect(answer.status == status)
                #expect((answer["Connection"] == "close") == (status != 200))
                // A client that waits for permission gets its answer before it sends a body.
                let waiting = try RawClient(port: port)
                waiting.send(Self.post(11, fields + "Expect: 100-continue\r\n"))
                let first = try waiting.receive { $0.contains("\r\n\r\n") }
                #expect(first.hasPrefix("HTTP/1.1 \(status == 200 ? 100 : status)"))
            }
        }
    }

    @Test("The rule is not called for a body over the absolute limit")
    func limit() async throws {
        let rule: LargeBodyRule = { _ in
            Issue.record("asked")
            return .taken
        }
        let limits: (inout HTTPLimits) -> Void = {
            $0.smallBodyBytes = 10
            $0.bodyBytes = 20
        }
        try await withServer(limits: limits, largeBodies: rule) { server in
            let port = server.port
            try await onThread {
                let client = try RawClient(port: port)
                client.send(Self.post(21) + Self.bytes(21))
                expectEqual(try client.receiveAnswer().status, 413)
            }
        }
    }

    @Test(
        "All bodies together stay within their limit; small ones are always accepted, and freed room is used again"
    )
    func budget() async throws {
        let recorder = Recorder()
        try await withServer(limits: { $0.bodyBytesInAll = 25_000 }, recorder: recorder) { server in
            let port = server.port
            let first = try await RawClient.sending(Self.post(30_000) + Self.bytes(29_999), to: port)
            while server.bodyBytes < 30_000 - 8_192 { await Task.yield() }
            try await onThread {
                let second = try RawClient(port: port)
                second.send(Self.post(30_000) + Self.bytes(30_000))
                let refused = try second.receiveAnswer()
                #expect(refused.status == 503)
                #expect(refused.body.contains("as many large request bodies as it may"))
                #expect(refused["Connection"] == "close")
                let small = try RawClient(port: port)
                small.send(Self.post(8_192) + Self.bytes(8_192))
                expectEqual(try small.receiveAnswer().status, 200)
                first.send("a")
                expectEqual(try first.receiveAnswer().body, "POST / - 30000")
            }
            #expect(recorder.refusedBodies == 1)
            while server.bodyBytes > 0 { await Task.yield() }
            try await onThread {
                let third = try RawClient(port: port)
                third.send(Self.post(30_000) + Self.bytes(30_000))
                expectEqual(try third.receiveAnswer().status, 200)
            }
            #expect(recorder.refusedBodies == 1)
        }
    }

    @Test("An announced body takes no memory, and a departed client's body is freed")
    func leaving() async throws {
        try await withServer(limits: { $0.bodyBytesInAll = 25_000 }) { server in
            let port = server.port
            let announcing = try await RawClient.sending(Self.post(1_000_000) + Self.bytes(8_000), to: port)
            var leaving: RawClient? = try await RawClient.sending(Self.post(30_000) + Self.bytes(20_000), to: port)
            while server.bodyBytes < 10_000 { await Task.yield() }
            #expect(server.bodyBytes <= 25_000)
            leaving = nil
            while server.bodyBytes > 0 { await Task.yield() }
            _ = (announcing, leaving)
        }
    }
}
