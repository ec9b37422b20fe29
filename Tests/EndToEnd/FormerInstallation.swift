import Foundation
import HTTPModel
import JOSE
import OpenSSLCrypto
import PostgreSQLCluster
import Primitives
import TestSupport

/// An installation as a former version left it, with all that people and clients hold of it: the folders of
/// `Tests/Upgrade`, which its README describes.
struct FormerInstallation: Sendable {
    enum Engine: String, Sendable, CaseIterable {
        case sqlite, postgresql

        static let available = allCases.filter { $0 == .sqlite || PostgreSQLCluster.isInstalled }
    }

    /// Values that a person or a client holds, or that an operator noted.
    struct Held: Codable, Sendable {
        /// Seconds since 1970 of the last stop.
        var stoppedAt: Double
        /// Those of user 0's browser, by host and name.
        var cookies: [String: [String: String]]
        /// User 0's, of the app `mobile`.
        var refreshToken: String
        /// `auth_req_id` of a request that nobody answered, with its message.
        var pending: String
        /// `auth_req_id` of one that was allowed and not redeemed, of the client that signs.
        var allowed: String
        /// Id of a decision, of which `receipt.jwt` is the receipt.
        var decided: String
        /// Name of user 1 that the passkey keeps, base64url.
        var passkeyHandle: String
        var auditHead: String
        var treeHead: String
    }

    static let version = "0.1.0"
    /// Every name of that form is this machine, and a port below those that the system hands out.
    static let (name, port) = ("upgrade.localhost", 28_443)
    static let host = "\(name):\(port)"
    static let (pendingMessage, allowedMessage) = ("Order 3", "Order 2")
    static let newcomer = "newcomer@example.com"
    static let signingClient = "signing-agent"

    static let all = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Upgrade")
    static func folder(_ engine: Engine) -> URL { all.appending(path: "\(version)/\(engine.rawValue)") }

    let engine: Engine
    let held: Held
    let own: OwnFolder
    /// Nil for SQLite.
    let database: PostgreSQLCluster.Database?

    var folder: URL { own.url }
    var options: [String] { ["--development=off", "--mail-folder", "mails"] + store }
    /// Option that names the database.
    var store: [String] { database.map { ["--store", $0.uri] } ?? [] }

    /// A copy of the fixture, in which secrets are readable by their owner alone.
    init(_ engine: Engine) async throws {
        self.engine = engine
        own = try OwnFolder()
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: Self.folder(engine).path) {
            try files.copyItem(
                at: Self.folder(engine).appending(path: name), to: own.url.appending(path: name))
        }
        held = try JSONDecoder().decode(Held.self, from: Data(contentsOf: own.url.appending(path: "held.json")))
        for name in try files.subpathsOfDirectory(atPath: own.url.path) {
            let path = own.url.appending(path: name).path
            let isFolder = (try files.attributesOfItem(atPath: path)[.type] as? FileAttributeType) == .typeDirectory
            try files.setAttributes([.posixPermissions: isFolder ? 0o700 : 0o600], ofItemAtPath: path)
        }
        clock = ShiftedClock.variables(
            try await ShiftedClock.make(in: own.url), at: Date(timeIntervalSince1970: held.stoppedAt))
        if engine == .postgresql {
            let made = try PostgreSQLCluster.started.makeDatabase()
            try await Self.read(own.url.appending(path: "database.sql.gz"), into: made)
            database = made
        } else {
            database = nil
            try await unpack("data/countersign.db")
        }
    }

    /// Reads a packed dump into an empty database.
    static func read(_ dump: URL, into database: PostgreSQLCluster.Database) async throws {
        let script = #"zcat "$0" | psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 "$1""#
        let loaded = try await Program.run(
            ["-c", script, dump.path, database.uri], of: "bash", in: dump.deletingLastPathComponent())
        guard loaded.status == 0, loaded.errors.isEmpty else { throw Unexpected("psql: \(loaded.errors)") }
    }

    func unpack(_ name: String) async throws {
        let result = try await Program.run(["-d", "\(name).gz"], of: "gzip", in: folder)
        guard result.status == 0 else { throw Unexpected("gzip: \(result.errors)") }
    }

    /// Variables of programs that run just after the former ones.
    let clock: [String: String]

    /// Starts the server of now. Waits for its port, which another run of these tests may have.
    func start(data: String = "data", options: [String]? = nil) async throws -> TestServer {
        for _ in 0..<60 {
            do {
                return try await TestServer(
                    Self.name, in: own, port: Self.port, options: options ?? self.options, data: data,
                    environment: clock)
            } catch  where "\(error)".contains("another program") {
                try await Task.sleep(for: .seconds(1))
            }
        }
        throw Unexpected("the port \(Self.port) is taken")
    }

    /// Ends when the database may be removed.
    func end() { withExtendedLifetime(database) {} }
}

// Clients of the former and the present server.
extension TestServer {
    func guardian(_ name: String, _ arguments: [String] = []) async throws -> JSONValue {
        let result = try await run(
            [name] + arguments + ["--store", "phone.json", "--ca", authority, "--json"], of: "guardian")
        guard result.status == 0 else { throw Unexpected("guardian \(name): \(result.errors)") }
        // One object a line, if it prints several.
        return try JSONReader.parse(String(result.output.split(separator: "\n").first ?? "null"))
    }

    func browser(cookies: [String: [String: String]] = [:]) throws -> WebBrowser {
        try WebBrowser(transport(), sites: [issuer], cookies: cookies)
    }

    /// A request of the client that signs, whose key is in `client.pem`.
    func signed(_ path: String, _ form: [(name: String, value: String)]) async throws -> Agent.Answer {
        let now = ShiftedClock.now(environment)
        let claims: JSONValue = [
            "iss": .string(FormerInstallation.signingClient), "sub": .string(FormerInstallation.signingClient),
            "aud": .string(issuer), "jti": .string(UUID().uuidString), "iat": JSONValue(Int64(now)),
            "exp": JSONValue(Int64(now) + 120),
        ]
        let proof: [(name: String, value: String)] = [
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ("client_assertion", try JWS.sign(JSONWriter.bytes(claims), with: signer("client.pem"))),
        ]
        let response = try await transport().send(
            ClientRequest(
                method: .post, url: url + path, fields: ["Content-Type": "application/x-www-form-urlencoded"],
                body: Array(FormFields(form + proof).encoded.utf8)))
        return Agent.Answer(status: response.status, json: try JSONReader.parse(response.body))
    }

    func redeemSigned(_ authReqID: String) async throws -> Agent.Answer {
        try await signed(
            "oauth/token", [("grant_type", "urn:openid:params:grant-type:ciba"), ("auth_req_id", authReqID)])
    }

    func signer(_ file: String) throws -> OpenSSLSigner {
        let pem = Array(try Data(contentsOf: folder.appending(path: file)))
        return try OpenSSLSigner(pem: SecretBytes(pem), algorithm: .es256)
    }

    /// User 1's, whose key is in `passkey.pem`.
    func passkey(handle: [UInt8]) throws -> SoftwareAuthenticator {
        var passkey = SoftwareAuthenticator(host: host, signer: try signer("passkey.pem"))
        passkey.userHandle = handle
        return passkey
    }
}

extension WebPage {
    /// The form of a passkey, and the bytes that its script reads.
    func passkey(_ member: String) throws -> (form: Form, bytes: [UInt8]) {
        let form = try forms.first { $0.data["data-challenge"] != nil }.orThrow("no passkeys at \(self)")
        return (form, try Base64URL.decode(form.data[member] ?? "").orThrow("no base64url in \(member)"))
    }
}
