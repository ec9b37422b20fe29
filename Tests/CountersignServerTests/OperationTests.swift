import CountersignServer
import Foundation
import Glibc
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Operation of a server")
struct OperationTests {
    private func openssl(_ folder: Folder, _ arguments: [String], input: String? = nil) async throws -> String {
        try await Program.run(arguments, of: "openssl", in: folder.url, input: input).output
    }

    private func certificate(_ name: String, in folder: Folder) async throws {
        _ = try await openssl(
            folder,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
                "-subj", "/CN=\(name)", "-keyout", "\(name).key", "-out", "\(name).pem",
            ])
    }

    @Test("A setting that names an unusable file stops the start with status 2 and names both")
    func wrongFiles() async throws {
        let folder = try Folder()
        try await certificate("a", in: folder)
        try await certificate("b", in: folder)
        try folder.write("{}", to: "junk")
        let refusals: [(options: [String], names: [String])] = [
            (
                ["--tls", "files", "--tls-certificate", "a.pem", "--tls-key", "b.key"],
                ["tls-certificate", "a.pem", "b.key"]
            ),
            (["--tls", "files", "--tls-certificate", "junk", "--tls-key", "b.key"], ["tls-certificate", "junk"]),
            (["--tls", "files", "--tls-certificate", "a.pem", "--tls-key", "none"], ["tls-key", "cannot open none"]),
            (["--trusted-authorities", "junk"], ["trusted-authorities", "junk"]),
            (["--trusted-authorities", "none"], ["trusted-authorities", "none"]),
            (["--geoip-database", "junk"], ["geoip-database", "junk", "MaxMind DB"]),
            (["--geoip-database", "none"], ["geoip-database", "none"]),
            (["--mtls-port", "0", "--mtls-ca", "junk"], ["mtls-ca", "junk"]),
            (["--master-key-file", "none"], ["master-key-file", "none"]),
        ]
        for (options, names) in refusals {
            let result = try await Program.run(
                ["serve", "--port", "0", "--metrics-port", "none"] + options, in: folder.url)
            #expect(result.status == 2, "\(options)")
            for name in names { #expect(result.errors.contains(name), "\(result.errors)") }
            #expect(!result.errors.contains("database is closed"), "\(result.errors)")
        }
    }

    @Test("A server whose terminal closes stops as on SIGTERM")
    func hangUp() async throws {
        let server = try await RunningServer(in: Folder())
        #expect(await server.stop(SIGHUP) == 0)
        #expect(server.program.errors.soFar.contains("info stopping signal=SIGHUP"))
    }

    @Test("A database is not migrated while a server of the earlier version may be using it")
    func update() async throws {
        let folder = try Folder()
        let server = try await RunningServer(in: folder)
        var settings = ServerSettings()
        settings.dataFolder = folder.url.appending(path: "countersign-data").path
        let later = Schema.migrations + [Migration("002 later", script: "CREATE TABLE later (id INTEGER) STRICT;")]
        let refused = await #expect(throws: InstallationRefusal.self) {
            try await Installation(settings, migrations: later)
        }
        #expect(refused?.description.contains("has an older version, and process ") == true, "\(refused as Any)")
        #expect(refused?.hint?.hasPrefix("restart the server") == true)
        #expect(await server.stop() == 0)
    }

    @Test("Files that cannot be created or opened are named with their path")
    func paths() async throws {
        let folder = try Folder()
        let missing = try await Program.run(["serve", "--data", "a/b", "--port", "0"], in: folder.url)
        #expect(missing.status == 1)
        #expect(missing.errors.contains("cannot create the folder a/b: No such file or directory"), "\(missing.errors)")
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "countersign-data"), withIntermediateDirectories: false)
        try folder.write(String(repeating: "no database ", count: 999), to: "countersign-data/countersign.db")
        let damaged = try await Program.run(["user", "list"], in: folder.url)
        #expect(damaged.status == 1)
        #expect(
            damaged.errors.contains("countersign-data/countersign.db: the database file is damaged"),
            "\(damaged.errors)")
    }

    @Test("Metrics are served to this machine only, by route, with one label for unknown routes")
    func metrics() async throws {
        let port = try FreePort.find()
        let server = try await RunningServer(in: Folder(), metrics: "\(port)")
        _ = try await server.get("healthz")
        for path in ["nowhere", "no/where", "u/nothing"] { _ = try await server.get(path) }
        _ = try await server.get("api/v2/users/auth0%7Cann")
        let text = try await Program.run(
            ["-s", "http://127.0.0.1:\(port)/metrics"], of: "curl", in: server.folder.url
        ).output
        let counts = text.split(separator: "\n").filter { $0.contains("_count{") }
        #expect(counts.contains { $0.contains(#"route="/healthz",method="GET",status="200"} 1"#) }, "\(counts)")
        #expect(counts.contains { $0.contains(#"route="other",method="GET",status="404"} 3"#) }, "\(counts)")
        #expect(counts.contains { $0.contains(#"route="/api/v2",method="GET",status="401"} 1"#) }, "\(counts)")
        func head(_ options: String...) async throws -> String {
            try await Program.run(
                ["-s", "-i"] + options, of: "curl", in: server.folder.url
            ).output
        }
        let wrong = try await head("http://127.0.0.1:\(port)/")
        #expect(wrong.hasPrefix("HTTP/1.1 404 ") && wrong.contains("This port serves /metrics"), "\(wrong)")
        let posted = try await head("-d", "a", "http://127.0.0.1:\(port)/metrics")
        #expect(posted.hasPrefix("HTTP/1.1 405 ") && posted.contains("Allow: GET, HEAD"), "\(posted)")
        #expect(await server.stop() == 0)
    }
}
