import CurlTransport
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("CurlTransport over TLS")
struct TLSTests {
    @Test("The right CA is trusted, from a file and from memory")
    func rightCA() async throws {
        try await withTLSServer { server in
            for trust in [
                CurlTransport.Configuration.Trust.file(server.caFile),
                .pem(Array(try Data(contentsOf: URL(filePath: server.caFile)))),
            ] {
                var configuration = CurlTransport.Configuration()
                configuration.trust = trust
                let response = try await CurlTransport(configuration).send(
                    ClientRequest(method: .get, url: server.url))
                #expect(response.status == 200)
            }
        }
    }

    @Test("Any other CA is refused, and the error names the setting to change")
    func wrongCA() async throws {
        try await withTLSServer { server in
            for trust in [CurlTransport.Configuration.Trust.system, .file(server.otherCAFile)] {
                var configuration = CurlTransport.Configuration()
                configuration.trust = trust
                configuration.trustAdvice = "Pass --ca FILE."
                let failure = await #expect(throws: HTTPClientError.self) {
                    try await CurlTransport(configuration).send(ClientRequest(method: .get, url: server.url))
                }
                guard case .untrusted(let text) = failure else {
                    Issue.record("unexpected: \(String(describing: failure))")
                    continue
                }
                #expect(text.hasSuffix("Pass --ca FILE."))
            }
        }
    }

    @Test("A certificate for another host is not trusted")
    func wrongHost() async throws {
        try await withTLSServer { server in
            var configuration = CurlTransport.Configuration()
            configuration.trust = .file(server.caFile)
            let failure = await #expect(throws: HTTPClientError.self) {
                try await CurlTransport(configuration).send(
                    ClientRequest(method: .get, url: "https://127.0.0.1:\(server.port)/"))
            }
            guard case .untrusted = failure else {
                Issue.record("unexpected: \(String(describing: failure))")
                return
            }
        }
    }

    @Test("More than 16 KB of certificates are refused before the key of one is decoded")
    func longChain() async throws {
        try await withTLSServer(.longChain) { server in
            var configuration = CurlTransport.Configuration()
            configuration.trust = .file(server.caFile)
            let failure = await #expect(throws: HTTPClientError.self) {
                try await CurlTransport(configuration).send(ClientRequest(method: .get, url: server.url))
            }
            guard case .tls = failure else {
                Issue.record("unexpected: \(String(describing: failure))")
                return
            }
        }
    }

    @Test("A missing CA file is reported as unreadable")
    func missingCA() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.trust = .file("/nowhere/ca.pem")
        let server = try RawServer { $0.waitForClose() }
        let failure = await #expect(throws: HTTPClientError.self) {
            try await CurlTransport(configuration).send(
                ClientRequest(method: .get, url: "https://127.0.0.1:\(server.port)/"))
        }
        guard case .untrusted(let text) = failure else {
            Issue.record("unexpected: \(String(describing: failure))")
            return
        }
        #expect(text.contains("/nowhere/ca.pem"))
    }

    @Test("RFC 9113 9.1: after a time-out, requests go over a new connection, and those in flight end on the old one")
    func silentConnection() async throws {
        let server = try await TLSServer(.silentHTTP2)
        var configuration = CurlTransport.Configuration()
        configuration.trust = .file(server.caFile)
        configuration.sharesConnections = true
        let transport = try OutgoingTransport(OutgoingPolicy(allowing: OutgoingPolicy.loopback), configuration)
        func send(_ body: String, within limit: Duration = .seconds(30)) async throws(HTTPClientError) -> Int {
            try await transport.send(
                ClientRequest(method: .post, url: server.url, body: Array(body.utf8), timeout: limit)
            ).status
        }
        #expect(try await send("now") == 201, "on the first connection")
        #expect(try await send("now") == 201, "shared")
        async let inFlight = send("later")
        try await server.awaitLater()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    await #expect(throws: HTTPClientError.timedOut) {
                        _ = try await send("never", within: .seconds(1))
                    }
                }
            }
        }
        #expect(try await send("now") == 202, "one new connection after the three")
        await #expect(throws: HTTPClientError.timedOut) { _ = try await send("never", within: .seconds(1)) }
        #expect(try await send("answer") == 203)
        #expect(try await inFlight == 201)
        await server.stop()
    }
}

