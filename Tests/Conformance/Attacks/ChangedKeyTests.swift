@testable import Administration
import Audit
import AuthorizationCore
import Configuration
import HTTPModel
import JOSE
import OAuthWire
import OpenSSLCrypto
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

/// Somebody who can write to the database, but has no master key, changes keys and the configuration.
@Suite("A signing key, client or API whose row was changed counts for nothing, and everything else goes on")
struct ChangedKeyTests {
    private static let statuses = ["next", "current", "previous", "revoked"]

    /// A server with a key of each status for ES256.
    private func server() async throws -> InProcessServer {
        let server = try await InProcessServer()
        let keys = ManageSigningKeys(store: server.storage.store, keys: KnownKeys())
        let context = AdministrativeContext(tenant: try server.tenant.id, actor: .system, now: server.clock.now)
        let next = try KnownKeys().make(.es256, tenant: context.tenant, status: .next, now: server.clock.now)
        try await server.configure { try $0.put(next) }
        for _ in 0..<2 { _ = try await keys.rotate(.es256, for: context) }
        let previous = try await keys.list(context.tenant).filter { $0.algorithm == .es256 && $0.status == .previous }
        _ = try await keys.revoke(try #require(previous.first).id, for: context)
        _ = try await server.configuration.refresh()
        return server
    }

    private func published(_ server: InProcessServer, _ host: String = InProcessServer.host) async throws -> Set<String>
    {
        let answer = await server.send(.get("/.well-known/jwks.json", fields: ["Host": host]))
        return Set(try JWKSet(answer.json).keys.compactMap(\.keyID))
    }

    private func change(_ server: InProcessServer, _ statement: Statement) async throws {
        try await server.database.write { connection in
            #expect(try connection.execute(statement) >= 1)
            try connection.execute("UPDATE configuration SET version = version + 1")
        }
        #expect(try await server.configuration.refresh())
    }

    /// Every bound column with another value, for a key of each status.
    static let changes: [(status: String, column: String)] = statuses.flatMap { status in
        (RowSeal.all.first { $0.table == "signing_key" }?.columns ?? []).filter { $0 != "tenant" && $0 != "id" }.map {
            (status, $0)
        }
    }

    @Test("RFC 7517 5: a key whose row was changed is not published", arguments: changes)
    func changed(status: String, column: String) async throws {
        let server = try await server()
        let before = try await published(server)
        let id = try await server.database.first(
            "SELECT id FROM signing_key WHERE tenant = 'dev' AND algorithm = 'ES256' AND status = \(status)"
        ) { try $0.text(0) }
        let kid = try #require(id)
        let other = try Keys.signer(.es256, "attacker", keyID: kid).publicKey
        let value: SQLValue =
            switch column {
            case "public_key": .text(JSONWriter.string(other.json))
            case "algorithm": .text("ES384")
            case "status": .text(status == "previous" ? "revoked" : "previous")
            case "certificate": .blob([1])
            default: .integer(server.clock.now.milliseconds + 86_400_000_000)
            }
        try await change(
            server, "UPDATE signing_key SET \(raw: column) = \(value) WHERE tenant = 'dev' AND id = \(kid)")
        let after = try await published(server)
        #expect(before.contains(kid) == (status != "revoked"))
        #expect(after == before.subtracting([kid]))
        #expect(server.storage.store.changedRowCount > 0)
        #expect(try await !published(server, InProcessServer.otherHost).isEmpty, "other tenants are served")
    }

    @Test("A key that somebody inserted is not published, and its signatures do not verify")
    func inserted() async throws {
        let server = try await server()
        let attacker = try Keys.signer(.es256, "attacker", keyID: "evil")
        try await change(
            server,
            """
            INSERT INTO signing_key (tenant, id, algorithm, status, public_key, sealed_private_key, created_at,
                changed_at, seal)
            SELECT tenant, 'evil', algorithm, 'previous', \(JSONWriter.string(attacker.publicKey.json)),
                sealed_private_key, created_at, changed_at, seal
            FROM signing_key WHERE tenant = 'dev' AND status = 'current' AND algorithm = 'ES256'
            """)
        #expect(try await !published(server).contains("evil"))
    }

    @Test("A revoked key has no private half that could be restored")
    func revoked() async throws {
        let server = try await server()
        let left = try await server.database.query(
            "SELECT length(sealed_private_key) FROM signing_key WHERE status = 'revoked'"
        ) { try $0.int(0) }
        #expect(left == [0])
    }

    @Test(
        "A changed key is revoked whatever its row says, and afterwards each algorithm has a current and a next key",
        arguments: [
            ("next", "status = 'previous'"), ("next", "algorithm = 'ES384'"), ("next", "seal = x''"),
            ("current", "status = 'previous'"), ("current", "algorithm = 'ES384'"), ("current", "seal = x''"),
            ("previous", "algorithm = 'ES384'"), ("previous", "algorithm = 'RS256'"), ("previous", "seal = x''"),
        ])
    func revoked(status: String, change: String) async throws {
        let server = try await server()
        let keys = ManageSigningKeys(store: server.storage.store, keys: KnownKeys())
        let context = AdministrativeContext(tenant: try server.tenant.id, actor: .system, now: server.clock.now)
        let found = try await keys.list(context.tenant).first { $0.algorithm == .es256 && $0.status.rawValue == status }
        let kid = try #require(found).id
        try await server.database.write { connection in
            try connection.script("UPDATE signing_key SET \(change) WHERE id = '\(kid)'")
            try connection.script("UPDATE configuration SET version = version + 1")
        }
        _ = try await server.configuration.refresh()
        #expect(try await keys.revoke(kid, for: context).status == .revoked)
        let left = try await keys.list(context.tenant).filter { $0.isIntact }
        for algorithm in [JWSAlgorithm.es256, .rs256] {
            for status in [SigningKey.Status.current, .next] {
                #expect(left.filter { $0.algorithm == algorithm && $0.status == status }.count == 1)
            }
        }
        for algorithm in [JWSAlgorithm.es256, .rs256] { _ = try await keys.rotate(algorithm, for: context) }
    }

    @Test("A changed current key signs nothing until it is revoked; then the next one signs")
    func current() async throws {
        let server = try await server()
        let keys = ManageSigningKeys(store: server.storage.store, keys: KnownKeys())
        let context = AdministrativeContext(tenant: try server.tenant.id, actor: .system, now: server.clock.now)
        let before = try await published(server)
        let current = try await keys.list(context.tenant).first { $0.algorithm == .es256 && $0.status == .current }
        let kid = try #require(current).id
        try await change(
            server, "UPDATE signing_key SET created_at = 1 WHERE tenant = 'dev' AND id = \(kid)")
        #expect(try server.entry.keys.signer(for: .es256) == nil)
        #expect(try server.entry.keys.signer(for: .rs256) != nil)
        #expect(try await keys.revoke(kid, for: context).status == .revoked)
        _ = try await server.configuration.refresh()
        let signer = try server.entry.keys.signer(for: .es256)
        #expect(signer?.publicKey.keyID != nil && signer?.publicKey.keyID != kid.rawValue)
        let left = try await published(server)
        #expect(left.isSuperset(of: before.subtracting([kid.rawValue])) && !left.contains(kid.rawValue))
    }

    @Test("A client whose secrets were changed authenticates no more, and others do")
    func client() async throws {
        let server = try await InProcessServer()
        let hash = Samples.hashing.sha256(Array("chosen".utf8))
        try await change(
            server, "UPDATE configuration_object SET secret_hashes = \(hash) WHERE kind = 'client' AND id = 'agent'")
        let parameters: [String: String?] = [
            "client_id": "agent", "client_secret": "chosen", "grant_type": GrantType.ciba.rawValue,
        ]
        let answer = await server.send(.form("/oauth/token", parameters))
        expectError(answer, 401, "invalid_client")
        let other = InProcessClient("second", via: server)
        _ = try await InProcessPhone(in: server)
        _ = try await other.started()
    }

    @Test("An API whose demand for evidence was removed is not served")
    func evidence() async throws {
        let server = try await InProcessServer { setup in
            setup.apis = [try Samples.resourceServer { $0.evidence = .passkey }]
        }
        try await change(
            server,
            """
            UPDATE configuration_object SET document = json_remove(document, '$.evidence')
            WHERE kind = 'resource_server'
            """)
        #expect(try server.entry.resourceServers[Samples.api] == nil)
    }
}
