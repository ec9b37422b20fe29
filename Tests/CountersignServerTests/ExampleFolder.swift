@testable import CountersignCommand
import Foundation
import Primitives
@testable import Terminal
import TestSupport
import Testing

/// A data folder with the objects that the commands' examples name, and the files that they read.
struct ExampleFolder {
    /// Generated ids in place of the examples' ids.
    let ids: [String: String]
    let folder: Folder

    /// An example of `--help`.
    struct Line {
        /// `countersign user list`
        let command: String
        let text: String
    }

    /// All that `--help` shows, the commands' own and the groups'.
    static var lines: [Line] { lines(of: .countersign, below: []) }

    private static func lines(of command: Command, below path: [String]) -> [Line] {
        let path = path + [command.name]
        return command.examples.map { Line(command: path.joined(separator: " "), text: $0.line) }
            + command.subcommands.flatMap { lines(of: $0, below: path) }
    }

    /// Commands that do something themselves.
    static var leaves: [(name: String, command: Command)] { leaves(of: .countersign, below: []) }

    private static func leaves(of command: Command, below path: [String]) -> [(name: String, command: Command)] {
        let path = path + [command.name]
        guard !command.subcommands.isEmpty else { return [(path.joined(separator: " "), command)] }
        let own = command.body == nil ? [] : [(name: path.joined(separator: " "), command: command)]
        return own + command.subcommands.flatMap { leaves(of: $0, below: path) }
    }

    private static let configuration = """
        { "tenants": [ { "id": "shop", "name": "Example Shop", "host": "id.shop.example",
          "apis": [ { "identifier": "https://api.example.com/",
            "scopes": [ { "value": "payments:make" }, { "value": "read" } ] } ],
          "roles": [ { "id": "rol_sW4J0OcmNTTqGIrX", "name": "Payments", "permissions": [
            { "resource_server_identifier": "https://api.example.com/", "permission_name": "payments:make" } ] } ],
          "users": [
            { "user_id": "auth0|65f0", "email": "han@shop.example", "roles": [ "rol_sW4J0OcmNTTqGIrX" ] },
            { "user_id": "auth0|65f1", "email": "ben@shop.example" },
            { "user_id": "auth0|65f0c1e2d3b4a5968778695a", "email": "cyd@shop.example" } ],
          "clients": [ { "client_id": "3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe", "name": "Agent",
            "client_secret": { "file": "secret.txt" }, "grant_types": [ "urn:openid:params:grant-type:ciba" ],
            "client_grants": [ { "audience": "https://api.example.com/", "subject_type": "client",
              "scope": [ "payments:make", "read" ] } ] } ] } ] }
        """
    private static let client = "3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe"
    private static let keyPair = """
        openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out agent.pem
        openssl pkey -in agent.pem -pubout -out agent.pub
        openssl req -x509 -key agent.pem -days 30 -subj /CN=agent -out agent.crt
        """

