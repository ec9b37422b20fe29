import Foundation
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    @Suite("docs/login.md") struct LoginDocumentTests {
        @Test("The document's configuration applies, and its commands run in order and do what it says")
        func commands() async throws {
            let document = try Self.document()
            let configuration = try #require(Self.blocks("json", of: document).first)
            let server = try await TestServer.start(environment: ["GITHUB_SECRET": "a-secret-that-github-gave"]) {
                try JSONReader.parse(configuration.replacing("id.shop.example", with: $0.host))
            }
            let commands = Self.blocks("sh", of: document)
            try #require(commands.count == 6)
            let shell = Shell(server: server)

            let link = try await shell.run(commands[0]).trimmingCharacters(in: .whitespacesAndNewlines)
            let browser = try WebBrowser(server)
            let page = try await browser.open(link).page()
            #expect(page.links["Continue with GitHub"] != nil)
            let callback = try await browser.submit(
                try await browser.click("Sign up", on: page).page(), "Sign up",
                ["email": "ann@shop.example", "name": "Ann", "password": "correct horse battery staple"]
            ).callback("com.example.shop://callback")
            #expect(callback["iss"] == server.issuer && link.hasSuffix("&state=\(callback["state"] ?? "none")"))

            func member(_ name: String, _ answer: String) throws -> String {
                try #require(try JSONReader.parse(answer)[name]?.stringValue, "\(answer)")
            }
            let tokens = try await shell.run(commands[1], ["CODE": try #require(callback["code"])])
            #expect(try member("token_type", tokens) == "Bearer")
            #expect(try await server.verified(member("id_token", tokens))["name"] == "Ann")
            let profile = try await shell.run(commands[2], ["ACCESS_TOKEN": member("access_token", tokens)])
            #expect(try member("name", profile) == "Ann")
            let refreshed = try await shell.run(commands[3], ["REFRESH_TOKEN": member("refresh_token", tokens)])
            let last = try member("refresh_token", refreshed)
            #expect(try member("refresh_token", tokens) != last)
            #expect(try await shell.run(commands[4], ["REFRESH_TOKEN": last]).isEmpty)
            #expect(try await member("error", shell.run(commands[3], ["REFRESH_TOKEN": last])) == "invalid_grant")

            let program = try await shell.start(commands[5])
            let line = try await program.errors.line { $0.contains("/authorize?") }.orThrow("the command ended")
            let own = try browser.another(at: server, sites: ["http://127.0.0.1:"])
            _ = try await own.open(String(line[try #require(line.range(of: "https://")).lowerBound...]))
            #expect(await program.status() == 0, "\(program.errors.soFar)")
            #expect(await program.output.all().contains("ann@shop.example"))
            await server.stop()
        }

        @Test("The article's sample for Apple platforms uses redirect URIs that the document's configuration registers")
        func registered() throws {
            let document = try Self.document()
            let article = try Self.document("Sources/SDK/CountersignClient/CountersignClient.docc/LogAPersonIn.md")
            let client = try JSONReader.parse(try #require(Self.blocks("json", of: document).first))["tenants"]?[0]?[
                "clients"]?[0]
            let sample = try #require(
                Self.blocks("swift", of: article).first { $0.hasPrefix("// On Apple platforms") })
            for (label, member) in [("callback", "callbacks"), ("logoutCallback", "allowed_logout_urls")] {
                let url = sample.components(separatedBy: "let \(label) = URL(string: \"").dropFirst().first?
                    .components(separatedBy: "\"")[0]
                #expect(client?[member]?.stringsValue?.contains(try #require(url)) == true)
            }
        }

        private static func document(_ path: String = "docs/login.md") throws -> String {
            let repository = URL(filePath: #filePath)
                .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            return try String(contentsOf: repository.appending(path: path), encoding: .utf8)
        }

        private static func blocks(_ language: String, of document: String) -> [String] {
            document.components(separatedBy: "```\(language)\n").dropFirst().map {
                $0.components(separatedBy: "\n```")[0]
            }
        }
    }
}

/// Consecutive shells, each with the variables of the one before.
private struct Shell {
    let server: TestServer

    func start(_ commands: String) async throws -> Program {
        let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        let variables = [
            "PATH": "\(programs):/usr/bin:/bin", "ISSUER": server.issuer, "COUNTERSIGN_ISSUER": server.issuer,
            "CURL_CA_BUNDLE": server.authority, "COUNTERSIGN_CA": server.authority,
        ]
        return try await Program(
            ["-c", "set -ea; [ ! -e variables ] || . ./variables\n\(commands)\nexport -p > variables"], of: "bash",
            in: server.folder, environment: variables)
    }

    /// The shells' output.
    func run(_ commands: String, _ variables: [String: String] = [:]) async throws -> String {
        // New variables follow the kept ones.
        let given = variables.map { "\($0.key)='\($0.value)'\n" }.joined()
        let program = try await start(given + commands)
        guard await program.status() == 0 else { throw Unexpected("\(commands): \(program.errors.soFar)") }
        return await program.output.all()
    }
}
