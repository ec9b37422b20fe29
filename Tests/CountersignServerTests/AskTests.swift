import Foundation
import HTTPModel
import MicroHTTPServer
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("countersign ask, beside a server and a phone")
struct AskTests {
    private static let user = "auth0|48616e6e6120486572776974"
    private static let number = "+41791234567"
    private static let phone = ["GUARDIAN_CA": "countersign-data/tls/ca.pem", "GUARDIAN_STORE": "phone.json"]

    private func serverWithPhone() async throws -> RunningServer {
        let server = try await RunningServer(in: Folder())
        let ticket = try await server.command(["device", "ticket", "--user", Self.user])
        let enrolled = try await guardian(["enroll", String(ticket.output.dropLast())], server).result()
        #expect(enrolled.status == 0, "\(enrolled.errors)")
        return server
    }

    private func guardian(_ arguments: [String], _ server: RunningServer) async throws -> Program {
        try await Program(arguments, of: "guardian", in: server.folder.url, environment: Self.phone)
    }

    private func asking(_ user: String = user, _ more: [String] = []) -> [String] {
        ["ask", "--user", user, "--message", "Order 4711"] + more
    }

    private func entries(_ type: String, _ server: RunningServer) async throws -> Int {
        let list = try await server.command(["log", "list", "--type", type, "--json"])
        return try #require(try JSONReader.parse(list.output).arrayValue, "\(list.errors)").count
    }

    @Test("A user is named by id, verified e-mail address or phone number; an unknown or ambiguous name is refused")
    func names() async throws {
        let server = try await serverWithPhone()
        let changes = ["--set", "phone_number=\(Self.number)", "--set", "phone_verified=true"]
        let shown = try await server.command(["user", "update", Self.user] + changes + ["--json"])
        let email = try #require(try JSONReader.parse(shown.output)["email"]?.stringValue, "\(shown.errors)")
        let watch = try await guardian(["watch", "--answer", "allow"], server)
        for name in [Self.user, email, email.uppercased(), Self.number] {
            let answer = try await server.command(asking(name))
            #expect(answer.status == 0, "\(name): \(answer.errors)")
            #expect(answer.output.split(separator: ".").count == 3)
        }
        watch.send(SIGKILL)
        let twin = try await server.command(["user", "create", "--email", "twin@example.com"] + changes)
        #expect(twin.status == 0, "\(twin.errors)")
        for name in ["auth0|none", "nobody@example.com", "+4179", "twin@example.com", Self.number] {
            let answer = try await server.command(asking(name, ["--json"]))
            #expect(answer.status == 1)
            #expect(answer.errors.contains("The server knows no such user, or several."), "\(answer.errors)")
            #expect(try JSONReader.parse(answer.output)["error"] == "unknown_user_id")
        }
        #expect(await server.stop() == 0)
    }

    @Test("RFC 9396: --details takes the array or object itself, and names what is not JSON")
    func inlineDetails() async throws {
        let folder = try Folder()
        let server = ["--issuer", "https://127.0.0.1:9/", "--client-id", "c", "--client-secret", "s"]
        for (details, reason) in [
            (#"{"type": "a""#, "--details: is not valid JSON"), (#"[{"type": "a"]"#, "--details: is not valid JSON"),
            (#"[{"type": "a"}]"#, "127.0.0.1"), (#"{"type": "a"}"#, "127.0.0.1"), ("no.json", "cannot open no.json"),
        ] {
            let result = try await Program.run(asking(Self.user, ["--details", details] + server), in: folder.url)
            #expect(result.status == 1 && result.errors.contains(reason), "\(details): \(result.errors)")
        }
    }

    @Test("SIGTERM withdraws the request, too; a killed command's request is found again by its key")
    func keys() async throws {
        let server = try await serverWithPhone()
        let terminated = try await Program(asking(), in: server.folder.url)
        #expect(await terminated.errors.wait(for: "Waiting for"))
        terminated.send(SIGTERM)
        #expect(await terminated.status() == 143)
        #expect(try await entries("ciba_cancelled", server) == 1)
        #expect(try await entries("ciba_start_succeeded", server) == 1)

        let request = asking(Self.user, ["--idempotency-key", "order 4711"])
        let killed = try await Program(request, in: server.folder.url)
        #expect(await killed.errors.wait(for: "Waiting for"))
        killed.send(SIGKILL)
        #expect(await killed.status() == 137)
        let again = try await Program(request, in: server.folder.url)
        #expect(await again.errors.wait(for: "Waiting for"))
        #expect(try await guardian(["allow"], server).result().status == 0)
        let answer = await again.result()
        #expect(answer.status == 0, "\(answer.errors)")
        #expect(answer.output.split(separator: ".").count == 3)
        #expect(try await entries("ciba_start_succeeded", server) == 2)

        let other = try await server.command(request + ["--scope", "openid profile"])
        #expect(other.status == 1)
        #expect(other.errors.contains("use a new key"), "\(other.errors)")
        #expect(try await entries("ciba_start_succeeded", server) == 2)
        #expect(await server.stop() == 0)
    }

    @Test("A second signal ends the command at once, although the withdrawal has no answer yet")
    func secondSignal() async throws {
        let provider = try SilentProvider()
        let environment = [
            "COUNTERSIGN_ISSUER": provider.issuer, "COUNTERSIGN_CLIENT_ID": "agent",
            "COUNTERSIGN_CLIENT_SECRET": "secret",
        ]
        let folder = try Folder()
        let program = try await Program(asking(), in: folder.url, environment: environment)
        #expect(await program.errors.wait(for: "Waiting for"))
        program.send(SIGINT)
        // The first signal has been taken when the withdrawal arrives. Its own status would be 130, after five seconds.
        await provider.withdrawal()
        program.send(SIGTERM)
        #expect(await program.status() == 143)
        await provider.stop()
    }
}

/// A provider on the loopback that starts requests, and never answers their withdrawal.
private final class SilentProvider: Sendable {
    private let server: HTTPServer
    private let arrived: AsyncStream<Void>

    var issuer: String { "http://127.0.0.1:\(server.port)/" }

    init() throws {
        let (arrived, signal) = AsyncStream.makeStream(of: Void.self)
        self.arrived = arrived
        server = try HTTPServer(configuration: HTTPServerConfiguration(threads: 1)) { request in
            let base = "http://\(request.fields["Host"] ?? "")"
            switch request.path {
            case "/.well-known/openid-configuration":
                return Self.json([
                    "issuer": .string("\(base)/"), "jwks_uri": .string("\(base)/keys"),
                    "token_endpoint": .string("\(base)/token"), "revocation_endpoint": .string("\(base)/revoke"),
                    "backchannel_authentication_endpoint": .string("\(base)/start"),
                ])
            case "/keys": return Self.json(["keys": []])
            case "/start": return Self.json(["auth_req_id": "req-1", "expires_in": 300, "interval": 1])
            case "/revoke":
                signal.yield()
                let never = AsyncStream<Void> { _ in }
                for await _ in never {}
                return Response(status: 200)
            default: return Self.json(["error": "authorization_pending"], status: 400)
            }
        }
        try server.start()
    }

    func withdrawal() async { for await _ in arrived { return } }

    func stop() async { await server.stop(within: .seconds(1)) }

    private static func json(_ value: JSONValue, status: Int = 200) -> Response {
        Response(
            status: status, fields: ["Content-Type": "application/json"], body: .bytes(JSONWriter.bytes(value)))
    }
}
