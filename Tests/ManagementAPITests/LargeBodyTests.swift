import AuthorizationCore
import Endpoints
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Large bodies of the Management API")
struct LargeBodyTests {
    private static func status(_ decision: LargeBody) -> Int {
        switch decision {
        case .taken: 200
        case .tooLarge: 413
        case .refused(let response): response.status
        }
    }

    /// Request head, as the server passes it before the body.
    private func head(_ token: String?, path: String = "/api/v2/users", host: String = InProcessServer.host) -> Request
    {
        var fields: HTTPFields = ["Host": host, "Content-Type": "application/json", "Content-Length": "500000"]
        if let token { fields.append("Authorization", "Bearer \(token)") }
        return Request(method: .post, path: path, fields: fields)
    }

    @Test("Large bodies are accepted only with a token for that API and tenant")
    func tokens() async throws {
        let fixture = try await ManagementFixture { setup in
            setup.clients.append(
                Samples.client("service") {
                    $0.grantTypes = [.clientCredentials]
                    $0.limit(to: [Samples.api: nil])
                })
        }
        let application = fixture.server.application
        let token = fixture.token
        #expect(Self.status(application.largeBody(head(token))) == 200)
        #expect(Self.status(application.largeBody(head(nil))) == 401)
        #expect(Self.status(application.largeBody(head("no.to.ken"))) == 401)
        var forged = Array(token)
        forged[forged.count - 10] = forged[forged.count - 10] == "A" ? "B" : "A"
        #expect(Self.status(application.largeBody(head(String(forged)))) == 401)
        #expect(Self.status(application.largeBody(head(token, host: InProcessServer.otherHost))) == 401)
        #expect(Self.status(application.largeBody(head(token, host: "nobody.example"))) == 413)
        let other = await fixture.server.send(
            .form(
                "/oauth/token",
                [
                    "grant_type": "client_credentials", "client_id": "service", "client_secret": Samples.secret,
                    "audience": Samples.api,
                ]))
        let apiToken = try (other["access_token"]?.stringValue).orThrow(other.text)
        #expect(Self.status(application.largeBody(head(apiToken))) == 401, "a token for another API")
        for path in ["/oauth/token", "/bc-authorize", "/u/login", "/api/v2", "/"] {
            #expect(Self.status(application.largeBody(head(token, path: path))) == 413)
        }
        var doubled = head(token)
        doubled.fields.append("Authorization", "Bearer \(token)")
        #expect(Self.status(application.largeBody(doubled)) == 413)
        fixture.server.clock.advance(by: .seconds(1_000_000))
        guard case .refused(let expired) = application.largeBody(head(token)) else {
            Issue.record("an expired token was taken")
            return
        }
        #expect(expired.status == 401 && expired.fields["WWW-Authenticate"] == "Bearer")
    }

    @Test("Over sockets: a large body is read with a token, and is 401 without one, not 413")
    func sockets() async throws {
        let fixture = try await ManagementFixture()
        try await InProcessSockets.serve(fixture.server) { sockets in
            let body = JSONWriter.bytes(
                .object([
                    "connection": "Username-Password-Authentication", "email": "large@example.com",
                    "password": "correct horse battery",
                    "user_metadata": ["note": .string(String(repeating: "a", count: 70_000))],
                ]))
            var request = head(fixture.token)
            request.fields.remove("Content-Length")
            request.body = body
            let known = try await sockets.send(request)
            #expect(![401, 413].contains(known.status), "\(known.text)")
            request.fields.remove("Authorization")
            #expect(try await sockets.send(request).status == 401)
        }
    }
}
