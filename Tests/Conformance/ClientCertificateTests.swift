import AuthorizationCore
import HTTPModel
import JOSE
import OAuthWire
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing
import X509

/// A server with clients that prove themselves by certificates.
private struct CertificateWorld {
    static let proxy = "10.1.2.3"

    let server: InProcessServer
    let authority: TestAuthority

    init(
        _ credentials: [ClientCredential.Content] = [], method: Client.AuthenticationMethod = .tlsClientAuth,
        authority: TestAuthority? = nil, _ change: (inout Client) -> Void = { _ in }
    ) async throws {
        let made = try authority ?? TestAuthority()
        self.authority = made
        var client = Samples.client("machine") { client in
            client.secretHashes = [Samples.hashing.sha256(Array(Samples.secret.utf8))]
            client.authenticationMethod = method
            client.grantTypes = [.clientCredentials, .ciba]
            client.limit(to: [Samples.api: nil])
            client.credentials = credentials.enumerated().map { index, content in
                ClientCredential(
                    id: ClientCredentialID("cred_\(index)"), content: content, createdAt: Samples.start)
            }
        }
        change(&client)
        let machine = client
        server = try await InProcessServer { setup in
            setup.clients += [machine, Samples.app("public")]
            setup.clientAuthorities = try ClientAuthorities(pem: made.pem)
            setup.mtlsPort = 9443
            setup.certificateProxies = [IPNetwork("10.1.0.0/16")].compactMap { $0 }
        }
    }

    static func request(
        _ path: String, _ parameters: [String: String?], _ certificate: ClientCertificate?,
        host: String = InProcessServer.host
    ) -> Request {
        var request = Request.form(path, parameters, host: host)
        request.clientCertificate = certificate
        return request
    }

    /// Asks for a token of the client's own.
    func ask(
        _ identity: TestAuthority.Identity?, _ parameters: [String: String?] = [:], host: String = InProcessServer.host
    ) async -> HTTPAnswer {
        let presets: [String: String?] = [
            "client_id": "machine", "grant_type": "client_credentials", "audience": Samples.api,
        ]
        return await server.send(
            Self.request(
                "/oauth/token", presets.merging(parameters) { $1 }, identity.map { ClientCertificate(leaf: $0.der) },
                host: host))
    }
}

@Suite("RFC 8705 2: clients that prove themselves by the certificate of their connection")
struct ClientCertificateTests {
    private static let names = "DNS:agent.example,URI:spiffe://example/agent,IP:192.0.2.7,email:agent@example.com"

    private static let good: [CertificateName] = [
        DistinguishedName("CN=agent").map { .subject($0, text: "CN=agent") }, .dns("Agent.Example"),
        .uri("spiffe://example/agent"), IPAddress("192.0.2.7").map { .address($0) }, .email("agent@example.com"),
    ].compactMap { $0 }

    private static let bad: [CertificateName] = [
        DistinguishedName("CN=Agent").map { .subject($0, text: "CN=Agent") },
        DistinguishedName("CN=agent,O=Example").map { .subject($0, text: "CN=agent,O=Example") },
        .dns("example"), .dns("*.example"), .dns("agent.example."), .uri("spiffe://example/agent/"),
        IPAddress("192.0.2.8").map { .address($0) }, .email("Agent@example.com"), .dns("spiffe://example/agent"),
    ].compactMap { $0 }

    @Test("2.1.2: by subject, and by each kind of alternative name", arguments: good)
    func named(name: CertificateName) async throws {
        let fixture = try await CertificateWorld([.name(name)])
        #expect(await fixture.ask(try fixture.authority.identity(names: Self.names)).status == 200)
    }

    @Test("2.1.2: another name is not the client's", arguments: bad)
    func otherName(name: CertificateName) async throws {
        let fixture = try await CertificateWorld([.name(name)])
        expectError(await fixture.ask(try fixture.authority.identity(names: Self.names)), 401, "invalid_client")
    }

