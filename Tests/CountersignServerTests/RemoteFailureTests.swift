import Foundation
import HTTPModel
import MicroHTTPServer
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("countersign --server: failures")
struct RemoteFailureTests {
    /// A server that gives a token to everybody and then answers requests of the API as it is set up to.
    private final class StandIn: Sendable {
        private let server: HTTPServer
        private let state: State

        var url: String { "http://127.0.0.1:\(server.port)" }

        init(_ answers: [Response]) throws {
            let state = State(answers)
            self.state = state
            server = try HTTPServer(
                configuration: HTTPServerConfiguration(threads: 1), handler: { state.answer($0) })
            try server.start()
        }

        var paths: [String] { state.paths.withLock(\.self) }

        func run(_ arguments: String...) async throws -> Program.Result {
            let folder = try Folder()
            return try await Program.run(
                arguments, in: folder.url,
                environment: [
                    "COUNTERSIGN_SERVER": url, "COUNTERSIGN_CLIENT_ID": "ci", "COUNTERSIGN_CLIENT_SECRET": "secret",
                ])
        }

        func stop() async { await server.stop(within: .seconds(1)) }
    }

    private final class State: Sendable {
        let paths = Mutex<[String]>([])
        private let answers: Mutex<ArraySlice<Response>>

        init(_ answers: [Response]) { self.answers = Mutex(answers[...]) }

        func answer(_ request: Request) -> Response {
            let base = "http://\(request.fields["Host"] ?? "")/"
            let path = request.path
            if path.hasSuffix("openid-configuration") {
                return RemoteFailureTests.answer(
                    200,
                    [
                        "issuer": .string(base), "jwks_uri": .string("\(base)keys"),
                        "token_endpoint": .string("\(base)oauth/token"),
                    ])
            }
            if path.hasSuffix("oauth/token") {
                return RemoteFailureTests.answer(
                    200, ["access_token": "t", "token_type": "Bearer", "expires_in": 3600])
            }
            paths.withLock { $0.append(path) }
            return answers.withLock { $0.popFirst() } ?? RemoteFailureTests.answer(500, ["message": "no answer left"])
        }
    }

    private static func answer(_ status: Int, _ body: JSONValue, _ further: HTTPFields = [:]) -> Response {
        var fields: HTTPFields = ["Content-Type": "application/json"]
        for field in further { fields.append(field.name, field.value) }
        return Response(status: status, fields: fields, body: .bytes(JSONWriter.bytes(body)))
    }

    private static let grants: JSONValue = ["client_grants": [], "total": 0]

    @Test("A server that takes no more requests is waited for, as long as it says")
    func busy() async throws {
        let server = try StandIn([
            Self.answer(429, ["message": "Global limit has been reached"], ["Retry-After": "1"]),
            Self.answer(200, Self.grants),
        ])
        let result = try await server.run("client", "grants", "--json")
        #expect(result.status == 0 && result.output == "[]\n", "\(result.errors)")
        #expect(result.errors.contains("Waiting"))
        #expect(server.paths.count == 2)
        await server.stop()
        let busy = try StandIn([
            Self.answer(429, ["message": "Global limit has been reached"], ["Retry-After": "1000"])
        ])
        let refused = try await busy.run("client", "grants")
        #expect(refused.status == 1 && refused.errors.contains("management_requests_per_minute"), "\(refused.errors)")
        await busy.stop()
    }

    @Test("All consents of a user are revoked by one request, and those of a client by one each")
    func consents() async throws {
        let user: JSONValue = ["user_id": "auth0|65f0"]
        let grants: JSONValue = [
            "grants": .array(
                ["app", "web"].map { ["id": .string("cgr_\($0)"), "clientID": .string($0), "user_id": "auth0|65f0"] }),
            "total": 2,
        ]
        let all = try StandIn([Self.answer(200, user), Self.answer(200, grants), Self.answer(204, .null)])
        let revoked = try await all.run("consents", "revoke", "--user", "auth0|65f0", "--json")
        #expect(revoked.status == 0, "\(revoked.errors)")
        #expect(try JSONReader.parse(revoked.output).arrayValue?.count == 2)
        #expect(all.paths.last == "/api/v2/grants" && all.paths.count == 3, "\(all.paths)")
        await all.stop()
        let one = try StandIn([Self.answer(200, user), Self.answer(200, grants), Self.answer(204, .null)])
        #expect(try await one.run("consents", "revoke", "--user", "auth0|65f0", "--client", "app").status == 0)
        #expect(one.paths.last == "/api/v2/grants/cgr_app", "\(one.paths)")
        await one.stop()
    }

    @Test("An expired token is replaced once")
    func renewed() async throws {
        let server = try StandIn([
            Self.answer(401, ["message": "Invalid token"]), Self.answer(200, Self.grants),
        ])
        #expect(try await server.run("client", "grants").status == 0)
        await server.stop()
        let refusing = try StandIn([
            Self.answer(401, ["message": "Invalid token"]), Self.answer(401, ["message": "Invalid token"]),
        ])
        let refused = try await refusing.run("client", "grants")
        #expect(refused.status == 1 && refused.errors.contains("still have its grant"), "\(refused.errors)")
        await refusing.stop()
    }

    @Test("Every other refusal has a line that says what to do next", arguments: [403, 404, 409, 413, 500, 503])
    func refusals(status: Int) async throws {
        let server = try StandIn([Self.answer(status, ["message": "Reason of the server"])])
        let result = try await server.run("keys", "rotate")
        #expect(result.status == 1)
        #expect(result.errors.contains("error:") && result.errors.contains("hint:"), "\(status): \(result.errors)")
        if status >= 500 { #expect(result.errors.contains("may have been done"), "\(result.errors)") }
        await server.stop()
    }

    @Test("A certificate of an unknown authority is refused, with the option that names it")
    func untrusted() async throws {
        let server = try await RunningServer(in: Folder())
        let result = try await server.command(
            ["--server", server.issuer, "--client", "operator", "role", "list"],
            environment: ["COUNTERSIGN_CLIENT_SECRET": "secret"])
        #expect(result.status == 1 && result.errors.contains("--ca"), "\(result.errors)")
        let wrong = try await server.command(
            [
                "--server=\(server.issuer)", "--client=operator", "role", "list", "--ca",
                "countersign-data/tls/ca.pem",
            ], environment: ["COUNTERSIGN_CLIENT_SECRET": "not-the-secret"])
        #expect(wrong.status == 1 && wrong.errors.contains("secret or key"), "\(wrong.errors)")
        #expect(await server.stop() == 0)
    }

    @Test("A command that has no server says that the variable is not for it, unless its folder is named")
    func unused() async throws {
        let folder = try Folder()
        try folder.write(
            #"{"tenants": [{"id": "shop", "name": "Shop", "host": "id.shop.example"}]}"#, to: "shop.json")
        let environment = ["COUNTERSIGN_SERVER": "https://id.shop.example"]
        let made = try await Program.run(["apply", "shop.json", "--create", "--data", "data"], in: folder.url)
        #expect(made.status == 0, "\(made.errors)")
        let named = try await Program.run(
            ["tenant", "list", "--data", "data"], in: folder.url, environment: environment)
        #expect(named.status == 0 && !named.errors.contains("COUNTERSIGN_SERVER"), "\(named.errors)")
        let unnamed = try await Program.run(
            ["tenant", "list"], in: folder.url, environment: environment.merging(["COUNTERSIGN_DATA": "data"]) { $1 })
        #expect(unnamed.status == 0 && unnamed.errors.contains("https://id.shop.example"), "\(unnamed.errors)")
    }
}
