@testable import CountersignClient
import Foundation
import TestSupport
import Testing

/// A browser that sends exactly the given bytes to 127.0.0.1.
private final class RawBrowser: Sendable {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var time = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        let status = withUnsafePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Reads until the peer closes.
    func answer() async throws -> String {
        try await onThread { [self] in
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
                bytes += buffer[..<count]
            }
        }
    }

    /// Sends one request and returns the answer.
    static func get(
        _ target: String, port: UInt16, method: String = "GET", host: String? = nil, language: String = "en"
    ) async throws -> String {
        let browser = try RawBrowser(port: port)
        browser.send(
            "\(method) \(target) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\nAccept-Language: \(language)\r\n\r\n"
        )
        return try await browser.answer()
    }
}

@Suite("RFC 8252 7.3: the loopback redirect")
struct LoopbackTests {
    private static let state = "st_te-1"
    private static let right = "/callback?code=code-1&state=\(state)"

    /// Waits for the redirect while `body` acts as the browser.
    private func redirect(
        uiLocales: [String] = [], _ body: @escaping @Sendable (UInt16) async throws -> Void
    ) async throws -> String {
        let listener = try LoopbackListener()
        async let browsing: Void = body(listener.port)
        let target = try await listener.callback(
            path: "/callback", state: Self.state, uiLocales: uiLocales, limits: LoopbackListener.Limits())
        try await browsing
        return target
    }

    private func expect(
        _ answer: String, _ status: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), sourceLocation: sourceLocation)
        #expect(answer.contains("Content-Security-Policy: default-src 'none'"), sourceLocation: sourceLocation)
        #expect(!answer.contains(Self.state), sourceLocation: sourceLocation)
    }

    @Test("The redirect is accepted, and a page says that the browser may be closed")
    func callback() async throws {
        let target = try await redirect { port in
            let answer = try await RawBrowser.get(Self.right, port: port)
            expect(answer, 200)
            #expect(answer.contains("Cache-Control: no-store"))
            #expect(answer.contains("<html lang=\"en\">") && answer.contains("You may close this window"))
        }
        #expect(target == Self.right)
    }

    @Test("The page is in the language that the request or the browser prefers, and tells a refusal from a success")
    func language() async throws {
        _ = try await redirect { port in
            let answer = try await RawBrowser.get(Self.right, port: port, language: "fr-CA, en;q=0.5")
            #expect(answer.contains("<html lang=\"fr\">") && answer.contains("Vous pouvez fermer cette fenêtre"))
        }
        _ = try await redirect(uiLocales: ["nl", "de-AT"]) { port in
            let answer = try await RawBrowser.get(Self.right, port: port, language: "fr")
            #expect(answer.contains("<html lang=\"de\">") && answer.contains("Sie können dieses Fenster schließen"))
        }
        let target = try await redirect(uiLocales: ["fr"]) { port in
            let answer = try await RawBrowser.get(
                "/callback?error=access_denied&state=\(Self.state)", port: port)
            expect(answer, 200)
            #expect(answer.contains("Vous n’êtes pas connecté"))
        }
        #expect(target.contains("access_denied"))
    }

    @Test("Other paths, states, methods and hosts are refused, and do not end the wait")
    func refusals() async throws {
        let target = try await redirect { port in
            expect(try await RawBrowser.get("/favicon.ico", port: port), 404)
            expect(try await RawBrowser.get("/callback/?state=\(Self.state)", port: port), 404)
            expect(try await RawBrowser.get("/callback?code=c&state=other", port: port), 400)
            expect(try await RawBrowser.get("/callback?code=c", port: port), 400)
            expect(try await RawBrowser.get("/callback", port: port), 400)
            expect(try await RawBrowser.get("\(Self.right)&state=\(Self.state)", port: port), 400)
            expect(try await RawBrowser.get(Self.right, port: port, method: "POST"), 405)
            expect(try await RawBrowser.get(Self.right, port: port, host: "evil.example:\(port)"), 421)
            expect(try await RawBrowser.get("callback", port: port), 400)
            expect(try await RawBrowser.get("/" + String(repeating: "a", count: 20_000), port: port), 431)
            expect(try await RawBrowser.get(Self.right, port: port), 200)
        }
        #expect(target == Self.right)
    }

    @Test("The first of two redirects counts, and the second gets no answer")
    func twoCallbacks() async throws {
        let browsers: [RawBrowser]
        do {
            let listener = try LoopbackListener()
            browsers = try (1...2).map { number in
                let browser = try RawBrowser(port: listener.port)
                let target = Self.right.replacing("code-1", with: "code-\(number)")
                browser.send("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(listener.port)\r\n\r\n")
                return browser
            }
            // Both redirects arrived before the first was read.
            let target = try await listener.callback(
                path: "/callback", state: Self.state, uiLocales: [], limits: LoopbackListener.Limits())
            #expect(target == Self.right)
        }
        expect(try await browsers[0].answer(), 200)
        #expect(try await browsers[1].answer().isEmpty)
    }

    @Test("The port is closed when the login ends")
    func closed() async throws {
        let (pages, shown) = AsyncStream.makeStream(of: UInt16.self)
        let browser = SystemBrowser { page throws(CountersignError) in shown.yield(UInt16(page.port ?? 0)) }
        async let port = {
            for await port in pages {
                _ = try await RawBrowser.get(Self.right, port: port)
                return port
            }
            return 0
        }()
        try await visit(browser)
        let closed = try await port
        #expect(throws: POSIXError.self) { try RawBrowser(port: closed) }
    }

    /// The page is the redirect URI itself, so that the opener knows the port.
    private func visit(_ browser: SystemBrowser) async throws {
        let redirect = try await browser.prepare()
        let page = try #require(URL(string: redirect.uri))
        let callback = try await redirect.visit(page, state: Self.state)
        #expect(callback.absoluteString == "\(redirect.uri)?code=code-1&state=\(Self.state)")
    }

    @Test("Silent and slow connections delay no other")
    func slowloris() async throws {
        let target = try await redirect { port in
            // One connection more than the limit.
            let slow = try (0...16).map { _ in try RawBrowser(port: port) }
            for browser in slow { browser.send("GET /callback?code=c HTTP/1.1\r\nHost: ") }
            expect(try await RawBrowser.get(Self.right, port: port), 200)
            withExtendedLifetime(slow) {}
        }
        #expect(target == Self.right)
    }

    @Test("A connection whose head does not arrive in time is closed")
    func headDeadline() async throws {
        let listener = try LoopbackListener()
        let waiting = Task {
            var limits = LoopbackListener.Limits()
            limits.head = .milliseconds(1)
            return await failure {
                try await listener.callback(path: "/callback", state: Self.state, uiLocales: [], limits: limits)
            }
        }
        let slow = try RawBrowser(port: listener.port)
        slow.send("GET ")
        #expect(try await slow.answer().isEmpty)
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
    }

    @Test("The wait ends at the deadline")
    func deadline() async throws {
        var browser = SystemBrowser { _ throws(CountersignError) in }
        browser.timeout = .milliseconds(1)
        let redirect = try await browser.prepare()
        let page = try #require(URL(string: "https://id.example.org/"))
        #expect(await failure { try await redirect.visit(page, state: "s") } == .expired)
    }

    @Test("If no browser can be opened, the login fails at once")
    func noBrowser() async throws {
        let browser = SystemBrowser { _ throws(CountersignError) in throw .noBrowser("none") }
        let redirect = try await browser.prepare()
        let page = try #require(URL(string: "https://id.example.org/"))
        #expect(await failure { try await redirect.visit(page, state: "s") } == .noBrowser("none"))
    }
}