    init() async throws {
        folder = try Folder()
        try folder.write(Self.configuration, to: "configuration.json")
        try folder.write(String(repeating: "s", count: 40) + "\n", to: "secret.txt")
        try folder.write(#"{ "password": "correct horse battery staple" }"#, to: "password.json")
        try folder.write(#"[{ "email": "new@shop.example", "given_name": "New" }]"#, to: "users.json")
        let provider = """
            { "name": "smtp", "default_from_address": "a@b.example", "credentials": { "smtp_host": "127.0.0.1" } }
            """
        try folder.write(provider, to: "provider.json")
        try folder.write("<p>{{ url }}</p>", to: "approval.html")
        try folder.write("Subject: no report\n\n", to: "report.eml")
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "auth0-export/clients"), withIntermediateDirectories: true)
        try folder.write(
            #"{ "name": "Shop", "grant_types": [ "client_credentials" ] }"#, to: "auth0-export/clients/Shop.json")
        try folder.write(
            #"[ { "name": "Shop", "client_id": "9xYz", "client_secret": "\#(String(repeating: "s", count: 40))" } ]"#,
            to: "apps.json")
        try folder.write(#"{ "user_id": "auth0|5dea", "email": "kim@shop.example" }"#, to: "users.ndjson")
        try folder.write(
            #"{ "_id": { "$oid": "5dea" }, "email": "kim@shop.example", "passwordHash": "$2b$10$ABCDEFGHIJKLMNOPQRSTUOn3HzDtIrNcl6HFzVmZAUZK2dIUdk8e6" }"#,
            to: "hashes.ndjson")
        try folder.write(
            #"{ "realm": "shop", "clients": [ { "clientId": "kiosk", "publicClient": true, "standardFlowEnabled": false } ] }"#,
            to: "shop-realm.json")
        try folder.write(#"{ "realm": "shop", "users": [ { "username": "ann" } ] }"#, to: "shop-users-0.json")
        let vectors = try JSONReader.parse(try Self.document("docs/receipts/vectors.json"))
        try folder.write(JSONWriter.string(try vectors["jwks"].orThrow("no keys")), to: "jwks.json")
        let receipt = vectors["vectors"]?[0]?["receipt"]?.stringValue
        try folder.write(try receipt.orThrow("no receipt"), to: "receipt.jwt")
        try Data(Base64.decode(KeyFiles.current).orThrow("no file")).write(to: folder.url.appending(path: "push.p12"))
        let keys = try await Self.run(
            """
            openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out AuthKey_ABC123DEFG.p8
            openssl genpkey -algorithm RSA -out account.pem
            """, in: folder)
        #expect(keys.status == 0, "\(keys.errors)")
        let account: JSONValue = [
            "type": "service_account", "project_id": "example", "client_email": "push@example.iam.gserviceaccount.com",
            "private_key": .string(try String(contentsOf: folder.url.appending(path: "account.pem"), encoding: .utf8)),
        ]
        try folder.write(JSONWriter.string(account), to: "service-account.json")
        let made = try await Self.run(
            """
            \(Self.keyPair)
            countersign apply configuration.json --create
            countersign keys rotate
            countersign mail provider set --file provider.json
            countersign push set fcm service-account.json
            countersign mail template set async_approval --body approval.html
            countersign client credential add \(Self.client) --public-key agent.pub
            """, in: folder)
        #expect(made.status == 0, "\(made.errors)")
        let head = try await Self.json("log verify", in: folder)["head"]?.stringValue
        try folder.write(try head.orThrow("no head"), to: "head")
        #expect(try await Self.run("countersign backup copy.db", in: folder).status == 0)
        #expect(try await Self.run("countersign export --output shop.ndjson", in: folder).status == 0)
        let key = try await Self.json("keys list", in: folder)[0]?["kid"]?.stringValue
        let credential = try await Self.json("client credential list \(Self.client)", in: folder)[0]?["id"]?.stringValue
        ids = [
            "oF6p-nCF8v1_eqO0Ck-3Yg": try key.orThrow("no key"),
            "cred_t4QxL0y3Yw9RkZ2mB7dNcA": try credential.orThrow("no credential"),
        ]
    }

    static func json(_ command: String, in folder: Folder) async throws -> JSONValue {
        try JSONReader.parse(try await run("countersign \(command) --json", in: folder).output)
    }

    static func run(
        _ script: String, _ ids: [String: String] = [:], in folder: Folder
    ) async throws -> Program.Result {
        let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        let script = ids.reduce(script) { $0.replacing($1.key, with: $1.value) }
        return try await Program.run(
            ["-ec", script], of: "bash", in: folder.url, environment: ["PATH": "\(programs):/usr/bin:/bin"])
    }

    /// The folder as it was at first, for one example.
    func copy() throws -> Folder {
        let copy = try Folder()
        try FileManager.default.removeItem(at: copy.url)
        try FileManager.default.copyItem(at: folder.url, to: copy.url)
        return copy
    }

    func run(_ line: Line, in folder: Folder) async throws -> Program.Result {
        try await Self.run(line.text, ids, in: folder)
    }

    static func document(_ path: String) throws -> String {
        let repository = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: repository.appending(path: path), encoding: .utf8)
    }
}
