import HTTPModel
import Synchronization
import TestSupport
import Testing

@testable import MicroHTTPServer

@Suite("HTTP/1.1 messages: limits of sizes")
struct MessageLimitTests {
    @Test("A body slightly over the limit is read to its end, so that its sender reads the answer")
    func bodyOverLimit() async throws {
        let answer = try await answer(
            to: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 67584\r\n\r\n"
                + String(repeating: "a", count: 67_584), limits: { $0.bodyBytes = 2_048 })
        #expect(answer.status == 413)
        #expect(answer["Connection"] == "close")
    }

    @Test("A body of exactly the limit is accepted")
    func wholeBody() async throws {
        let answer = try await answer(
            to: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2048\r\n\r\n" + String(repeating: "a", count: 2_048),
            limits: { $0.bodyBytes = 2_048 })
        #expect(answer.body == "POST / - 2048")
    }

    @Test("A large body arrives whole")
    func largeBody() async throws {
        let answer = try await answer(
            to: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n" + String(repeating: "a", count: 900_000))
        #expect(answer.body == "POST / - 900000")
    }

    @Test("RFC 9110 15.5.15: a target over the limit gets 414", arguments: [300, 30_000, 60_000])
    func longTarget(_ length: Int) async throws {
        let answer = try await answer(
            to: "GET /\(String(repeating: "a", count: length)) HTTP/1.1\r\nHost: x\r\n\r\n",
            limits: { $0.targetBytes = 256 })
        #expect(answer.status == 414)
    }

    @Test("RFC 6585 5: a head over the limit gets 431", arguments: [17_000, 60_000])
    func longHead(_ length: Int) async throws {
        let answer = try await answer(
            to: "GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "a", count: length))\r\n\r\n")
        #expect(answer.status == 431)
    }

    @Test("A head just under the limit, with many fields, is accepted")
    func bigHead() async throws {
        let fields = (0..<100).map { "X-\($0): \(String(repeating: "a", count: 140))\r\n" }.joined()
        let answer = try await answer(to: "GET /big HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
        #expect(answer.body == "GET /big - 0")
    }

    @Test("A redirect with the longest state fits in memory beside a head of many fields and cookies")
    func bigAnswer() async throws {
        // 2,048 bytes, each of them escaped, behind the longest redirect URI.
        let location = String(repeating: "b", count: 3 * 2_048 + 2_048)
        let state = String(repeating: "'", count: 2_048)
        let fields = (0..<25).map { "X-\($0): \(String(repeating: "a", count: 160))\r\n" }.joined()
        let cookies = (0..<30).map { "c\($0)=\(String(repeating: "d", count: 130))" }.joined(separator: "; ")
        let answer = try await answer(
            to: "GET /?state=\(state) HTTP/1.1\r\nHost: x\r\nCookie: \(cookies)\r\n\(fields)\r\n",
            handler: { _ in Response(status: 302, fields: ["Location": location]) })
        #expect(answer.status == 302)
        #expect(answer["Location"] == location)
    }

    @Test("Limits outside their range are refused by name")
    func configuration() async throws {
        var limits = HTTPLimits()
        limits.headBytes = 10
        #expect(throws: HTTPServerError.invalidConfiguration("headBytes is 10; allowed are 1024 to 262144")) {
            try HTTPServer(configuration: HTTPServerConfiguration(limits: limits), handler: echo)
        }
        let server = try HTTPServer(configuration: HTTPServerConfiguration(address: "localhost"), handler: echo)
        #expect(throws: HTTPServerError.invalidConfiguration("\"localhost\" is not an IP address")) {
            try server.start()
        }
    }
}
