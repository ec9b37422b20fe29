import CurlTransport
import Foundation
import Glibc
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

    @Test("Any other CA is not, and the text says which setting to change")
    func wrongCA() async throws {
        try await withTLSServer { server in
            for trust in [CurlTransport.Configuration.Trust.system, .file(server.otherCAFile)] {
                var configuration = CurlTransport.Configuration()
                configuration.trust = trust
                configuration.trustAdvice = "Pass --ca FILE."
                let failure = await #expect(throws: HTTPClientError.self) {
                    try await CurlTransport(configuration).send(ClientRequest(method: .get, url: server.url))
                }
                guard case .tls(let text) = failure else {
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
            guard case .tls = failure else {
                Issue.record("unexpected: \(String(describing: failure))")
                return
            }
        }
    }

    @Test("A CA file that is not there is said to be unreadable")
    func missingCA() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.trust = .file("/nowhere/ca.pem")
        let server = try RawServer { $0.waitForClose() }
        let failure = await #expect(throws: HTTPClientError.self) {
            try await CurlTransport(configuration).send(
                ClientRequest(method: .get, url: "https://127.0.0.1:\(server.port)/"))
        }
        guard case .tls(let text) = failure else {
            Issue.record("unexpected: \(String(describing: failure))")
            return
        }
        #expect(text.contains("/nowhere/ca.pem"))
    }
}

/// Starts a server and stops it after `body`. Both wait for processes, so they have a thread of their own.
private func withTLSServer(_ body: (TLSServer) async throws -> Void) async throws {
    let server = try await onThread { try TLSServer() }
    let result: Result<Void, any Error>
    do { result = .success(try await body(server)) } catch { result = .failure(error) }
    try await onThread { server.stop() }
    try result.get()
}

/// `openssl s_server` with a certificate for localhost from a CA made for the test. It ends by itself after five
/// minutes. Its calls block.
private final class TLSServer: Sendable {
    let caFile: String
    let otherCAFile: String
    let port: UInt16
    private let folder: URL
    private let process = Process()

    var url: String { "https://localhost:\(port)/" }

    struct Failure: Error {
        let text: String
    }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "countersign-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.path
        for name in ["ca", "other"] {
            try Self.openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", "/CN=\(name)", "-keyout", "\(path)/\(name).key", "-out", "\(path)/\(name).pem")
        }
        try Self.openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-CA", "\(path)/ca.pem",
            "-CAkey", "\(path)/ca.key", "-addext", "basicConstraints=critical,CA:FALSE",
            "-keyout", "\(path)/server.key", "-out", "\(path)/server.pem")
        caFile = "\(path)/ca.pem"
        otherCAFile = "\(path)/other.pem"

        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/timeout")
        process.arguments = [
            "300", "openssl", "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "\(path)/server.pem", "-key",
            "\(path)/server.key",
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        // With an end of input at hand s_server would stop at once.
        process.standardInput = Pipe()
        try Self.takingSignals { [process] in try process.run() }
        var text = ""
        while let more = try output.fileHandleForReading.read(upToCount: 1), !more.isEmpty {
            text += String(decoding: more, as: UTF8.self)
            if text.hasSuffix("\n"), text.contains("ACCEPT") { break }
        }
        guard let port = text.split(separator: ":").last.flatMap({ UInt16($0.filter(\.isNumber)) }) else {
            throw Failure(text: "s_server did not say its port: \(text)")
        }
        self.port = port
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Threads of the Swift runtime block all signals, and a child inherits that: it could not be told to stop.
    private static func takingSignals(_ body: () throws -> Void) rethrows {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }

    private static func openssl(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(text: "openssl \(arguments[0]) failed") }
    }
}
