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

@Suite("RFC 8705 2: client authentication by TLS certificate")
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

    @Test("2.1.2: the subject or any kind of alternative name identifies the client", arguments: good)
    func named(name: CertificateName) async throws {
        let fixture = try await CertificateFixture([.name(name)])
        #expect(await fixture.ask(try fixture.authority.identity(names: Self.names)).status == 200)
    }

    @Test("2.1.2: a certificate with another name is refused", arguments: bad)
    func otherName(name: CertificateName) async throws {
        let fixture = try await CertificateFixture([.name(name)])
        expectError(await fixture.ask(try fixture.authority.identity(names: Self.names)), 401, "invalid_client")
    }

    @Test("2.1: certificates of another authority or for another purpose are refused")
    func foreign() async throws {
        let fixture = try await CertificateFixture([.name(Self.good[0])])
        let stranger = try TestAuthority()
        for identity in [
            try stranger.identity(), try TestAuthority.selfSigned(),
            try fixture.authority.identity(usage: "serverAuth"),
            try fixture.authority.identity("other"),
        ] { expectError(await fixture.ask(identity), 401, "invalid_client") }
        // Sending the foreign authority along changes nothing.
        let chain = ClientCertificate(leaf: try stranger.identity().der, issuers: [stranger.der])
        let parameters = ["client_id": "machine", "grant_type": "client_credentials", "audience": Samples.api]
        expectError(
            await fixture.server.send(CertificateFixture.request("/oauth/token", parameters, chain)), 401,
            "invalid_client")
        #expect(await fixture.ask(try fixture.authority.identity(usage: nil)).status == 200)
    }

    @Test("A certificate and its authority's are valid from their first second to their last")
    func validity() async throws {
        let fixture = try await CertificateFixture([.name(Self.good[0])])
        let early = try fixture.authority.identity(from: Samples.start + .seconds(10))
        expectError(await fixture.ask(early), 401, "invalid_client")
        let short = try fixture.authority.identity(for: .seconds(60 + 20))
        #expect(await fixture.ask(short).status == 200)
        fixture.server.advance(.seconds(21))
        expectError(await fixture.ask(short), 401, "invalid_client")
        #expect(await fixture.ask(early).status == 200)

        let ending = try TestAuthority(for: .seconds(3600 + 10))
        let other = try await CertificateFixture([.name(Self.good[0])], authority: ending)
        let identity = try ending.identity()
        #expect(await other.ask(identity).status == 200)
        other.server.advance(.seconds(11))
        expectError(await other.ask(identity), 401, "invalid_client")
    }

    @Test("2.2: only the registered self-signed certificate is accepted, not another of the same key and name")
    func selfSigned() async throws {
        let mine = try TestAuthority.selfSigned()
        let fixture = try await CertificateFixture(
            [.certificate(try Certificate(der: mine.der).orThrow("unreadable"))], method: .selfSignedTLSClientAuth)
        #expect(await fixture.ask(mine).status == 200)
        expectError(await fixture.ask(try TestAuthority.selfSigned()), 401, "invalid_client")
        expectError(await fixture.ask(try fixture.authority.identity()), 401, "invalid_client")
        expectError(await fixture.ask(nil), 401, "invalid_client")
        fixture.server.advance(.seconds(3_600_000))
        expectError(await fixture.ask(mine), 401, "invalid_client")
    }

    @Test("2.2.2: a certificate in the x5c of the client's published keys is accepted")
    func keySet() async throws {
        let mine = try TestAuthority.selfSigned()
        var key = try Certificate(der: mine.der)?.publicKey.orThrow("no key")
        key?.certificate = mine.der
        let keys = [key].compactMap { $0 }
        let fixture = try await CertificateFixture(method: .selfSignedTLSClientAuth) { $0.jwks = JWKSet(keys: keys) }
        #expect(await fixture.ask(mine).status == 200)
        expectError(await fixture.ask(try TestAuthority.selfSigned()), 401, "invalid_client")
    }

    @Test("RFC 6749 2.3: a client registered for a certificate cannot use a secret, an assertion or nothing")
    func registeredMethod() async throws {
        let fixture = try await CertificateFixture([.name(Self.good[0])])
        let identity = try fixture.authority.identity()
        expectError(await fixture.ask(nil), 401, "invalid_client")
        expectError(await fixture.ask(identity, ["client_secret": Samples.secret]), 401, "invalid_client")
        let assertion = try Samples.assertion(
            "machine", signer: Keys.signer(.es256, "machine"), identifier: "1")
        expectError(
            await fixture.ask(identity, Samples.proof(assertion).merging(["client_id": "machine"]) { $1 }), 401,
            "invalid_client")
        // A certificate does not replace a secret.
        expectError(await fixture.ask(identity, ["client_id": "agent"]), 401, "invalid_client")
        expectError(await fixture.ask(identity, ["client_id": nil]), 401, "invalid_client")
        expectError(await fixture.ask(identity, ["client_id": "nobody"]), 401, "invalid_client")
    }

    @Test("RFC 8705 2: a certificate authenticates CIBA from start to tokens")
    func backchannel() async throws {
        let fixture = try await CertificateFixture([.name(Self.good[0])])
        let certificate = ClientCertificate(leaf: try fixture.authority.identity().der)
        let phone = try await InProcessPhone(in: fixture.server)
        let start = CertificateFixture.request(
            "/bc-authorize",
            [
                "client_id": "machine", "scope": "openid", "binding_message": "TX-1",
                "login_hint": InProcessClient.loginHint(),
            ], certificate)
        let authReqID = try (await fixture.server.send(start)["auth_req_id"]?.stringValue).orThrow("not started")
        let poll = CertificateFixture.request(
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
