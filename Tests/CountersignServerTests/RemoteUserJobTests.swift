import Foundation
import Primitives
import TestSupport
import Testing

@Suite("countersign user import and export --server")
struct RemoteUserJobTests {
    private let server: RemoteServer
    /// The data folder of the same examples, without a server.
    private let home: Folder

    init() async throws {
        let example = try await ExampleFolder()
        server = try await RemoteServer(example)
        home = try example.copy()
    }

    /// The same command at the server and in the data folder.
    private func both(_ arguments: String...) async throws -> (home: Program.Result, remote: Program.Result) {
        (try await Program.run(arguments, in: home.url), try await server.run(arguments))
    }

    private func write(_ text: String, to name: String) throws {
        try home.write(text, to: name)
        try server.folder.write(text, to: name)
    }

    @Test("A file of more than one request has the same output and the same places of errors as at home")
    func large() async throws {
        let note = String(repeating: "n", count: 900)
        var users = (0..<1_200).map {
            #"{"user_id":"u\#($0)","email":"u\#($0)@shop.example","user_metadata":{"note":"\#(note)"}}"#
        }
        users[3] = #"{"email":"no address","password_hash":"x"}"#
        users[4] = "4711"
        users[900] = users[7]
        users[1_100] = users[1_000]
        users[1_199] = #"{"email":"u1@shop.example"}"#
        try write("[\(users.joined(separator: ",\n"))]", to: "many.json")
        for options in [[], ["--upsert"]] {
            for format in [[], ["--json"]] {
                let arguments = ["user", "import", "many.json"] + options + format
                let here = try await Program.run(arguments, in: home.url)
                let there = try await server.run(arguments)
                #expect(here.status == 0 && there.status == 0, "\(here.errors) \(there.errors)")
                #expect(here.output == there.output, "\(options)")
            }
        }
        let ids = try await both("user", "export", "--fields", "user_id,email")
        let lines = ids.remote.output.split(separator: "\n")
        #expect(lines.count > 1_190 && lines == ids.home.output.split(separator: "\n"), "\(ids.remote.errors)")
        await server.stop()
    }

    @Test("An export of several parts, as a table, of a connection and with a limit is the same as at home")
    func exports() async throws {
        let users = (0..<250).map { #"{"user_id":"u\#($0)","email":"u\#($0)@shop.example"}"# }
        try write(users.joined(separator: "\n"), to: "many.json")
        let done = try await both("user", "import", "many.json")
        #expect(done.home.output == done.remote.output && done.remote.output.hasPrefix("250 added"))
        for options in [
            ["--format", "csv", "--fields", "user_id,email"], ["--limit", "7", "--fields", "user_id"],
            ["--connection", "Username-Password-Authentication", "--fields", "email"],
        ] {
            let here = try await Program.run(["user", "export"] + options, in: home.url)
            let there = try await server.run(["user", "export"] + options)
            #expect(there.status == 0 && !there.output.isEmpty && here.output == there.output, "\(there.errors)")
        }
        await server.stop()
    }

    @Test("Refusals are the same as at home, and a trial is the data folder's")
    func refusals() async throws {
        try write("{", to: "wrong.json")
        for result in [
            try await both("user", "import", "wrong.json"), try await both("user", "export", "--connection", "none"),
        ] {
            #expect(result.remote.status == 1 && result.home.status == 1)
            #expect(result.remote.errors == result.home.errors && !result.home.errors.isEmpty)
        }
        let trial = try await server.run(["user", "import", "users.json", "--dry-run"])
        #expect(trial.status == 2 && trial.errors.contains("exclude each other"), "\(trial.errors)")
        await server.stop()
    }
}
