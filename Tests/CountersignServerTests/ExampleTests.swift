@testable import CountersignCommand
import Foundation
import Primitives
@testable import Terminal
import TestSupport
import Testing

@Suite("The examples of --help, of README.md and of docs/cli.md")
struct ExampleTests {
    private func run(
        _ script: String, _ ids: [String: String] = [:], in folder: Folder
    ) async throws -> Program.Result {
        try await ExampleFolder.run(script, ids, in: folder)
    }

    @Test("Every command's --help has an example of that command")
    func every() {
        for (name, command) in ExampleFolder.leaves {
            #expect(!command.examples.isEmpty, "\(name)")
            for example in command.examples { #expect(example.line.contains(name), "\(example.line)") }
        }
    }

    @Test("Examples that work on a data folder run and do what they say")
    func folderCommands() async throws {
        let target = try await ExampleFolder()
        let elsewhere =
            ["serve", "ask", "login", "gate", "device", "doctor", "healthcheck", "log tail --follow"].map {
                "countersign \($0)"
            } + ["--server "]
        for line in ExampleFolder.lines where !elsewhere.contains(where: { line.text.contains($0) }) {
            // The rule for a shell's start applies to the rest.
            guard !line.text.contains("zsh"), !line.text.contains("fish") else { continue }
            let result = try await target.run(line, in: target.copy())
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
            case let name where name.hasPrefix("countersign store") && line.text.contains("postgres"):
                #expect(result.errors.contains("server cannot be used"), "\(line.text): \(result.errors)")
            case "countersign export" where line.text.contains("--output"):
                #expect(result.errors.contains("shop.ndjson already exists"), "\(line.text): \(result.errors)")
            case "countersign import" where line.text.contains("--dry-run"):
                #expect(result.errors.contains("there is a tenant shop already"), "\(line.text): \(result.errors)")
            case "countersign backup" where !line.text.contains("--force"):
                #expect(result.errors.contains("copy.db already exists"), "\(line.text): \(result.errors)")
            default: #expect(result.status == 0, "\(line.text): \(result.errors)")
            }
        }
    }

    @Test("Examples that need a server parse")
    func understood() async throws {
        let folder = try Folder()
        let remote =
            ["serve", "ask", "login", "gate", "doctor", "log tail --follow"].map { "countersign \($0)" } + ["--server "]
        for line in ExampleFolder.lines where remote.contains(where: { line.text.contains($0) }) {
            let help = #"countersign() { command countersign "$@" --help; }; jq() { cat; }"#
            let result = try await run("\(help)\n\(line.text)", in: folder)
            #expect(result.status == 0, "\(line.text): \(result.errors)")
        }
    }

    @Test("Examples about phones run with an enrolled phone")
    func devices() async throws {
        let server = try await serverWithPhone()
        let id = try await ExampleFolder.json("device list --user '\(Self.user)'", in: server.folder)[0]?["id"]?
            .stringValue
        let ids = ["auth0|65f0": Self.user, "dev_D4YdLqbfYlp4Ttx7": try id.orThrow("no device")]
        let lines = ExampleFolder.lines.filter { $0.command.hasPrefix("countersign device ") }
        #expect(lines.last?.text.contains("reset") == true)
        for line in lines {
            let result = try await run(line.text, ids, in: server.folder)
            #expect(result.status == 0, "\(line.text): \(result.errors)")
        }
        #expect(await server.stop() == 0)
    }

    @Test("The commands of README.md, pasted, ask and log in beside a development server")
    func readme() async throws {
        let commands = Self.shellBlocks(of: try ExampleFolder.document("README.md")).filter {
            $0.contains("countersign ")
        }
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

    private static func shellBlocks(of text: String) -> [String] {
        text.components(separatedBy: "```sh\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
    }

    @Test("The commands of docs/cli.md that work on a data folder run in order and do what it says")
    func document() async throws {
        let text = try ExampleFolder.document("docs/cli.md")
        let target = try await ExampleFolder()
        let sections = text.split(separator: "\n## ").dropFirst()
        for name in [
            "apply", "tenant, user, client, api, role", "keys", "receipt", "backup, restore", "store copy",
            "export, import", "completions",
        ] {
            let section = try sections.first { $0.hasPrefix("\(name)\n") }.orThrow("no section \(name)")
            let blocks = Self.shellBlocks(of: String(section))
            #expect(!blocks.isEmpty, "\(name)")
            for block in blocks {
                let result = try await run(block, target.ids, in: target.copy())
                #expect(result.status == 0, "\(block): \(result.errors)")
            }
        }
    }
}