    @Test("2.1: nobody else's certificate, whoever signed it and whatever for")
    func foreign() async throws {
        let fixture = try await CertificateWorld([.name(Self.good[0])])
        let stranger = try TestAuthority()
        for identity in [
            try stranger.identity(), try TestAuthority.selfSigned(),
            try fixture.authority.identity(usage: "serverAuth"),
            try fixture.authority.identity("other"),
        ] { expectError(await fixture.ask(identity), 401, "invalid_client") }
        // The stranger's own authority, sent along, changes nothing.
        let chain = ClientCertificate(leaf: try stranger.identity().der, issuers: [stranger.der])
        let parameters = ["client_id": "machine", "grant_type": "client_credentials", "audience": Samples.api]
        expectError(
            await fixture.server.send(CertificateWorld.request("/oauth/token", parameters, chain)), 401,
            "invalid_client")
        #expect(await fixture.ask(try fixture.authority.identity(usage: nil)).status == 200)
    }

    @Test("A certificate proves something from its first second to its last, and so does its authority's")
    func validity() async throws {
        let fixture = try await CertificateWorld([.name(Self.good[0])])
        let early = try fixture.authority.identity(from: Samples.start + .seconds(10))
        expectError(await fixture.ask(early), 401, "invalid_client")
        let short = try fixture.authority.identity(for: .seconds(60 + 20))
        #expect(await fixture.ask(short).status == 200)
        fixture.server.advance(.seconds(21))
        expectError(await fixture.ask(short), 401, "invalid_client")
        #expect(await fixture.ask(early).status == 200)

        let ending = try TestAuthority(for: .seconds(3600 + 10))
        let other = try await CertificateWorld([.name(Self.good[0])], authority: ending)
        let identity = try ending.identity()
        #expect(await other.ask(identity).status == 200)
        other.server.advance(.seconds(11))
        expectError(await other.ask(identity), 401, "invalid_client")
    }

    @Test("2.2: a certificate that was registered, and no other, not even of the same key and name")
    func selfSigned() async throws {
        let mine = try TestAuthority.selfSigned()
        let fixture = try await CertificateWorld(
            [.certificate(try Certificate(der: mine.der).orThrow("unreadable"))], method: .selfSignedTLSClientAuth)
        #expect(await fixture.ask(mine).status == 200)
        expectError(await fixture.ask(try TestAuthority.selfSigned()), 401, "invalid_client")
        expectError(await fixture.ask(try fixture.authority.identity()), 401, "invalid_client")
        expectError(await fixture.ask(nil), 401, "invalid_client")
        fixture.server.advance(.seconds(3_600_000))
        expectError(await fixture.ask(mine), 401, "invalid_client")
    }

    @Test("2.2.2: a certificate that stands with a key of the client's own document")
    func keySet() async throws {
        let mine = try TestAuthority.selfSigned()
        var key = try Certificate(der: mine.der)?.publicKey.orThrow("no key")
        key?.certificate = mine.der
        let keys = [key].compactMap { $0 }
        let fixture = try await CertificateWorld(method: .selfSignedTLSClientAuth) { $0.jwks = JWKSet(keys: keys) }
        #expect(await fixture.ask(mine).status == 200)
        expectError(await fixture.ask(try TestAuthority.selfSigned()), 401, "invalid_client")
    }

    @Test("RFC 6749 2.3: a certificate is one method; a secret, an assertion or nothing is another")
    func registeredMethod() async throws {
        let fixture = try await CertificateWorld([.name(Self.good[0])])
        let identity = try fixture.authority.identity()
        expectError(await fixture.ask(nil), 401, "invalid_client")
        expectError(await fixture.ask(identity, ["client_secret": Samples.secret]), 401, "invalid_client")
        let assertion = try Samples.assertion(
            "machine", signer: Keys.signer(.es256, "machine"), identifier: "1")
        expectError(
            await fixture.ask(identity, Samples.proof(assertion).merging(["client_id": "machine"]) { $1 }), 401,
            "invalid_client")
        // A certificate stands in for no secret.
        expectError(await fixture.ask(identity, ["client_id": "agent"]), 401, "invalid_client")
        expectError(await fixture.ask(identity, ["client_id": nil]), 401, "invalid_client")
        expectError(await fixture.ask(identity, ["client_id": "nobody"]), 401, "invalid_client")
    }

