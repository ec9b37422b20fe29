import CurlTransport
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

/// Tests of the real programs. They run one after another, because each loads the whole machine.
@Suite(.serialized) enum EndToEnd {}

/// `countersign serve` on its own data folder, with one tenant without request limits.
final class TestServer: Sendable {
    static let clientID = "test-agent"
    static let clientSecret = "an-agent-secret-of-forty-eight-characters-or-so"
    static let audience = "https://api.example.com"

    let port: Int
    let program: Program
    private let name: String
    private let options: [String]
    /// Name of the data folder.
    private let data: String
    private let own: OwnFolder
    /// Variables of the server and of commands beside it.
    let environment: [String: String]

    var folder: URL { own.url }

    /// Starts it on an empty folder and configures users `auth0|0`, `auth0|1`, ….
    static func start(users: Int = 1, options: [String] = []) async throws -> TestServer {
        try await start(options: options) { $0.configuration(users: users) }
    }

    /// Starts it on an empty folder, under a name of the loopback, with a configuration that knows its address.
    static func start(
        name: String = "127.0.0.1", options: [String] = [], environment: [String: String] = [:],
        configuring: (TestServer) throws -> JSONValue
    ) async throws -> TestServer {
        let server = try await TestServer(name, in: OwnFolder(), port: 0, options: options)
        try await server.apply(configuring(server), environment: environment)
        return server
    }

    /// Starts another server on the same folder and port after this one ended. Nil leaves the options as they are.
    func restarted(options: [String]? = nil, data: String? = nil) async throws -> TestServer {
        try await TestServer(
            name, in: own, port: port, options: options ?? self.options, data: data ?? self.data,
            environment: environment)
    }

