import CurlTransport
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("countersign login")
struct LoginCommandTests {
    /// Runs `body` beside a provider that answers every login at once: with a code, or with this error.
    private func provider(
        error: String? = nil, _ body: (_ provider: StandInProvider, _ folder: Folder) async throws -> Void
    ) async throws {
        let provider = try StandInProvider(error: error)
        do {
            try await body(provider, Folder())
        } catch {
            await provider.stop()
            throw error
        }
        await provider.stop()
    }

    private func start(
        _ arguments: [String], _ provider: StandInProvider, _ folder: Folder, environment: [String: String] = [:]
    ) async throws -> Program {
        try await Program(
            ["login", "--issuer", provider.issuer, "--client-id", "cli"] + arguments, in: folder.url,
            environment: environment)
    }

    /// Plays browser: opens the page that the program printed, and goes where it is sent. Returns the last page.
    private func browse(_ program: Program) async throws -> String {
        // The address's last parameter: from here on the line is whole.
        try #require(await program.errors.wait(for: "&code_challenge_method=S256\n"))
        let line = try #require(program.errors.soFar.split(separator: "\n").first { $0.contains("/authorize?") })
        let page = String(line[try #require(line.range(of: "http")).lowerBound...])
        let transport = try CurlTransport()
        let answer = try await transport.send(ClientRequest(method: .get, url: page))
        let callback = try #require(answer.fields["Location"])
        #expect(callback.hasPrefix("http://127.0.0.1:"))
        return String(
            decoding: try await transport.send(ClientRequest(method: .get, url: callback)).body, as: UTF8.self)
    }

    @Test("countersign login prints the page's address, waits for the browser, names the account and stores the tokens")
    func login() async throws {
        try await provider { provider, folder in
            let options = ["--no-browser", "--save", "tokens.json"]
            let program = try await start(options + ["--ui-locales", "fr"], provider, folder)
            #expect(try await browse(program).contains("Vous pouvez fermer cette fenêtre"))
            let errors = program.errors
            #expect(await program.status() == 0, "\(errors.soFar)")
            let output = await program.output.all()
            #expect(output.contains("auth0|ann") && output.contains("Ann") && output.contains("expires"))
            #expect(!output.contains("access-1"))
            let path = folder.url.appending(path: "tokens.json").path
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
            #expect(try folder.json("tokens.json")["refresh_token"] == "refresh-1")

            let logout = try await start(["--logout"] + options, provider, folder)
            #expect(await logout.status() == 0)
            #expect(await logout.errors.all().contains("/oidc/logout?client_id=cli&id_token_hint="))
            #expect(provider.revoked == ["refresh-1"])
            #expect(!folder.exists("tokens.json"))
        }
    }

    @Test("If the tokens cannot be saved, the command refuses before the login, or revokes them after it")
    func unsaved() async throws {
        try await provider { provider, folder in
            for path in ["missing/tokens.json", "."] {
                let program = try await start(["--no-browser", "--json", "--save", path], provider, folder)
                #expect(await program.status() == 1)
                #expect(await !program.errors.all().contains("/authorize?"))
                #expect(try JSONReader.parse(await program.output.all())["error"] == "storage")
            }
            let path = folder.url.appending(path: "kept")
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: false)
            let program = try await start(["--no-browser", "--save", "kept/tokens.json"], provider, folder)
            #expect(await program.errors.wait(for: "&code_challenge_method=S256\n"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: path.path) == [])
            try FileManager.default.removeItem(at: path)
            _ = try await browse(program)
            #expect(await program.status() == 1)
            #expect(await program.errors.all().contains("could not be stored"))
            #expect(provider.revoked == ["refresh-1"])
        }
    }

    @Test("$BROWSER opens the page; --json prints only the tokens")
    func browser() async throws {
        try await provider { provider, folder in
            // Read by a shell, not executed: another test that forks meanwhile may hold the file open for writing.
            try folder.write("exec curl -sL -o \"$1\" \"$2\"\n", to: "browser")
            let program = try await start(
                ["--json"], provider, folder, environment: ["BROWSER": "./none:sh browser page.html %s"])
            let errors = program.errors
            #expect(await program.status() == 0, "\(errors.soFar)")
            let tokens = try JSONReader.parse(Array(await program.output.all().utf8))
            #expect(tokens["status"] == "logged_in" && tokens["access_token"] == "access-1")
            #expect(tokens["id_token"] != nil && tokens["refresh_token"] == "refresh-1")
        }
    }

    @Test("A refusal is exit status 3, and a prompt that may not be shown is 1")
    func refusal() async throws {
        for (error, status, outcome) in [("access_denied", 3, "refused"), ("login_required", 1, "failed")] {
            try await provider(error: error) { provider, folder in
                let program = try await start(["--no-browser", "--json"], provider, folder)
                #expect(try await browse(program).contains("You are not logged in"))
                #expect(await program.status() == Int32(status))
                let answer = try JSONReader.parse(Array(await program.output.all().utf8))
                #expect(answer["status"]?.stringValue == outcome)
                #expect(answer["error"]?.stringValue == error)
                #expect(answer["error_description"]?.stringValue?.isEmpty == false)
            }
        }
    }

    @Test("A timeout is exit status 4, an interruption 130, and an unreachable server 1")
    func otherEnds() async throws {
        try await provider { provider, folder in
            let late = try await start(["--no-browser", "--timeout", "1s", "--json"], provider, folder)
            #expect(await late.status() == 4)
            let answer = try JSONReader.parse(Array(await late.output.all().utf8))
            #expect(answer["status"] == "expired" && answer["error"] == "expired_token")

            let interrupted = try await start(["--no-browser", "--json"], provider, folder)
            #expect(await interrupted.errors.wait(for: "/authorize?"))
            interrupted.send(SIGINT)
            #expect(await interrupted.status() == 130)
            let reason = try JSONReader.parse(Array(await interrupted.output.all().utf8))
            #expect(reason["status"] == "failed" && reason["error"] == "cancelled")

            let nowhere = try await Program.run(
                ["login", "--issuer", "http://127.0.0.1:1/", "--client-id", "cli"], in: folder.url)
            #expect(nowhere.status == 1)
            #expect(nowhere.errors.contains("hint: is the server running?"))
        }
    }

    @Test("A wrong call is exit status 2")
    func usage() async throws {
        let folder = try Folder()
        for arguments in [[], ["--issuer", "https://a.example/"], ["--client-id", "cli", "--prompt", "maybe"]] {
            #expect(try await Program.run(["login"] + arguments, in: folder.url).status == 2)
        }
    }
}
