import CurlTransport
import Foundation
import HTTPModel
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
}

/// Starts a server that ends after `body`.
private func withTLSServer(_ body: (TLSServer) async throws -> Void) async throws {
    let server = try await TLSServer()
    try await body(server)
    await server.stop()
}

/// `openssl s_server` with a certificate for localhost from a CA made for the test.
private final class TLSServer: Sendable {
    let caFile: String
    let otherCAFile: String
    let port: UInt16
    private let folder: URL
    private let program: Program

    var url: String { "https://localhost:\(port)/" }

    init() async throws {
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

        // s_server stops at the end of its input, so its input stays open.
        program = try await Program(
            [
                "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "\(path)/server.pem", "-key",
                "\(path)/server.key",
            ], of: "openssl", in: folder, input: "")
        let line = try await program.line { $0.hasPrefix("ACCEPT") }
        port = try (line.split(separator: ":").last.flatMap { UInt16($0) }).orThrow("no port in \(line)")
    }

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