/// Starts a server that ends after `body`.
private func withTLSServer(
    _ kind: TLSServer.Kind = .plain, _ body: (TLSServer) async throws -> Void
) async throws {
    let server = try await TLSServer(kind)
    try await body(server)
    await server.stop()
}

/// A server with a certificate for localhost from a CA made for the test.
private final class TLSServer: Sendable {
    enum Kind {
        /// `openssl s_server`.
        case plain
        /// The same with 60 certificates that prove nothing.
        case longChain
        /// Answers over HTTP/2 with the status 200 and the number of the connection. A body `never` gets no answer, and
        /// `later` one when `answer` comes.
        case silentHTTP2
    }

    let caFile: String
    let otherCAFile: String
    let port: UInt16
    private let folder: URL
    private let program: Program

    var url: String { "https://localhost:\(port)/" }

    init(_ kind: Kind = .plain) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "countersign-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.path
        for name in ["ca", "other"] {
            try await Self.openssl(
                in: folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                "2",
                "-subj", "/CN=\(name)", "-keyout", "\(path)/\(name).key", "-out", "\(path)/\(name).pem")
        }
        try await Self.openssl(
            in: folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-CA", "\(path)/ca.pem",
            "-CAkey", "\(path)/ca.key", "-addext", "basicConstraints=critical,CA:FALSE",
            "-keyout", "\(path)/server.key", "-out", "\(path)/server.pem")
        caFile = "\(path)/ca.pem"
        otherCAFile = "\(path)/other.pem"

        switch kind {
        case .plain, .longChain:
            var chain: [String] = []
            if case .longChain = kind {
                let certificate = try String(contentsOfFile: otherCAFile, encoding: .utf8)
                try String(repeating: certificate, count: 60).write(
                    toFile: "\(path)/chain.pem", atomically: true, encoding: .utf8)
                chain = ["-cert_chain", "\(path)/chain.pem"]
            }
            // s_server stops at the end of its input, so its input stays open.
            program = try await Program(
                [
                    "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "\(path)/server.pem", "-key",
                    "\(path)/server.key",
                ] + chain, of: "openssl", in: folder, input: "")
        case .silentHTTP2:
            program = try await Program(
                ["-c", Self.silentHTTP2, "\(path)/server.pem", "\(path)/server.key"], of: "python3", in: folder)
        }
        let line = try await program.line { $0.hasPrefix("ACCEPT") }
        port = try (line.split(separator: ":").last.flatMap { UInt16($0) }).orThrow("no port in \(line)")
    }

    /// Waits until the server has a request with the body `later`.
    func awaitLater() async throws { _ = try await program.line { $0 == "later" } }

    /// Few frames of RFC 9113. Only bodies are read, because fields are compressed.
    private static let silentHTTP2 = """
        import asyncio, ssl, sys

        connections, answered = 0, asyncio.Event()

        async def serve(reader, writer):
            global connections
            connections += 1
            status = str(200 + connections).encode()

            def send(kind, flags, stream=0, payload=b""):
                writer.write(len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload)

            async def answer(stream, body):
                if body == b"later":
                    print("later", flush=True)
                    await answered.wait()
                elif body == b"answer":
                    answered.set()
                if body != b"never":
                    send(1, 5, stream, bytes([8, 3]) + status)

            await reader.readexactly(24)
            send(4, 0)
            bodies, tasks = {}, []
            while True:
                head = await reader.readexactly(9)
                payload = await reader.readexactly(int.from_bytes(head[:3], "big"))
                kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
                if kind in (4, 6) and not flags & 1:
                    send(kind, 1, 0, payload if kind == 6 else b"")
                elif kind == 0:
                    bodies[stream] = bodies.get(stream, b"") + payload
                    if flags & 1:
                        tasks.append(asyncio.create_task(answer(stream, bodies.pop(stream))))

        async def main():
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*sys.argv[1:])
            context.set_alpn_protocols(["h2"])
            server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
            print(f"ACCEPT 127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
            await server.serve_forever()

        asyncio.run(main())
        """

    func stop() async {
        program.send(SIGTERM)
        _ = await program.status()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private static func openssl(in folder: URL, _ arguments: String...) async throws {
        let result = try await Program.run(arguments, of: "openssl", in: folder)
        guard result.status == 0 else { throw Unexpected("openssl \(arguments[0]): \(result.errors)") }
    }
}
