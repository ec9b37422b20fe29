import Foundation
import Primitives
import TestSupport
import Testing

@Suite("countersign apply --server")
struct RemoteApplyTests {
    private func file(_ server: RemoteServer, _ change: (inout JSONObject) -> Void = { _ in }) throws -> String {
        var tenant: JSONObject = [
            "id": "shop", "name": "Example Shop", "host": .string(String(server.url.dropFirst(8))),
            "settings": ["management_requests_per_minute": 100_000],
            "apis": [
                ["identifier": "https://api.example.com/", "scopes": [["value": "payments:make"], ["value": "read"]]]
            ],
            "users": [["user_id": "auth0|new", "email": "new@shop.example", "password": ["env": "NEW_PASSWORD"]]],
            "clients": [
                [
                    "client_id": "agent", "name": "Agent", "client_secret": ["file": "secret.txt"],
                    "grant_types": ["urn:openid:params:grant-type:ciba"],
                ]
            ],
            "email_templates": ["async_approval": ["body": ["file": "approval.html"]]],
        ]
        change(&tenant)
        return JSONWriter.string(["tenants": [.object(tenant)]])
    }

    private static let password = ["NEW_PASSWORD": "wide river under snow"]

    @Test("A file with secrets in files and variables is shown, applied, and changes nothing the second time")
    func apply() async throws {
        let server = try await RemoteServer(try await ExampleFolder())
        try server.folder.write(try file(server), to: "shop.json")
        func apply(_ options: String...) async throws -> JSONValue {
            let result = try await server.run(["apply", "shop.json", "--json"] + options, environment: Self.password)
            #expect(result.status == 0, "\(result.errors)")
            return try JSONReader.parse(result.output)
        }
        let shown = try await apply("--dry-run")
        #expect(shown.arrayValue?.contains { $0["kind"] == "client" && $0["action"] == "created" } == true)
        #expect(try await server.run(["client", "show", "agent"]).status == 1)
        #expect(try await apply() == shown)
        #expect(try await server.run(["client", "show", "agent"]).status == 0)
        let again = try await apply().arrayValue ?? []
        #expect(!again.isEmpty && again.allSatisfy { $0["action"] == "unchanged" }, "\(again)")
        let home = try await Program.run(
            ["apply", "shop.json", "--json"], in: server.folder.url, environment: Self.password)
        #expect(try JSONReader.parse(home.output).arrayValue == again, "\(home.errors)")
        let printed = try await server.run(["apply", "--print"])
        let local = try await Program.run(["apply", "--print"], in: server.folder.url)
        #expect(printed.output == local.output)
        let log = try await Program.run(
            ["log", "list", "--type", "configuration_applied", "--json"], in: server.folder.url)
        #expect(try JSONReader.parse(log.output)[0]?["client_id"] == "ci", "\(log.output)")
        await server.stop()
    }

    @Test("--prune removes what the file does not name")
    func prune() async throws {
        let server = try await RemoteServer(try await ExampleFolder())
        try server.folder.write(try file(server), to: "shop.json")
        let pruned = try await server.run(["apply", "shop.json", "--prune", "--json"], environment: Self.password)
        #expect(pruned.status == 0, "\(pruned.errors)")
        let removed = try JSONReader.parse(pruned.output).arrayValue?.filter { $0["action"] == "removed" } ?? []
        let kinds: [String] = removed.compactMap { $0["kind"]?.stringValue }
        #expect(kinds.contains("client") && kinds.contains("role"), "\(removed)")
        // The client that applied the file was not in it.
        let gone = try await server.run(["role", "list"])
        #expect(gone.status == 1 && gone.errors.contains("the client's id"), "\(gone.errors)")
        await server.stop()
    }

    @Test("Errors have the same lines as at home, and what is the operator's is refused")
    func errors() async throws {
        let server = try await RemoteServer(try await ExampleFolder())
        func both(_ change: (inout JSONObject) -> Void) async throws -> (home: Program.Result, remote: Program.Result) {
            try server.folder.write(try file(server, change), to: "wrong.json")
            return (
                try await Program.run(["apply", "wrong.json"], in: server.folder.url, environment: Self.password),
                try await server.run(["apply", "wrong.json"], environment: Self.password)
            )
        }
        let malformed = try await both { $0["apis"] = [["identifier": 4711]] }
        #expect(malformed.home.status == 1 && malformed.remote.errors == malformed.home.errors)
        // Only the store knows that address.
        let taken = try await both {
            $0["users"] = [["user_id": "auth0|other", "email": "han@shop.example"]]
        }
        #expect(taken.home.errors.contains("wrong.json:1:"), "\(taken.home.errors)")
        #expect(taken.remote.status == 1 && taken.remote.errors == taken.home.errors, "\(taken.remote.errors)")
        for (reason, change): (String, (inout JSONObject) -> Void) in [
            ("server's operator", { $0["host"] = "elsewhere.example" }),
            ("custom_domains", { $0["custom_domains"] = ["login.elsewhere.example"] }),
            ("the tenant shop alone", { $0["id"] = "other" }),
        ] {
            try server.folder.write(try file(server, change), to: "wrong.json")
            let refused = try await server.run(["apply", "wrong.json"], environment: Self.password)
            #expect(refused.status == 1 && refused.errors.contains(reason), "\(refused.errors)")
            #expect(refused.errors.contains("Nothing was changed."))
        }
        await server.stop()
    }

