import Foundation
import HTTPModel
import TestSupport
import Testing

@testable import MicroHTTPServer

@Suite("TLS")
struct TLSTests {
    /// Runs openssl with `input` and returns its output.
    @discardableResult
    private static func openssl(
        _ arguments: [String], in folder: URL = FileManager.default.temporaryDirectory, input: String? = nil,
        fails: Bool = false
    ) async throws -> String {
        let result = try await Program.run(arguments, of: "openssl", in: folder, input: input)
        if !fails, result.status != 0 { throw Unexpected(result.errors) }
        return result.output
    }

    private static func identity(rsa: Bool = false) async throws -> TLSIdentity {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (key, certificate) = (folder.appending(path: "key.pem"), folder.appending(path: "certificate.pem"))
        let kind = rsa ? ["-newkey", "rsa:2048"] : ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        try await openssl(
            ["req", "-x509"] + kind + [
                "-nodes", "-days", "1",
                "-subj", "/CN=localhost", "-keyout", key.path, "-out", certificate.path,
            ])
        return TLSIdentity(
            certificateChainPEM: try String(contentsOf: certificate, encoding: .utf8),
            privateKeyPEM: try String(contentsOf: key, encoding: .utf8))
    }

    private static func get(_ port: UInt16, _ version: String) async throws -> String {
        try await openssl(
            ["s_client", "-quiet", "-cipher", "DEFAULT@SECLEVEL=0", version, "-connect", "127.0.0.1:\(port)"],
            input: "GET /tls HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", fails: true)
    }

    @Test("RFC 8996: TLS 1.2 and 1.3 are accepted, TLS 1.1 and 1.0 are not")
    func versions() async throws {
        let handler: Handler = { request in
            await Task.yield()
            return Response(status: 200, body: .bytes(Array("secure: \(request.isSecure)".utf8)))
        }
        try await withServer(tls: try await Self.identity(), handler: handler) { server in
            expectEqual(try await Self.get(server.port, "-tls1_3").hasSuffix("secure: true"), true)
            expectEqual(try await Self.get(server.port, "-tls1_2").hasSuffix("secure: true"), true)
            expectEqual(try await Self.get(server.port, "-tls1_1"), "")
            expectEqual(try await Self.get(server.port, "-tls1"), "")
        }
    }