    @Test("RFC 8705 2: CIBA from start to tokens")
    func backchannel() async throws {
        let fixture = try await CertificateWorld([.name(Self.good[0])])
        let certificate = ClientCertificate(leaf: try fixture.authority.identity().der)
        let phone = try await InProcessPhone(in: fixture.server)
        let start = CertificateWorld.request(
            "/bc-authorize",
            [
                "client_id": "machine", "scope": "openid", "binding_message": "TX-1",
                "login_hint": InProcessClient.loginHint(),
            ], certificate)
        let authReqID = try (await fixture.server.send(start)["auth_req_id"]?.stringValue).orThrow("not started")
        let poll = CertificateWorld.request(
            "/oauth/token",
            ["client_id": "machine", "grant_type": GrantType.ciba.rawValue, "auth_req_id": authReqID], certificate)
        expectError(await fixture.server.send(poll), 400, "authorization_pending")
        fixture.server.advance(.seconds(5))
        var bare = poll
        bare.clientCertificate = nil
        expectError(await fixture.server.send(bare), 401, "invalid_client")
        #expect(try await phone.decide(authReqID).status == 204)
        let tokens = await fixture.server.send(poll)
        #expect(tokens.status == 200)
        let access = try JWS(parsing: try (tokens["access_token"]?.stringValue).orThrow("none"))
        #expect(access.unverifiedClaims?["cnf"] == nil, "it was not asked for")
    }
}

@Suite("RFC 8705 3: tokens that are bound to a certificate")
struct BoundTokenTests {
    private static func hash(_ identity: TestAuthority.Identity) -> String {
        Base64URL.encode(Samples.hashing.sha256(identity.der))
    }

    private static func bound(_ answer: HTTPAnswer) throws -> JSONValue? {
        try JWS(parsing: try (answer["access_token"]?.stringValue).orThrow(answer.text)).unverifiedClaims?["cnf"]
    }

    @Test("3.1: client credentials give a token with the certificate's hash; without a certificate there is none")
    func clientCredentials() async throws {
        let mine = try TestAuthority.selfSigned()
        let certificate = try Certificate(der: mine.der).orThrow("unreadable")
        for method in [Client.AuthenticationMethod.selfSignedTLSClientAuth, .clientSecretPost] {
            let registered: [ClientCredential.Content] = method == .clientSecretPost ? [] : [.certificate(certificate)]
            let fixture = try await CertificateWorld(registered, method: method) {
                $0.bindsTokensToCertificate = true
            }
            let secret = method == .clientSecretPost ? Samples.secret : nil
            let answer = await fixture.ask(mine, ["client_secret": secret])
            #expect(try Self.bound(answer) == ["x5t#S256": .string(Self.hash(mine))])
            if secret != nil { expectError(await fixture.ask(nil, ["client_secret": secret]), 400, "invalid_request") }
            // 3.2: a resource server that is told of the token is told of the binding.
            let told = await fixture.server.send(
                CertificateWorld.request(
                    "/oauth/introspect",
                    ["client_id": "machine", "client_secret": secret, "token": answer["access_token"]?.stringValue],
                    ClientCertificate(leaf: mine.der)))
            #expect(told["active"] == true)
            #expect(told["cnf"] == ["x5t#S256": .string(Self.hash(mine))])
        }
    }

    @Test("CIBA: the poll's certificate binds the token, and a poll without one is refused before the decision")
    func backchannel() async throws {
        let fixture = try await CertificateWorld(method: .clientSecretPost) { $0.bindsTokensToCertificate = true }
        let phone = try await InProcessPhone(in: fixture.server)
        let client = InProcessClient("machine", via: fixture.server)
        let authReqID = try await client.started()
        expectError(try await client.poll(authReqID), 400, "invalid_request")
        let mine = try TestAuthority.selfSigned()
        let poll = CertificateWorld.request(
            "/oauth/token", client.pollParameters(authReqID), ClientCertificate(leaf: mine.der))
        expectError(await fixture.server.send(poll), 400, "authorization_pending")
        // Also where this node remembers that the request is pending.
        expectError(try await client.poll(authReqID), 400, "invalid_request")
        #expect(try await phone.decide(authReqID).status == 204)
        fixture.server.advance(.seconds(10))
        let tokens = await fixture.server.send(poll)
        #expect(try Self.bound(tokens) == ["x5t#S256": .string(Self.hash(mine))])
        try await userInfo(fixture.server, tokens, mine)
    }

