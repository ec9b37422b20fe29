import Audit
import AuthorizationCore
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Audit log: refusals of clients")
struct RefusedClientTests {
    private func server() async throws -> InProcessServer {
        try await InProcessServer { setup in
            setup.clients += [
                Samples.app(),
                Samples.client("service") { client in
                    client.grantTypes = [.clientCredentials]
                    client.limit(to: [Samples.api: .none])
                },
            ]
        }
    }

    private func entries(_ server: InProcessServer) async throws -> [String] {
        try await server.auditKinds().filter { $0 != AuditEvent.Kind.changed.rawValue }
    }

    private static let requests: [(path: String, grant: String?, kind: AuditEvent.Kind)] = [
        ("/bc-authorize", nil, .backchannelStartFailed),
        ("/oauth/token", "urn:openid:params:grant-type:ciba", .exchangeFailed),
        ("/oauth/token", "authorization_code", .codeRefused),
        ("/oauth/token", "refresh_token", .refreshTokenRefused),
        ("/oauth/token", "client_credentials", .clientCredentialsRefused),
        ("/oauth/token", "password", .clientCredentialsRefused),
        ("/oauth/par", nil, .pushedRequestRefused),
        ("/oauth/revoke", nil, .clientCredentialsRefused),
        ("/oauth/introspect", nil, .clientCredentialsRefused),
    ]

    @Test("A wrong secret is logged at every endpoint", arguments: requests)
    func wrongSecret(path: String, grant: String?, kind: AuditEvent.Kind) async throws {
        let server = try await server()
        let before = try await entries(server)
        let answer = await server.send(
            .form(path, ["client_id": "agent", "client_secret": "guessed-secret", "grant_type": grant]))
        expectError(answer, 401, "invalid_client")
        #expect(try await entries(server) == before + [kind.rawValue])
        #expect(try await !server.auditText().contains("guessed-secret"))
    }

    @Test("An unknown client id is not logged")
    func unknownClient() async throws {
        let server = try await server()
        let before = try await entries(server)
        let answer = await server.send(
            .form("/oauth/token", ["client_id": "nobody", "client_secret": "x", "grant_type": "client_credentials"]))
        expectError(answer, 401, "invalid_client")
        #expect(try await entries(server) == before)
    }

    @Test("Repeated attempts leave at most 30 entries a minute, whatever client ids they use")
    func bounded() async throws {
        let server = try await server()
        let before = try await entries(server).count
        for number in 0..<80 {
            let client = number % 2 == 0 ? "agent" : "service"
            _ = await server.send(
                .form("/oauth/token", ["client_id": client, "client_secret": "x", "grant_type": "client_credentials"]))
        }
        #expect(try await entries(server).count == before + 30)
        server.advance(.seconds(61))
        _ = await server.send(
            .form("/oauth/token", ["client_id": "agent", "client_secret": "x", "grant_type": "client_credentials"]))
        #expect(try await server.auditText().contains("\\\"left_out\\\":50"))
    }

    @Test("Refusals of public clients and of unauthenticated requests share the limit of 30")
    func publicClients() async throws {
        let server = try await server()
        let before = try await entries(server).count
        for _ in 0..<20 {
            _ = await server.send(
                .form("/oauth/token", ["client_id": "app", "grant_type": "refresh_token", "refresh_token": "made-up"]))
            _ = await server.send(
                .form("/oauth/token", ["client_id": "agent", "client_secret": "x", "grant_type": "client_credentials"]))
        }
        #expect(try await entries(server).count == before + 30)
        // An authenticated confidential client has its own limit of 30.
        _ = await server.send(
            .form(
                "/oauth/token",
                [
                    "client_id": "service", "client_secret": Samples.secret, "grant_type": "client_credentials",
                    "audience": "https://unknown.example/",
                ]))
        #expect(try await entries(server).count == before + 31)
    }

    @Test(
        "Refusals of authenticated clients are logged",
        arguments: [
            ("client_credentials", "feccft"), ("refresh_token", "fertft"),
        ])
    func refused(grant: String, kind: String) async throws {
        let server = try await server()
        let before = try await entries(server)
        let proof: [String: String?] =
            grant == "refresh_token"
            ? ["client_id": "app", "refresh_token": "made-up"]
            : ["client_id": "service", "client_secret": Samples.secret, "audience": "https://unknown.example/"]
        let answer = await server.send(.form("/oauth/token", proof.merging(["grant_type": grant]) { $1 }))
        #expect((400..<500).contains(answer.status))
        #expect(try await entries(server) == before + [kind])
    }
}
