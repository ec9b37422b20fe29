@testable import CountersignCommand
import Foundation
import Primitives
@testable import Terminal
import TestSupport
import Testing

@Suite("The examples of --help, of README.md and of docs/cli.md")
struct ExampleTests {
    /// Objects that the examples name. Generated ids replace the examples' ids.
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

    private struct Line {
        /// `countersign user list`
        let command: String
        let text: String
    }

    /// All that `--help` shows, the commands' own and the groups'.
    private static var lines: [Line] { lines(of: .countersign, below: []) }

    private static func lines(of command: Command, below path: [String]) -> [Line] {
        let path = path + [command.name]
        return command.examples.map { Line(command: path.joined(separator: " "), text: $0.line) }
            + command.subcommands.flatMap { lines(of: $0, below: path) }
    }

    private static func leaves(of command: Command, below path: [String]) -> [(name: String, command: Command)] {
        let path = path + [command.name]
        guard !command.subcommands.isEmpty else { return [(path.joined(separator: " "), command)] }
        return command.subcommands.flatMap { leaves(of: $0, below: path) }
    }

    /// A data folder, and what stands for ids in the examples.
    private func target() async throws -> (folder: Folder, ids: [String: String]) {
        let folder = try Folder()
        try folder.write(Self.configuration, to: "configuration.json")
        try folder.write(String(repeating: "s", count: 40) + "\n", to: "secret.txt")
        try folder.write(#"{ "password": "correct horse battery staple" }"#, to: "password.json")
        let provider = """
            { "name": "smtp", "default_from_address": "a@b.example", "credentials": { "smtp_host": "127.0.0.1" } }
            """
        try folder.write(provider, to: "provider.json")
        try folder.write("<p>{{ url }}</p>", to: "approval.html")
        try folder.write("Subject: no report\n\n", to: "report.eml")
        let vectors = try JSONReader.parse(try Self.document("docs/receipts/vectors.json"))
        try folder.write(JSONWriter.string(try vectors["jwks"].orThrow("no keys")), to: "jwks.json")
        let receipt = vectors["vectors"]?[0]?["receipt"]?.stringValue
        try folder.write(try receipt.orThrow("no receipt"), to: "receipt.jwt")
        try Data(Base64.decode(KeyFiles.current).orThrow("no file")).write(to: folder.url.appending(path: "push.p12"))
        let keys = try await run(
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
        let made = try await run(
            """
            \(Self.keyPair)
            countersign apply configuration.json
            countersign keys rotate
            countersign mail provider set --file provider.json
            countersign push set fcm service-account.json
            countersign mail template set async_approval --body approval.html
            countersign client credential add \(Self.client) --public-key agent.pub
            """, in: folder)
        #expect(made.status == 0, "\(made.errors)")
        let head = try await json("log verify", in: folder)["head"]?.stringValue
        try folder.write(try head.orThrow("no head"), to: "head")
        #expect(try await run("countersign backup copy.db", in: folder).status == 0)
        let key = try await json("keys list", in: folder)[0]?["kid"]?.stringValue
        let credential = try await json("client credential list \(Self.client)", in: folder)[0]?["id"]?.stringValue
        return (
            folder,
            [
                "oF6p-nCF8v1_eqO0Ck-3Yg": try key.orThrow("no key"),
                "cred_t4QxL0y3Yw9RkZ2mB7dNcA": try credential.orThrow("no credential"),
            ]
        )
    }

    private func json(_ command: String, in folder: Folder) async throws -> JSONValue {
        try JSONReader.parse(try await run("countersign \(command) --json", in: folder).output)
    }

    private func run(
        _ script: String, _ ids: [String: String] = [:], in folder: Folder
    ) async throws -> Program.Result {
        let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        let script = ids.reduce(script) { $0.replacing($1.key, with: $1.value) }
        return try await Program.run(
            ["-ec", script], of: "bash", in: folder.url, environment: ["PATH": "\(programs):/usr/bin:/bin"])
    }

    private func copy(_ folder: Folder) throws -> Folder {
        let copy = try Folder()
        try FileManager.default.removeItem(at: copy.url)
        try FileManager.default.copyItem(at: folder.url, to: copy.url)
        return copy
    }

    @Test("Every command's --help has an example of that command")
    func every() {
        for (name, command) in Self.leaves(of: .countersign, below: []) {
            #expect(!command.examples.isEmpty, "\(name)")
            for example in command.examples { #expect(example.line.contains(name), "\(example.line)") }
        }
    }

    @Test("Examples that work on a data folder run and do what they say")
    func folderCommands() async throws {
        let (folder, ids) = try await target()
        let elsewhere = ["serve", "ask", "login", "device", "doctor", "log tail --follow"].map { "countersign \($0)" }
        for line in Self.lines where !elsewhere.contains(where: { line.text.contains($0) }) {
            // The rule for a shell's start applies to the rest.
            guard !line.text.contains("zsh"), !line.text.contains("fish") else { continue }
            let result = try await run(line.text, ids, in: copy(folder))
            switch line.command {
            case let name where name.hasSuffix("delete") && !line.text.contains("--yes"):
                #expect(result.status == 1 && result.errors.contains("--yes"), "\(line.text): \(result.errors)")
            case "countersign consents revoke",
                "countersign consents" where line.text.contains("revoke"):
                #expect(result.errors.contains("has no such consent"), "\(line.text): \(result.errors)")
            case let name where name.hasPrefix("countersign receipt") && line.text.contains("show"):
                #expect(result.errors.contains("keeps no decision of"), "\(line.text): \(result.errors)")
            case "countersign mail provider check":
                #expect(result.output.contains("is not allowed: it is not public"), "\(line.text): \(result.output)")
            case let name where name.hasPrefix("countersign push") && line.text.contains("--device"):
                #expect(result.errors.contains("has no device"), "\(line.text): \(result.errors)")
            // There is no way to Google from here.
            case let name where name.hasPrefix("countersign push") && line.text.contains("push check"):
                #expect(result.status == 1 && result.output.contains("FCM"), "\(line.text)")
            case "countersign log archive":
                #expect(result.errors.contains("no entries that old"), "\(line.text): \(result.errors)")
            case "countersign log verify" where line.text.contains("--archive"):
                #expect(result.errors.contains("cannot open audit-2024.ndjson"), "\(line.text): \(result.errors)")
            case "countersign backup" where !line.text.contains("--force"):
                #expect(result.errors.contains("copy.db already exists"), "\(line.text): \(result.errors)")
            default: #expect(result.status == 0, "\(line.text): \(result.errors)")
            }
        }
    }

    @Test("Examples that need a server parse")
    func understood() async throws {
        let folder = try Folder()
        let remote = ["serve", "ask", "login", "doctor", "log tail --follow"].map { "countersign \($0)" }
        for line in Self.lines where remote.contains(where: { line.text.contains($0) }) {
            let help = #"countersign() { command countersign "$@" --help; }; jq() { cat; }"#
            let result = try await run("\(help)\n\(line.text)", in: folder)
            #expect(result.status == 0, "\(line.text): \(result.errors)")
        }
    }

    @Test("Examples about phones run with an enrolled phone")
    func devices() async throws {
        let server = try await serverWithPhone()
        let id = try await json("device list --user '\(Self.user)'", in: server.folder)[0]?["id"]?.stringValue
        let ids = ["auth0|65f0": Self.user, "dev_D4YdLqbfYlp4Ttx7": try id.orThrow("no device")]
        let lines = Self.lines.filter { $0.command.hasPrefix("countersign device ") }
        #expect(lines.last?.text.contains("remove") == true)
        for line in lines {
            let result = try await run(line.text, ids, in: server.folder)
            #expect(result.status == 0, "\(line.text): \(result.errors)")
        }
        #expect(await server.stop() == 0)
    }

    @Test("The commands of README.md, pasted, ask and log in beside a development server")
    func readme() async throws {
        let commands = Self.shellBlocks(of: try Self.document("README.md")).filter { $0.contains("countersign ") }
            .map { $0.replacing(".build/release/", with: "") }
        #expect(commands.count == 2)
        let server = try await serverWithPhone()
        let allowed = try await run("\(Self.phone)\nguardian allow --wait 30s >&2 &\n\(commands[0])", in: server.folder)
        #expect(allowed.status == 0 && allowed.output.split(separator: ".").count == 3, "\(allowed.errors)")
        // Nobody logs in: what the browser was sent to is the page, and not an error.
        let opened = try await run(
            """
            printf '#!/bin/sh\nexec curl -sSLb "" -o /dev/null -w "%%{http_code} %%{url_effective}" \
                --cacert countersign-data/tls/ca.pem "$1" >opened' >browser
            chmod +x browser
            export BROWSER=$PWD/browser
            \(commands[1]) --timeout 3s || status=$?
            cat opened
            exit $status
            """, in: server.folder)
        #expect(opened.status == 4, "\(opened.errors)")
        #expect(opened.output.contains("200 \(server.issuer)u/login"), "\(opened.output)")
        #expect(await server.stop() == 0)
    }

    private static let user = "auth0|48616e6e6120486572776974"
    private static let phone = "export GUARDIAN_CA=countersign-data/tls/ca.pem GUARDIAN_STORE=phone.json"

    private func serverWithPhone() async throws -> RunningServer {
        let server = try await RunningServer(in: Folder())
        let enrolled = try await run(
            "\(Self.phone)\nguardian enroll \"$(countersign device ticket --user '\(Self.user)')\"", in: server.folder)
        #expect(enrolled.status == 0, "\(enrolled.errors)")
        return server
    }

    private static func document(_ path: String) throws -> String {
        let repository = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: repository.appending(path: path), encoding: .utf8)
    }

    private static func shellBlocks(of text: String) -> [String] {
        text.components(separatedBy: "```sh\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
    }

    @Test("The commands of docs/cli.md that work on a data folder run in order and do what it says")
    func document() async throws {
        let text = try Self.document("docs/cli.md")
        let (folder, ids) = try await target()
        let sections = text.split(separator: "\n## ").dropFirst()
        for name in ["apply", "tenant, user, client, api, role", "keys", "receipt", "backup, restore", "completions"] {
            let section = try sections.first { $0.hasPrefix("\(name)\n") }.orThrow("no section \(name)")
            let blocks = Self.shellBlocks(of: String(section))
            #expect(!blocks.isEmpty, "\(name)")
            for block in blocks {
                let result = try await run(block, ids, in: copy(folder))
                #expect(result.status == 0, "\(block): \(result.errors)")
            }
        }
    }
}