    /// Starts another node of the same store, on a folder of its own with the master key alone.
    func joined() async throws -> TestServer {
        let folder = try OwnFolder()
        let data = folder.url.appending(path: "data")
        try FileManager.default.createDirectory(
            at: data, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try FileManager.default.copyItem(
            at: self.folder.appending(path: "data/master.key"), to: data.appending(path: "master.key"))
        return try await TestServer(name, in: folder, port: 0, options: options)
    }

    /// Starts it on a folder that may have a data folder already.
    init(
        _ name: String, in folder: OwnFolder, port: Int, options: [String], data: String = "data",
        environment: [String: String] = [:]
    ) async throws {
        self.name = name
        self.options = options
        self.data = data
        self.environment = environment
        own = folder
        let arguments = [
            "serve", "--data", data, "--port", "\(port)", "--metrics-port", "none", "--log-requests=off",
            // Tests contact only this machine.
            "--outgoing-networks=127.0.0.0/8,::1",
        ]
        let program = try await Program(
            arguments + options, in: folder.url, environment: environment, lifetime: .seconds(600))
        self.program = program
        let line = try await program.line { $0.hasPrefix("Countersign listens on ") }
        self.port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
    }

    var host: String { "\(name):\(port)" }
    var issuer: String { "https://\(host)/" }
    private var scheme: String { options.contains("--tls=off") ? "http" : "https" }
    /// Base URL of requests: the issuer, or plain HTTP behind a TLS proxy.
    var url: String { "\(scheme)://\(host)/" }
    var authority: String { folder.appending(path: "\(data)/tls/ca.pem").path }

    /// A client that trusts only this server's authority. It has the server's clock.
    func transport() throws -> any HTTPClient {
        if !environment.isEmpty { return CurlProgram(folder: folder, authority: authority, environment: environment) }
        var configuration = CurlTransport.Configuration()
        if scheme == "https" { configuration.trust = .file(authority) }
        return try CurlTransport(configuration)
    }

    func configuration(users: Int, clientName: String = "Test agent") -> JSONValue {
        let people: [JSONValue] = (0..<users).map {
            ["user_id": .string("auth0|\($0)"), "name": .string("User \($0)")]
        }
        return [
            "tenants": [
                [
                    "id": "test", "name": "Test", "host": .string(host),
                    "settings": [
                        "requests_per_minute_per_user": 1_000_000, "pending_requests_per_user": 1_000_000,
                        "rejection_pause": 0,
                        "logins_per_minute_per_address": 1_000_000, "actions_per_minute": 1_000_000,
                        "poll_interval": 1,
                    ],
                    "apis": [
                        [
                            "identifier": .string(Self.audience), "allow_offline_access": true,
                            "scopes": [["value": "pay", "description": "Pay"]],
                            "authorization_details": [["type": "money_transfer"]],
                        ]
                    ],
                    "users": .array(people),
                    "clients": [
                        [
                            "client_id": .string(Self.clientID), "name": .string(clientName),
                            "client_secret": .string(Self.clientSecret),
                            "grant_types": ["urn:openid:params:grant-type:ciba", "refresh_token"],
                        ]
                    ],
                ]
            ]
        ]
    }

    /// Applies a configuration beside the running server and returns once it is served.
    func apply(_ configuration: JSONValue, environment: [String: String] = [:]) async throws {
        try write(configuration, to: "configuration.json")
        _ = try await command("apply", ["configuration.json"], environment: environment)
        let transport = try transport()
        let metadata = ClientRequest(method: .get, url: url + ".well-known/openid-configuration")
        try await eventually(within: .seconds(10)) { try await transport.send(metadata).status == 200 }
    }

    func write(_ document: JSONValue, to name: String) throws {
        try Data(JSONWriter.bytes(document)).write(to: folder.appending(path: name))
    }

    /// Number of open connections to the server, from the kernel.
    func establishedConnections() throws -> Int {
        let local = "0100007F:" + String(port, radix: 16, uppercase: true)
        // Files in /proc have no size and are read to their end.
        let table = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp")).readToEnd() ?? Data()
        return String(decoding: table, as: UTF8.self).split(separator: "\n").count { line in
            let columns = line.split(separator: " ")
            return columns.count > 3 && columns[1].hasSuffix(local) && columns[3] == "01"
        }
    }

    /// Runs `countersign NAME …` beside the server, and returns its output.
    @discardableResult
    func command(
        _ name: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> String {
        let words = name.split(separator: " ").map(String.init)
        let result = try await run(words + arguments + ["--data", data], environment: environment)
        guard result.status == 0 else { throw Unexpected("\(name): \(result.errors)") }
        return result.output
    }

    /// Runs a program in the server's folder, with its clock and its store.
    func run(
        _ arguments: [String], of name: String = "countersign", environment: [String: String] = [:]
    ) async throws -> Program.Result {
        var environment = self.environment.merging(environment) { $1 }
        if let store = options.firstIndex(of: "--store") { environment["COUNTERSIGN_STORE"] = options[store + 1] }
        return try await Program.run(arguments, of: name, in: folder, environment: environment)
    }

    /// The text of the QR code that enrols a phone.
    func ticket(user: String) async throws -> String {
        let printed = try await command("device ticket", ["--tenant", "test", "--user", user])
        return try #require(printed.split { $0.isWhitespace }.first { $0.hasPrefix("otpauth://") }.map(String.init))
    }

    /// Ends the server, and returns its exit status.
    @discardableResult
    func stop(_ signal: Int32 = SIGTERM) async -> Int32 {
        program.send(signal)
        return await program.status()
    }
}

/// A folder that is removed after its last use.
final class OwnFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "countersign-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// Runs `body` within a time limit, which is longer under a sanitizer.
func within<Value: Sendable>(
    _ limit: Duration, _ what: String, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let limit = limit * Patience.factor
    return try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw Unexpected("waited \(limit) for \(what)")
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw CancellationError() }
        return first
    }
}

/// Polls until the answer is yes, because one process cannot observe another's reload.
func eventually(within limit: Duration, _ question: @escaping @Sendable () async throws -> Bool) async throws {
    try await within(limit, "what should become true") {
        while try await !question() { try await Task.sleep(for: .milliseconds(20)) }
    }
}
