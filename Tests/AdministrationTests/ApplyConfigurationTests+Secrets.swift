import Audit
import Administration
import AuthorizationCore
import Configuration
import JOSE
import Primitives
import TestSupport
import TestTools
import Testing

/// Secrets and keys of clients and connections.
extension ApplyConfigurationTests {
    @Test("Changes and the audit log contain no secrets or hashes of secrets")
    func noSecrets() async throws {
        let fixture = try await AdministrationFixture()
        let changes = try await fixture.apply.apply(
            try file(Self.full), prune: false, by: .account("jo"), now: Samples.start)
        let told = "\(changes)\(try await fixture.made.database.auditLog())"
        let hash = try #require(try await fixture.passwordHash("auth0|ann"))
        let secret = try #require(try await fixture.part()?.clients.first?.secretHashes.first)
        let sealed = try #require(try await fixture.part()?.connections.last?.upstream?.sealedSecret)
        for text in [
            "correct horse", "environment-secret", "gh-secret", hash, Hex.encode(secret), Hex.encode(sealed),
        ] { #expect(!told.contains(text)) }
    }

    @Test("A client keeps its secret if the file has none")
    func secretStays() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.full)
        let before = try await fixture.part()?.clients.first?.secretHashes
        let changes = try await fixture.apply(Self.changing(#""client_secret": {"env": "SECRET"},"#, ""))
        #expect(changes.contains("unchanged client agent"))
        #expect(try await fixture.part()?.clients.first?.secretHashes == before)
    }

    @Test("A key's id is derived from its content and its date stays; a client that changes to it loses its secret")
    func keyCredential() async throws {
        func text(_ members: String) -> String {
            #"{"tenants": [{"id": "dev", "name": "Dev", "host": "dev.example", "clients": ["#
                + #"{"client_id": "app", "name": "App", \#(members)}]}]}"#
        }
        let fixture = try await AdministrationFixture()
        try await fixture.apply(text(#""client_secret": "\#(Samples.secret)""#))
        let certificate = try TestAuthority.selfSigned("agent").pem
        let method = text(
            #""client_authentication_methods": {"private_key_jwt": {"credentials": [{"name": "one", "pem": "#
                + JSONWriter.string(.string(certificate)) + "}]}}")
        let changes = try await fixture.apply(method)
        #expect(
            changes.contains(
                "changed client app (client_authentication_methods, client_secret, token_endpoint_auth_method)"))
        let client = try #require(try await fixture.part()?.clients.first)
        #expect(client.authenticationMethod == .privateKeyJWT)
        #expect(client.secretHashes == [])
        let credential = try #require(client.credentials.first)
        #expect(credential.id.rawValue.hasPrefix("cred_") && credential.id.rawValue.utf8.count == 27)
        #expect(credential.createdAt == Samples.start)
        guard case .publicKey(let key) = credential.content else { throw Unexpected("no key") }
        // RFC 7638, because the file has none.
        #expect(key.keyID == Base64URL.encode(key.thumbprint(Samples.hashing)))
        let later = Samples.start + .seconds(100)
        let again = try await fixture.apply.apply(
            try file(method, now: later), prune: false, by: .account("jo"), now: later)
        #expect(again.filter { $0.kind == "client" }.map(\.action) == [.unchanged])
    }

    @Test("A client that becomes public loses its secret and needs a new one to become confidential again")
    func publicClient() async throws {
        func text(_ members: String) -> String {
            """
            {"tenants": [{"id": "dev", "name": "Dev", "host": "dev.example", "clients": [
              {"client_id": "app", "name": "App", \(members)}
            ]}]}
            """
        }
        let fixture = try await AdministrationFixture()
        try await fixture.apply(text(#""client_secret": "\#(Samples.secret)""#))
        let changes = try await fixture.apply(text(#""token_endpoint_auth_method": "none""#))
        #expect(changes.contains("changed client app (client_secret, token_endpoint_auth_method)"))
        #expect(try await fixture.part()?.clients.first?.secretHashes == [])
        let failure = try await #require(throws: ConfigurationFile.Failure.self) {
            try await fixture.apply(text(#""token_endpoint_auth_method": "client_secret_post""#))
        }
        #expect(failure.lines.map(\.path) == ["tenants[0].clients[0].client_secret"])
    }

    @Test("A provider's secret is sealed for its connection, and stays if the file has none")
    func upstreamSecret() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.full)
        let sealed = try #require(try await fixture.part()?.connections.last?.upstream?.sealedSecret)
        let context = UpstreamProvider.sealingContext(tenant: TenantID("dev"), connection: "github")
        #expect(try Samples.sealer.open(sealed, context: context).bytes == SecretBytes(utf8: "gh-secret-one").bytes)
        let changes = try await fixture.apply(Self.changing(#", "client_secret": "gh-secret-one""#, ""))
        #expect(changes.contains("unchanged connection github"))
        #expect(try await fixture.part()?.connections.last?.upstream?.sealedSecret == sealed)
    }

    @Test("A new connection to a provider needs a secret")
    func newConnectionWithoutSecret() async throws {
        let fixture = try await AdministrationFixture()
        let failure = try await #require(throws: ConfigurationFile.Failure.self) {
            try await fixture.apply(Self.changing(#", "client_secret": "gh-secret-one""#, ""))
        }
        #expect(
            failure.lines.map { "\($0.path) \($0.message)" }
                == ["tenants[0].connections[1].options.client_secret is required for a new connection"])
    }

    @Test("An old server keeps its secret if the file has none, unless its address changes")
    func oldServer() async throws {
        func text(_ members: String) -> String {
            #"{"tenants": [{"id": "dev", "name": "Dev", "host": "dev.example", "connections": [{"name": "db", "#
                + #""strategy": "auth0", "options": {"old_server": {\#(members)}}}]}]}"#
        }
        let (url, secret) = (#""url": "https://old.example/""#, #""secret": "the secret of the endpoint, 32 bytes""#)
        let fixture = try await AdministrationFixture()
        func problems(_ members: String) async -> String {
            do {
                try await fixture.apply(text(members))
                return ""
            } catch { return "\(error)" }
        }
        #expect(await problems(url).contains("options.old_server.secret"))
        #expect(await problems(#"\#(url), "secret": "short""#).contains("options.old_server.secret"))
        try await fixture.apply(text("\(url), \(secret)"))
        let sealed = try await fixture.part()?.connections.first?.sealedSecret
        #expect(sealed?.isEmpty == false)
        #expect(try await fixture.apply(text("\(url), \(secret)")).contains("unchanged connection db"))
        let changes = try await fixture.apply(text(#"\#(url), "timeout": 9"#))
        #expect(changes.contains { $0.hasPrefix("changed connection db") })
        #expect(try await fixture.part()?.connections.first?.sealedSecret == sealed)
        #expect(await problems(#""url": "https://other.example/""#).contains("options.old_server.secret"))
    }
}
