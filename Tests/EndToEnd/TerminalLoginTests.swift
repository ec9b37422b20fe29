import CountersignClient
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    @Suite("countersign login, and its client SDK") struct TerminalLoginTests {
        @Test("countersign login waits for the browser and stores the tokens; --logout ends session and tokens")
        func login() async throws {
            let server = try await TestServer.start { $0.loginConfiguration() }
            let browser = try WebBrowser(server, sites: ["http://127.0.0.1:"])
            let program = try await Self.command(
                server, ["--scope", "openid email offline_access", "--audience", TestServer.audience])
            let page = try await Self.page(program, "/authorize?")
            #expect(try await browser.logIn(page).page().status == 200)
            #expect(await program.status() == 0, "\(program.errors.soFar)")
            let output = await program.output.all()
            #expect(output.contains("auth0|0") && output.contains(TestServer.email(0)))

            let kept = try JSONReader.parse(Array(Data(contentsOf: server.folder.appending(path: "tokens.json"))))
            let token = try #require(kept["refresh_token"]?.stringValue)
            let app = try LoginApp(server)
            let silent = app.link(scope: "openid", ["prompt": "none"])
            #expect(try await browser.open(silent).callback()["code"] != nil)

            let logout = try await Self.command(server, ["--logout"])
            let end = try await Self.page(logout, "/oidc/logout?")
            #expect(await logout.status() == 0, "\(logout.errors.soFar)")
            #expect(try await browser.open(end).page().heading == "You are logged out")
            #expect(!FileManager.default.fileExists(atPath: server.folder.appending(path: "tokens.json").path))
            #expect(try await browser.open(silent).callback()["error"] == "login_required")
            #expect(try await app.refresh(token).error == "invalid_grant")
            await server.stop()
        }

        @Test("A refusal is exit status 3, and a prompt that must not be shown is 1")
        func refusal() async throws {
            let server = try await TestServer.start { $0.loginConfiguration() }
            let browser = try WebBrowser(server, sites: ["http://127.0.0.1:"])
            let silent = try await Self.command(server, ["--prompt", "none"])
            _ = try await browser.open(try await Self.page(silent, "/authorize?"))
            #expect(await silent.status() == 1)
            let asking = try await Self.command(server, [], client: "partner")
            let page = try await browser.logIn(try await Self.page(asking, "/authorize?")).page()
            _ = try await browser.submit(page, "Deny")
            #expect(await asking.status() == 3)
            await server.stop()
        }

        @Test("Concurrent callers share one refresh, and each rotated token is stored before use")
        func manager() async throws {
            let server = try await TestServer.start { $0.loginConfiguration() }
            let counted = CountingTransport(try server.transport())
            var environment = try CountersignClient.Environment.system()
            environment.transport = counted
            let client = try CountersignClient(
                issuer: try #require(URL(string: server.issuer)), clientID: "mobile", authentication: .publicClient,
                environment: environment)
            let parameters = AuthorizationParameters(
                scope: ["openid", "offline_access"], audience: TestServer.audience)
            let store = MemoryCredentialStore()
            let manager = CredentialsManager(client: client, store: store)
            let pending = try await client.beginLogin(parameters, redirectURI: LoginApp.callback)
            let place = try await WebBrowser(server).logIn(pending.url.absoluteString)
            guard case .elsewhere(let url) = place else { throw Unexpected("no redirect: \(place)") }
            let first = try await client.finishLogin(pending, callback: try #require(URL(string: url)))
            try await manager.keep(first)

            var (last, seen) = (first.refreshToken, Set([first.accessToken]))
            for round in 1...3 {
                let before = counted.count(of: "/oauth/token")
                // Longer than any token's lifetime, to force a refresh.
                let tokens = try await withThrowingTaskGroup(of: Tokens.self) { group in
                    for _ in 0..<16 {
                        group.addTask { try await manager.credentials(minimumLifetime: .seconds(200_000)) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(counted.count(of: "/oauth/token") == before + 1, "round \(round)")
                #expect(Set(tokens.map(\.accessToken)).count == 1)
                let new = try #require(tokens.first)
                #expect(seen.insert(new.accessToken).inserted && new.refreshToken != last)
                last = new.refreshToken
                let kept = try JSONReader.parse(Array(try #require(try await store.load())))
                #expect(kept["refresh_token"]?.stringValue == last)
            }
            #expect(try await manager.userInfo().subject == "auth0|0")
            await server.stop()
        }

        private static func command(
            _ server: TestServer, _ arguments: [String], client: String = "mobile"
        ) async throws -> Program {
            try await Program(
                [
                    "login", "--issuer", server.issuer, "--client-id", client, "--ca", server.authority,
                    "--no-browser", "--save", "tokens.json",
                ] + arguments, in: server.folder)
        }

        /// The address that the command prints.
        private static func page(_ program: Program, _ path: String) async throws -> String {
            let line = try await program.errors.line { $0.contains(path) }.orThrow("the program ended")
            return String(line[try #require(line.range(of: "https://")).lowerBound...])
        }
    }
}

/// Counts requests by path.
private final class CountingTransport: HTTPClient {
    private let transport: any HTTPClient
    private let urls = Recorded<String>()

    init(_ transport: some HTTPClient) { self.transport = transport }

    func count(of path: String) -> Int { urls.all.count { $0.hasSuffix(path) } }

    func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        urls.append(request.url)
        return try await transport.send(request)
    }

    func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
        urls.append(request.url)
        return try await transport.stream(request)
    }
}