    /// RFC 8705 clause 3: the token opens something with its certificate alone.
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

    @Test("4: a public client's refresh tokens are bound, too; each exchange gives bound tokens")
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
                CertificateWorld.request(
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

        // A confidential client proves itself, so its certificate may be renewed.
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

@Suite("RFC 9440: certificates that a proxy passes on")
struct ForwardedCertificateTests {
    private func ask(
        _ fixture: CertificateWorld, from address: String, _ fields: HTTPFields,
        certificate: ClientCertificate? = nil
    ) async -> HTTPAnswer {
        var request = CertificateWorld.request(
            "/oauth/token",
            ["client_id": "machine", "grant_type": "client_credentials", "audience": Samples.api], certificate)
        request.remoteAddress = address
        for field in fields { request.fields.append(field.name, field.value) }
        return await fixture.server.send(request)
    }

    private static func field(_ der: [UInt8]) -> String { ":\(Base64.encode(der)):" }

    @Test("2.2: a listed proxy is believed, and nobody else")
    func proxies() async throws {
        let mine = try TestAuthority.selfSigned()
        let fixture = try await CertificateWorld(
            [.certificate(try Certificate(der: mine.der).orThrow("unreadable"))], method: .selfSignedTLSClientAuth)
        let fields: HTTPFields = ["Client-Cert": Self.field(mine.der)]
        for address in ["10.1.2.3", "10.1.255.255", "::ffff:10.1.0.1"] {
            #expect(await ask(fixture, from: address, fields).status == 200, "\(address)")
        }
        for address in ["10.2.0.1", "127.0.0.1", "::1", "203.0.113.9", ""] {
            expectError(await ask(fixture, from: address, fields), 401, "invalid_client")
        }
        // What the proxy shows to get here is its own.
        expectError(
            await ask(fixture, from: CertificateWorld.proxy, [:], certificate: ClientCertificate(leaf: mine.der)), 401,
            "invalid_client")
        // From others the field neither gives nor takes anything.
        let own = ClientCertificate(leaf: mine.der)
        let other = Self.field(try TestAuthority.selfSigned().der)
        #expect(await ask(fixture, from: "203.0.113.9", ["Client-Cert": other], certificate: own).status == 200)
        expectError(
            await ask(fixture, from: CertificateWorld.proxy, ["Client-Cert": other], certificate: own), 401,
            "invalid_client")
        // A chain without a certificate is none.
        expectError(
            await ask(fixture, from: CertificateWorld.proxy, ["Client-Cert-Chain": Self.field(mine.der)]), 401,
            "invalid_client")
    }

    @Test("2.3: intermediate authorities come in Client-Cert-Chain")
    func chain() async throws {
        let name = try DistinguishedName("CN=agent").orThrow("unreadable")
        let fixture = try await CertificateWorld([.name(.subject(name, text: "CN=agent"))])
        let identity = try fixture.authority.identity()
        let fields: HTTPFields = [
            "Client-Cert": Self.field(identity.der),
            "Client-Cert-Chain": "\(Self.field(fixture.authority.der)), \(Self.field(fixture.authority.der))",
        ]
        #expect(await ask(fixture, from: CertificateWorld.proxy, fields).status == 200)
        let stranger = try TestAuthority()
        let foreign: HTTPFields = [
            "Client-Cert": Self.field(try stranger.identity().der), "Client-Cert-Chain": Self.field(stranger.der),
        ]
        expectError(await ask(fixture, from: CertificateWorld.proxy, foreign), 401, "invalid_client")
    }

    @Test(
        "A proxy's field that is not as it must be is refused, not passed over",
        arguments: ["", ":", "::", "AAAA", ":AAA:", ":AAAA", ":AA*A:", "\"AAAA\"", ":AAAA:, :AAAA:"])
    func malformed(text: String) async throws {
        let fixture = try await CertificateWorld()
        let fields: HTTPFields = ["Client-Cert": text]
        expectError(await ask(fixture, from: CertificateWorld.proxy, fields), 400, "invalid_request")
        var repeated: HTTPFields = ["Client-Cert": ":AAAA:"]
        repeated.append("client-cert", ":AAAA:")
        expectError(await ask(fixture, from: CertificateWorld.proxy, repeated), 400, "invalid_request")
    }
}

@Suite("RFC 8705 5: addresses where certificates are asked for")
struct CertificateAliasTests {
    @Test("Every endpoint that clients call has one, under each of the tenant's names; those of browsers have none")
    func discovery() async throws {
        let fixture = try await CertificateWorld()
        for host in [InProcessServer.host, InProcessServer.customHost] {
            let path = "/.well-known/openid-configuration"
            let document = await fixture.server.send(.get(path, host: host)).json
            let aliases = try (document["mtls_endpoint_aliases"]?.objectValue).orThrow("not advertised")
            #expect(
                Set(aliases.map(\.name)) == [
                    "token_endpoint", "userinfo_endpoint", "revocation_endpoint", "introspection_endpoint",
                    "pushed_authorization_request_endpoint", "backchannel_authentication_endpoint",
                ])
            #expect(aliases["token_endpoint"] == .string("https://\(host):9443/oauth/token"))
            #expect(document["tls_client_certificate_bound_access_tokens"] == true)
            let methods = try (document["token_endpoint_auth_methods_supported"]?.stringsValue).orThrow("no methods")
            #expect(methods.contains("tls_client_auth") && methods.contains("self_signed_tls_client_auth"))
            // The issuer stays what it is.
            let there = await fixture.server.send(.get(path, host: "\(host):9443")).json
            #expect(there["issuer"] == .string("https://\(host)/"))
            #expect(there == document)
        }
    }

    @Test("The alias is the tenant's; another port, or another's name, is nobody's")
    func hosts() async throws {
        let name = try DistinguishedName("CN=agent").orThrow("unreadable")
        let fixture = try await CertificateWorld([.name(.subject(name, text: "CN=agent"))])
        let identity = try fixture.authority.identity()
        #expect(await fixture.ask(identity, host: "dev.example:9443").status == 200)
        #expect(await fixture.ask(identity, host: "DEV.example:9443").status == 200)
        expectError(await fixture.ask(identity, host: "other.example:9443"), 401, "invalid_client")
        for host in ["dev.example:9444", "nobody.example:9443", ":9443", "dev.example:"] {
            expectError(await fixture.ask(identity, host: host), 404, "not_found")
        }
    }

    @Test("What needs certificates is advertised where they come, and authorities' where there are any")
    func honesty() async throws {
        for (port, proxies) in [(nil, false), (9443, false), (nil, true)] as [(UInt16?, Bool)] {
            let server = try await InProcessServer { setup in
                setup.mtlsPort = port
                setup.certificateProxies = proxies ? [IPNetwork("10.1.0.0/16")].compactMap { $0 } : []
            }
            let document = await server.send(.get("/.well-known/openid-configuration")).json
            let methods = try (document["token_endpoint_auth_methods_supported"]?.stringsValue).orThrow("no methods")
            #expect(!methods.contains("tls_client_auth"))
            #expect(methods.contains("self_signed_tls_client_auth") == (port != nil || proxies))
            #expect(document["tls_client_certificate_bound_access_tokens"] == .bool(port != nil || proxies))
        }
    }

    @Test("An assertion may be for the alias that was called")
    func audience() async throws {
        let client = try Samples.signingClient()
        let server = try await InProcessServer { setup in
            setup.clients = [client]
            setup.mtlsPort = 9443
        }
        let assertion = try Samples.assertion(identifier: "1") { $0["aud"] = "https://dev.example:9443/oauth/revoke" }
        let parameters = Samples.proof(assertion).merging(["token": "x"]) { $1 }
        expectError(await server.send(.form("/oauth/revoke", parameters)), 401, "invalid_client")
        #expect(await server.send(.form("/oauth/revoke", parameters, host: "dev.example:9443")).status == 200)
    }
}
