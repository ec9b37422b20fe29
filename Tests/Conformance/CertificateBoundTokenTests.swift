import AuthorizationCore
import HTTPModel
import JOSE
import OAuthWire
import OpenSSLCrypto
import Primitives
import TestSupport
import TestTools
import Testing
import X509

@Suite("RFC 8705 3: certificate-bound tokens")
struct CertificateBoundTokenTests {
    private static func hash(_ identity: TestAuthority.Identity) -> String {
        Base64URL.encode(Samples.hashing.sha256(identity.der))
    }

    private static func bound(_ answer: HTTPAnswer) throws -> JSONValue? {
        try JWS(parsing: try (answer["access_token"]?.stringValue).orThrow(answer.text)).unverifiedClaims?["cnf"]
    }

    @Test("3.1: a client credentials token contains the certificate's hash; without a certificate it is refused")
    func clientCredentials() async throws {
        let mine = try TestAuthority.selfSigned()
        let certificate = try Certificate(der: mine.der).orThrow("unreadable")
        for method in [Client.AuthenticationMethod.selfSignedTLSClientAuth, .clientSecretPost] {
            let registered: [ClientCredential.Content] = method == .clientSecretPost ? [] : [.certificate(certificate)]
            let fixture = try await CertificateFixture(registered, method: method) {
                $0.bindsTokensToCertificate = true
            }
            let secret = method == .clientSecretPost ? Samples.secret : nil
            let answer = await fixture.ask(mine, ["client_secret": secret])
            #expect(try Self.bound(answer) == ["x5t#S256": .string(Self.hash(mine))])
            if secret != nil { expectError(await fixture.ask(nil, ["client_secret": secret]), 400, "invalid_request") }
            // 3.2: introspection shows the binding.
            let told = await fixture.server.send(
                CertificateFixture.request(
                    "/oauth/introspect",
                    ["client_id": "machine", "client_secret": secret, "token": answer["access_token"]?.stringValue],
                    ClientCertificate(leaf: mine.der)))
            #expect(told["active"] == true)
            #expect(told["cnf"] == ["x5t#S256": .string(Self.hash(mine))])
        }
    }

    @Test("CIBA: the poll's certificate binds the token, and a poll without one is refused even while pending")
    func backchannel() async throws {
        let fixture = try await CertificateFixture(method: .clientSecretPost) { $0.bindsTokensToCertificate = true }
        let phone = try await InProcessPhone(in: fixture.server)
        let client = InProcessClient("machine", via: fixture.server)
        let authReqID = try await client.started()
        expectError(try await client.poll(authReqID), 400, "invalid_request")
        let mine = try TestAuthority.selfSigned()
        let poll = CertificateFixture.request(
            "/oauth/token", client.pollParameters(authReqID), ClientCertificate(leaf: mine.der))
        expectError(await fixture.server.send(poll), 400, "authorization_pending")
        // The same holds when this node remembers that the request is pending.
        expectError(try await client.poll(authReqID), 400, "invalid_request")
        #expect(try await phone.decide(authReqID).status == 204)
        fixture.server.advance(.seconds(10))
        let tokens = await fixture.server.send(poll)
        #expect(try Self.bound(tokens) == ["x5t#S256": .string(Self.hash(mine))])
        try await userInfo(fixture.server, tokens, mine)
    }

    /// RFC 8705 3: the token works only with its certificate.
    private func userInfo(_ server: InProcessServer, _ tokens: HTTPAnswer, _ mine: TestAuthority.Identity) async throws
    {
        let token = try (tokens["access_token"]?.stringValue).orThrow("none")
        var request = Request.get("/userinfo", fields: ["Authorization": "Bearer \(token)"])
        expectError(await server.send(request), 401, "invalid_token")
        request.clientCertificate = ClientCertificate(leaf: try TestAuthority.selfSigned().der)
        expectError(await server.send(request), 401, "invalid_token")
        request.clientCertificate = ClientCertificate(leaf: mine.der)
        #expect(await server.send(request).status == 200)
    }

    @Test("RFC 8705 4: a public client's refresh tokens are bound, and so are the tokens of each refresh")
    func refresh() async throws {
        let server = try await InProcessServer { setup in
            setup.clients = [
                Samples.app { $0.bindsTokensToCertificate = true },
                Samples.website { $0.bindsTokensToCertificate = true },
            ]
            setup.apis = [try Samples.resourceServer { $0.allowsOfflineAccess = true }]
        }
        let (mine, other) = (try TestAuthority.selfSigned(), try TestAuthority.selfSigned())
        func post(_ parameters: [String: String?], _ identity: TestAuthority.Identity?) async -> HTTPAnswer {
            await server.send(
                CertificateFixture.request(
                    "/oauth/token", parameters, identity.map { ClientCertificate(leaf: $0.der) }))
        }
        func exchange(_ token: JSONValue?, _ client: [String: String?]) -> [String: String?] {
            ["grant_type": "refresh_token", "refresh_token": token?.stringValue].merging(client) { $1 }
        }
        let app: [String: String?] = ["client_id": "app"]
        let code: [String: String?] = [
            "grant_type": "authorization_code", "client_id": "app", "redirect_uri": Samples.callback,
            "code": try await server.code(), "code_verifier": Samples.verifier,
        ]
        expectError(await post(code, nil), 400, "invalid_request")
        let first = await post(code, mine)
        #expect(try Self.bound(first) == ["x5t#S256": .string(Self.hash(mine))])
        try await userInfo(server, first, mine)
        expectError(await post(exchange(first["refresh_token"], app), nil), 400, "invalid_grant")
        expectError(await post(exchange(first["refresh_token"], app), other), 400, "invalid_grant")
        let second = await post(exchange(first["refresh_token"], app), mine)
        #expect(try Self.bound(second) == ["x5t#S256": .string(Self.hash(mine))])

        // A confidential client authenticates, so its certificate may be renewed.
        let web: [String: String?] = ["client_id": "web", "client_secret": Samples.secret]
        let webCode = try await server.code("web") { changes in
            changes.client = "web"
            changes.redirectURI = "https://web.example/callback"
        }
        let tokens = await post(
            code.merging(web) { $1 }.merging([
                "code": webCode, "redirect_uri": "https://web.example/callback",
            ]) { $1 }, mine)
        let renewed = await post(exchange(tokens["refresh_token"], web), other)
        #expect(try Self.bound(renewed) == ["x5t#S256": .string(Self.hash(other))])
    }
}