    @Test("A client without every scope may not apply a file, and is told which are missing")
    func scopes() async throws {
        let server = try await RemoteServer(
            try await ExampleFolder(), scopes: ["read:clients", "update:clients", "read:roles"])
        try server.folder.write(try file(server), to: "shop.json")
        let refused = try await server.run(["apply", "shop.json", "--dry-run"], environment: Self.password)
        #expect(refused.status == 1 && refused.errors.contains("read:connections"), "\(refused.errors)")
        #expect(refused.errors.contains("countersign client grant ci"), "\(refused.errors)")
        let users = try await server.run(["user", "list"])
        #expect(users.status == 1 && users.errors.contains("read:users"), "\(users.errors)")
        #expect(try await server.run(["client", "list"]).status == 0)
        await server.stop()
    }

    @Test("A client that reads shows the changes but no secrets, and the version that it notes is what is applied to")
    func plan() async throws {
        let server = try await RemoteServer(try await ExampleFolder(), scopes: RemoteServer.reading)
        try server.folder.write(try file(server), to: "shop.json")
        func home(_ options: String...) async throws -> Program.Result {
            try await Program.run(["apply", "shop.json"] + options, in: server.folder.url, environment: Self.password)
        }
        func plan(_ options: String...) async throws -> Program.Result {
            try await server.run(
                ["apply", "shop.json", "--dry-run"] + options, environment: ["NEW_PASSWORD": "narrow river under snow"])
        }
        let shown = try await plan("--version-file", "version")
        #expect(shown.status == 0 && shown.output.contains("client agent"), "\(shown.errors)")
        #expect(try await home("--version-file", "version").status == 0)
        let late = try await home("--version-file", "version")
        #expect(late.status == 1 && late.errors.contains("changed since"), "\(late.errors)")
        let again = try await plan()
        #expect(again.output.contains("0 would change") && again.errors.contains("not compared"), "\(again.output)")
        let refused = try await server.run(["apply", "shop.json"], environment: Self.password)
        #expect(refused.status == 1 && refused.errors.contains("update:clients"), "\(refused.errors)")
        let torn = try await home("--version-file", "secret.txt")
        #expect(torn.status == 1 && torn.errors.contains("has no version"), "\(torn.errors)")
        await server.stop()
    }

    @Test("A server applies the first of two files for one version")
    func versions() async throws {
        let server = try await RemoteServer(try await ExampleFolder())
        try server.folder.write(try file(server), to: "shop.json")
        let options = ["apply", "shop.json", "--version-file", "version"]
        #expect(try await server.run(options + ["--dry-run"], environment: Self.password).status == 0)
        #expect(try await server.run(options, environment: Self.password).status == 0)
        let late = try await server.run(options, environment: Self.password)
        #expect(late.status == 1 && late.errors.contains("changed since"), "\(late.errors)")
        #expect(late.errors.contains("--version-file"))
        await server.stop()
    }

    /// Command lines in the pipelines of the document.
    private func pipelines() throws -> [String] {
        try ExampleFolder.document("docs/remote.md").split(separator: "\n").compactMap { line in
            let line = line.trimmingCharacters(in: .whitespaces)
            for start in ["run: ", "- "] where line.hasPrefix(start) && line.contains("countersign apply ") {
                return String(line.dropFirst(start.count))
            }
            return nil
        }
    }

    @Test("The command lines of the pipelines in docs/remote.md run, with a secret and with a key")
    func document() async throws {
        let server = try await RemoteServer(try await ExampleFolder())
        let made = try await server.home(
            """
            mkdir countersign
            openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ci.pem
            openssl pkey -in ci.pem -pubout -out ci.pub
            """)
        #expect(made.status == 0, "\(made.errors)")
        try server.folder.write(try file(server) { $0["users"] = nil }, to: "countersign/configuration.json")
        for name in ["secret.txt", "approval.html"] {
            #expect(try await server.home("cp \(name) countersign/").status == 0)
        }
        let lines = try pipelines()
        #expect(lines.count == 6 && lines.contains { $0.contains("--dry-run") })
        for line in lines where !line.contains("KEY") {
            let result = try await server.remote(line)
            #expect(result.status == 0, "\(line): \(result.errors)")
        }
        let used = try await server.home("countersign client credential add ci --public-key ci.pub --use")
        #expect(used.status == 0, "\(used.errors)")
        #expect(try await server.remote("sleep 3; countersign role list").status == 1)
        for line in lines where line.contains("KEY") {
            let keyed = try await server.remote(
                """
                unset COUNTERSIGN_CLIENT_SECRET HOME
                export HOME=$PWD KEY="$(cat ci.pem)" COUNTERSIGN_PLAN_KEY=ci.pem COUNTERSIGN_APPLY_KEY=ci.pem
                \(line)
                """)
            #expect(keyed.status == 0, "\(line): \(keyed.errors)")
        }
        await server.stop()
    }
}
