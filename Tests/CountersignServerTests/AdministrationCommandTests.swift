import Foundation
import Primitives
import TestSupport
import Testing

@Suite("countersign tenant, user, role, device, log and completions")
struct AdministrationCommandTests {
    private static let configuration = """
        { "tenants": [ { "id": "acme", "name": "Acme", "host": "acme.example.com",
          "apis": [ { "identifier": "https://api.acme.example", "scopes": [ { "value": "pay" } ] } ] } ] }
        """

    private func folder() async throws -> Folder {
        let folder = try Folder()
        try folder.write(Self.configuration, to: "acme.json")
        #expect(try await Program.run(["apply", "acme.json"], in: folder.url).status == 0)
        return folder
    }

    private func json(_ arguments: [String], in folder: Folder) async throws -> JSONValue {
        let result = try await Program.run(arguments + ["--json"], in: folder.url)
        #expect(result.status == 0, "\(arguments): \(result.errors)")
        return try JSONReader.parse(result.output)
    }

    @Test("A user is made, found, changed and deleted, and the log names who did it")
    func users() async throws {
        let folder = try await folder()
        let made = try await json(
            ["user", "create", "--email", "Ann@Acme.example", "--set", #"app_metadata={"plan":"pro"}"#], in: folder)
        let id = try (made["user_id"]?.stringValue).orThrow("no id")
        #expect(made["email"] == "ann@acme.example")
        let found = try await json(["user", "search", "app_metadata.plan:pro"], in: folder)
        #expect(found[0]?["user_id"] == .string(id))
        #expect(try await json(["user", "update", id, "--set", "blocked=true"], in: folder)["blocked"] == true)
        let wrong = try await Program.run(["user", "search", "name:(a"], in: folder.url)
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("at 5"), "\(wrong.errors)")
        #expect(try await json(["user", "delete", id, "--yes"], in: folder)["deleted"] == .string(id))
        #expect(try await Program.run(["user", "show", id], in: folder.url).errors.contains("no such user"))
        let log = try await Program.run(["log", "list"], in: folder.url)
        #expect(log.output.contains(NSUserName()) && log.output.contains("user \(id)"), "\(log.output)")
        #expect(try await Program.run(["log", "verify"], in: folder.url).status == 0)
    }

    @Test("A role permits scopes of APIs alone, and is given to users")
    func roles() async throws {
        let folder = try await folder()
        let role = try await json(["role", "create", "--name", "Payments"], in: folder)
        let id = try (role["id"]?.stringValue).orThrow("no id")
        let api = ["--api", "https://api.acme.example"]
        let permitted = try await json(["role", "permit", id, "--scope", "pay"] + api, in: folder)
        #expect(permitted["permissions"]?[0]?["permission_name"] == "pay")
        let wrong = try await Program.run(["role", "permit", id, "--scope", "fly"] + api, in: folder.url)
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("fly is no scope"), "\(wrong.errors)")
        let user = try await json(["user", "create", "--email", "bob@acme.example"], in: folder)
        let userID = try (user["user_id"]?.stringValue).orThrow("no id")
        #expect(try await Program.run(["role", "assign", id, "--user", userID], in: folder.url).status == 0)
        let nothing = try await Program.run(["role", "update", id], in: folder.url)
        #expect(nothing.status == 2)
        #expect(nothing.errors.contains("hint: for example --set"))
    }

    @Test("A tenant is made with keys, changed, and deleted only when that is meant")
    func tenants() async throws {
        let folder = try await folder()
        let arguments = ["tenant", "create", "--id", "two", "--name", "Two", "--host", "two.example"]
        #expect(try await json(arguments, in: folder)["host"] == "two.example")
        #expect(try await Program.run(arguments, in: folder.url).errors.contains("there is a tenant two already"))
        #expect(try await json(["keys", "list", "--tenant", "two"], in: folder).arrayValue?.count == 2)
        let changed = try await json(
            ["tenant", "update", "two", "--set", #"settings={"poll_interval":2}"#], in: folder)
        #expect(changed["settings"]?["poll_interval"] == 2)
        #expect(changed["settings"]?["pending_requests_per_user"] == 20)
        let taken = try await Program.run(["tenant", "update", "two", "--host", "acme.example.com"], in: folder.url)
        #expect(taken.errors.contains("belongs to the tenant acme"), "\(taken.errors)")
        #expect(try await Program.run(["tenant", "delete", "two"], in: folder.url).status == 1)
        #expect(try await Program.run(["tenant", "delete", "two", "--yes"], in: folder.url).status == 0)
        #expect(try await json(["tenant", "list"], in: folder).arrayValue?.count == 1)
    }

    @Test("A document is read from a file, and what is wrong with it is told")
    func files() async throws {
        let folder = try await folder()
        try folder.write(#"{"email": "cy@acme.example", "name": "Cy"}"#, to: "user.json")
        #expect(
            try await json(["user", "create", "--file", "user.json", "--name", "Cyd"], in: folder)["name"] == "Cyd")
        try folder.write("[1]", to: "list.json")
        let list = try await Program.run(["user", "create", "-f", "list.json"], in: folder.url)
        #expect(list.errors.contains("list.json holds no JSON object"))
        try folder.write("{", to: "broken.json")
        #expect(try await Program.run(["user", "create", "-f", "broken.json"], in: folder.url).status == 1)
        let unknown = try await Program.run(["user", "create", "--set", "emial=a@b.c"], in: folder.url)
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("emial"), "\(unknown.errors)")
    }

    @Test("bash takes the completions, and completes commands, options and choices")
    func completions() async throws {
        let folder = try await folder()
        let script = try await Program.run(["completions", "bash"], in: folder.url)
        try folder.write(script.output, to: "completions.bash")
        func complete(_ words: [String]) throws -> [String] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            let list = words.map { "'\($0)'" }.joined(separator: " ")
            process.arguments = [
                "-c",
                """
                source completions.bash
                COMP_WORDS=(countersign \(list)); COMP_CWORD=\(words.count)
                _countersign; echo "${COMPREPLY[@]}"
                """,
            ]
            process.currentDirectoryURL = folder.url
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: data, as: UTF8.self).split { $0 == " " || $0 == "\n" }.map(String.init)
        }
        #expect(try complete(["us"]) == ["user"])
        #expect(try complete(["role", "per"]) == ["permit"])
        #expect(try complete(["role", "permit", "x", "--sc"]) == ["--scope"])
        #expect(try complete(["keys", "rotate", "--algorithm", "ES"]) == ["ES256"])
        let zsh = try await Program.run(["completions", "zsh"], in: folder.url)
        #expect(zsh.output.hasPrefix("autoload -U +X bashcompinit"))
    }
}