    @Test(
        "RFC 9325 4.2: TLS 1.2 has four suites, two for each kind of certificate",
        arguments: [true, false])
    func suites(rsa: Bool) async throws {
        let kind = rsa ? "RSA" : "ECDSA"
        let spoken = ["ECDHE-\(kind)-AES128-GCM-SHA256", "ECDHE-\(kind)-AES256-GCM-SHA384"]
        let all = try await Self.openssl(["ciphers", "-tls1_2", "-s", "ALL:COMPLEMENTOFALL@SECLEVEL=0"])
            .split(whereSeparator: { $0 == ":" || $0.isWhitespace }).map(String.init)
        #expect(all.count > 40 && Set(all).isSuperset(of: spoken))
        try await withServer(tls: try await Self.identity(rsa: rsa)) { server in
            let port = server.port
            func accepts(_ choice: [String]) async throws -> Bool {
                try await Self.openssl(["s_client", "-connect", "127.0.0.1:\(port)"] + choice, input: "", fails: true)
                    .contains("-----BEGIN CERTIFICATE-----")
            }
            for suite in spoken { expectEqual(try await accepts(["-tls1_2", "-cipher", suite]), true) }
            // All others at once: the server would choose any that it accepts.
            let others = all.filter { !spoken.contains($0) }.joined(separator: ":") + "@SECLEVEL=0"
            expectEqual(try await accepts(["-tls1_2", "-cipher", others]), false)
            for suite in ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384"] {
                expectEqual(try await accepts(["-tls1_3", "-ciphersuites", suite]), true)
            }
            let rest = "TLS_AES_128_CCM_SHA256:TLS_AES_128_CCM_8_SHA256"
            expectEqual(try await accepts(["-tls1_3", "-ciphersuites", rest]), false)
        }
    }

    @Test(
        "Plain HTTP on a TLS port gets an answer that says so", arguments: [0, 400, 3_000])
    func plainHTTP(padding: Int) async throws {
        try await withServer(tls: try await Self.identity()) { server in
            let port = server.port
            let answer = try await onThread {
                let client = try RawClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "a", count: padding))\r\n\r\n")
                return try client.receiveAnswer()
            }
            #expect(answer.status == 400)
            #expect(answer.body.contains("https://"))
            #expect(answer["Connection"] == "close")
            // The next connection usually has the same descriptor.
            expectEqual(try await Self.get(port, "-tls1_3").contains("GET /tls"), true)
        }
    }

    @Test("RFC 9112 2.2: unreadable requests get our answer over TLS too")
    func unreadable() async throws {
        try await withServer(tls: try await Self.identity()) { server in
            let text = try await Self.openssl(
                ["s_client", "-quiet", "-connect", "127.0.0.1:\(server.port)"],
                input: "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", fails: true)
            let answer = try #require(Answer(text), "\(text)")
            #expect(answer.status == 400)
            #expect(answer.body.hasSuffix(".\n") && text.hasSuffix(answer.body))
        }
    }

    @Test("A stream over TLS arrives when it is produced")
    func stream() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let handler: Handler = { _ in
            continuation.yield(Array("data: 1\n\n".utf8))
            await Task.yield()
            continuation.yield(Array("data: 2\n\n".utf8))
            continuation.finish()
            return Response(status: 200, body: .stream(stream))
        }
        try await withServer(tls: try await Self.identity(), handler: handler) { server in
            let text = try await Self.get(server.port, "-tls1_3")
            #expect(text.contains("data: 1\n\n"))
            #expect(text.contains("data: 2\n\n"))
            #expect(text.hasSuffix("0\r\n\r\n"))
        }
    }

    @Test("A handshake that is incomplete at the head's deadline ends the connection")
    func stalledHandshake() async throws {
        try await withServer(
            limits: { $0.headDeadline = .milliseconds(50) }, tls: try await Self.identity()
        ) { server in
            let port = server.port
            try await onThread { expectEqual(try RawClient(port: port).receiveAll(), "") }
        }
    }

    @Test(
        "A client's RSA key with an exponent of more than 64 bits ends the handshake",
        arguments: ["-tls1_3", "-tls1_2"], ["65537", "0x1000000000000000001"])
    func clientKeys(version: String, exponent: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Self.openssl(
            [
                "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-pkeyopt",
                "rsa_keygen_pubexp:\(exponent)", "-out", "key.pem",
            ], in: folder)
        try await Self.openssl(
            ["req", "-x509", "-key", "key.pem", "-days", "1", "-subj", "/CN=client", "-out", "certificate.pem"],
            in: folder)
        let handler: Handler = { request in
            Response(status: 200, body: .bytes(Array("certificate: \(request.clientCertificate != nil)".utf8)))
        }
        let server = try HTTPServer(
            configuration: HTTPServerConfiguration(tls: try await Self.identity(), requestsClientCertificates: true),
            handler: handler)
        try server.start()
        let answer = try await Self.openssl(
            [
                "s_client", "-quiet", version, "-cert", "certificate.pem", "-key", "key.pem", "-connect",
                "127.0.0.1:\(server.port)",
            ], in: folder,
            input: "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", fails: true)
        await server.stop(within: .seconds(1))
        #expect(answer.hasSuffix("certificate: true") == (exponent == "65537"), "\(answer)")
    }

    @Test("An unreadable certificate or another key's is refused with that reason")
    func badCertificate() async throws {
        let nonsense = TLSIdentity(certificateChainPEM: "nonsense", privateKeyPEM: "nonsense")
        var mixed = try await Self.identity()
        mixed.privateKeyPEM = try await Self.identity().privateKeyPEM
        for identity in [nonsense, mixed] {
            let error = #expect(throws: HTTPServerError.self) {
                try HTTPServer(configuration: HTTPServerConfiguration(tls: identity), handler: echo)
            }
            guard case .badCertificate = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test("New connections get a renewed certificate, and open connections keep theirs")
    func renewal() async throws {
        func presented(_ port: UInt16) async throws -> String {
            let session = try await Self.openssl(["s_client", "-connect", "127.0.0.1:\(port)"], input: "", fails: true)
            return try await Self.openssl(["x509", "-noout", "-fingerprint"], input: session)
        }
        let (first, second) = (try await Self.identity(), try await Self.identity())
        try await withServer(tls: first) { server in
            let before = try await presented(server.port)
            #expect(try await presented(server.port) == before)
            #expect(throws: HTTPServerError.self) {
                try server.renew(
                    TLSIdentity(certificateChainPEM: first.certificateChainPEM, privateKeyPEM: second.privateKeyPEM))
            }
            #expect(try await presented(server.port) == before, "what cannot be used changes nothing")
            try server.renew(second)
            #expect(try await presented(server.port) != before)
            expectEqual(try await Self.get(server.port, "-tls1_2").isEmpty, false)
        }
    }
}
