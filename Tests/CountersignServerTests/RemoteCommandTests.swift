@testable import CountersignCommand
import Foundation
import Primitives
@testable import Terminal
import TestSupport
import Testing

/// The same commands on a data folder and at a server, with the same output.
@Suite("countersign --server")
struct RemoteCommandTests {
    /// Examples of commands that can work at a server.
    private static var lines: [ExampleFolder.Line] {
        let remote = Set(ExampleFolder.leaves.filter { isRemote($0.command) }.map(\.name))
        return ExampleFolder.lines.filter { line in
            remote.contains { line.text.contains($0) }
                // They need a person, a data folder or another server.
                && !["--follow", "--create", "--all-tenants", "--server", "--tenant"].contains {
                    line.text.contains($0)
                }
        }
    }

    private static func isRemote(_ command: Command) -> Bool {
        command.declarations.contains { $0.name == "server" }
    }

    /// Commands that change nothing.
    private static let reading = [
        "list", "show", "members", "grants", "search", "blocks", "deliveries", "types", "--print", "--dry-run", "tail",
    ]

    /// Generated values are alike if both are generated.
    private static func alike(_ text: String) -> String {
        text.replacing(#/\d{4}-\d\d-\d\dT[0-9:.]+Z/#, with: "DATE").replacing(#/[A-Za-z0-9_\-]{16,}/#, with: "ID")
            .replacing(#/localhost:\d+|id\.shop\.example/#, with: "HOST").replacing(#/ +/#, with: " ")
    }

    @Test("Every example that only reads has the same output at the server as in its data folder")
    func reading() async throws {
        let server = try await RemoteServer(try await ExampleFolder())
        var count = 0
        for line in Self.lines where Self.reading.contains(where: { line.text.contains(" \($0)") }) {
            // The file's host is not the server's, and an import is tried beside the data folder alone.
            guard !line.text.contains("apply configuration.json"), !line.text.contains("user import") else { continue }
            let home = try await server.home(line.text)
            let remote = try await server.remote(line.text)
            #expect(home.status == remote.status, "\(line.text): \(home.errors) \(remote.errors)")
            #expect(home.output == remote.output, "\(line.text): \(remote.errors)")
            count += 1
        }
        #expect(count > 20)
        await server.stop()
    }

    @Test("Every example that changes something does the same at the server as in a data folder")
    func changing() async throws {
        let example = try await ExampleFolder()
        let server = try await RemoteServer(example)
        let folder = try example.copy()
        var count = 0
        for line in Self.lines where !Self.reading.contains(where: { line.text.contains(" \($0)") }) {
            // The file's host is not the server's.
            guard !line.text.contains("apply") else { continue }
            let home = try await ExampleFolder.run(line.text, example.ids, in: folder)
            let remote = try await server.remote(line.text)
            #expect(home.status == remote.status, "\(line.text): \(home.errors) \(remote.errors)")
            // New users have other ids there, and so another order.
            let isList = line.text.contains("user export")
            let outputs = [home.output, remote.output].map { output in
                let lines = Self.alike(output).split(separator: "\n")
                return isList ? lines.sorted() : lines
            }
            #expect(outputs[0] == outputs[1], "\(line.text)")
            count += 1
        }
        #expect(count > 30)
        let log = try await server.home("countersign log list --client ci --json --limit 200")
        #expect((try JSONReader.parse(log.output).arrayValue?.count ?? 0) > count, "\(log.errors)")
        await server.stop()
    }

    @Test("Every command works at a server, or says in one sentence why not, before its name and behind it")
    func refusals() async throws {
        let folder = try Folder()
        var refused: [String] = []
        for (name, command) in ExampleFolder.leaves where !Self.isRemote(command) {
            let words = name.split(separator: " ").dropFirst().map(String.init)
            let options = ["--server", "https://id.shop.example"]
            for arguments in [options + words, words + options] {
                let result = try await Program.run(arguments, in: folder.url)
                #expect(result.status != 0, "\(name)")
                #expect(result.errors.contains("\(name) does not take --server"), "\(name): \(result.errors)")
                #expect(result.output.isEmpty, "\(name)")
            }
            refused.append(name)
        }
        for name in ["serve", "backup", "restore", "key-exchange", "store copy", "export", "import", "log verify"] {
            #expect(refused.contains("countersign \(name)"), "\(name)")
        }
        let verify = try await Program.run(["log", "verify", "--server", "https://id.shop.example"], in: folder.url)
        #expect(verify.errors.contains("on a backup"), "\(verify.errors)")
        for name in [
            "apply", "user list", "user import", "user export", "device invite", "client grant", "keys rotate",
            "log list", "device ticket", "push set apns",
        ] {
            #expect(!refused.contains("countersign \(name)"), "\(name)")
        }
        #expect(!folder.exists("countersign-data"))
    }

    @Test("The command line counts more than a variable, and contradictions are refused")
    func precedence() async throws {
        let server = try await RemoteServer(try await ExampleFolder())
        await server.stop()
        // The server is gone, so this is the data folder.
        let here = try await server.run(["role", "list", "--data", "countersign-data"])
        #expect(here.status == 0, "\(here.errors)")
        for options in [["--data", "countersign-data"], ["--tenant", "shop"]] {
            let both = try await server.run(["role", "list", "--server", server.url] + options)
            #expect(both.status == 2 && both.errors.contains("exclude each other"), "\(both.errors)")
        }
        let gone = try await server.run(["role", "list"])
        #expect(gone.status == 1 && gone.errors.contains("is the server running?"), "\(gone.errors)")
        let nobody = try await Program.run(["--server", server.url, "role", "list"], in: server.folder.url)
        #expect(nobody.status == 2 && nobody.errors.contains("--client-id is required"), "\(nobody.errors)")
        let open = try await Program.run(
            ["--server", server.url, "--client", "ci", "role", "list"], in: server.folder.url)
        #expect(open.status == 2 && open.errors.contains("secret is missing"), "\(open.errors)")
    }
}
