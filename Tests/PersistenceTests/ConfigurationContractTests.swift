import Administration
import Audit
import AuthorizationCore
@testable import Configuration
import Flows
import JOSE
import Localization
import OAuthWire
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Store contract: the configuration")
struct ConfigurationContractTests {
    private let dev = TenantID("dev")

    private struct Refused: Error {}

    private func everything() throws -> StoredTenant {
        var tenant = Samples.tenant("dev", hosts: ["dev.example", "login.dev.example:8443"])
        tenant.name = "Dév \"quoted\""
        tenant.settings.requestsPerMinutePerUser = 6
        tenant.settings.pendingRequestsPerUser = 21
        tenant.settings.pendingRequests = 22
        tenant.settings.pollInterval = 7
        tenant.settings.longPollMaximum = 23
        tenant.settings.bindingMessageAlphabet = .unicode
        tenant.settings.expiredAsDenied = true
        tenant.settings.pushEnabled = false
        tenant.settings.defaultAudience = Samples.api
        tenant.settings.refreshTokenLifetime = 61
        tenant.settings.authorizationDetailsLimits.bytes = 100
        tenant.settings.authorizationDetailsLimits.entries = 2
        tenant.settings.authorizationDetailsLimits.properties = 3
        tenant.settings.authorizationDetailsLimits.nameLength = 4
        tenant.settings.authorizationDetailsLimits.valueLength = 5
        tenant.settings.authorizationDetailsLimits.depth = 6
        let full = Samples.client("full") { client in
            client.secretHashes.append([UInt8](repeating: 8, count: 32))
            client.authenticationMethod = .clientSecretBasic
            client.isFirstParty = false
            client.notificationChannels = [.email, .guardianPush]
            client.allowsLongPush = true
            client.limit(to: [Samples.api: ["pay:read"], "https://all.example/": nil as Set<String>?])
            client.idTokenAlgorithm = .edDSA
            client.idTokenLifetime = 77
            client.oidcConformant = false
        }
        let api = try Samples.resourceServer(schema: ["type": "object", "required": ["amount"]]) { api in
            api.signingAlgorithm = .ps256
            api.tokenDialect = .rfc9068Authz
            api.tokenLifetime = 99
            api.allowsOfflineAccess = true
            api.enforcesPolicies = true
            api.requiresTransactionalMFA = true
            api.authorizationDetailsTypes[0].isUrgent = true
        }
        let role = Role(
            id: RoleID("rol_payer"), name: "Payer", description: "Pays",
            permissions: [Role.Permission(resourceServer: Samples.api, scope: "pay:send")])
        return StoredTenant(
            tenant: tenant, clients: [Samples.client("bare") { $0.limit(to: [:]) }, full], resourceServers: [api],
            roles: [role], signingKeys: [try signingKey("k1", .current), try signingKey("k2", .next)])
    }

    private func signingKey(
        _ id: String, _ status: SigningKey.Status, _ algorithm: JWSAlgorithm = .es256, tenant: String = "dev"
    ) throws -> SigningKey {
        SigningKey(
            id: SigningKeyID(id), tenant: TenantID(tenant), algorithm: algorithm, status: status,
            sealedPrivateKey: [1, 2, 3], publicKey: try Keys.signer(algorithm, id, keyID: id).publicKey,
            certificate: [4, 5, 6], createdAt: Samples.start, changedAt: Samples.start + .seconds(1),
            currentSince: Samples.start + .seconds(2), currentUntil: Samples.start + .seconds(3))
    }

    @Test("A key's certificate is set once", arguments: StoreKind.all)
    func certify(kind: StoreKind) async throws {
        let made = try await kind.make()
        var key = try signingKey("k1", .current)
        key.certificate = []
        let bare = key
        try await made.store.change { transaction in
            try transaction.put(Samples.tenant())
            try transaction.put(bare)
        }
        func stored() async throws -> [UInt8]? {
            try await made.store.tenants().first?.signingKeys.first?.certificate
        }
        #expect(try await stored() == [])
        for certificate in [[1, 2], [3, 4]] as [[UInt8]] {
            key.certificate = certificate
            let certified = key
            let version = try await made.store.version()
            try await made.store.change { try $0.certify(certified) }
            #expect(try await made.store.version() > version, "servers take it up")
        }
        #expect(try await stored() == [1, 2])
    }

    private func put(_ part: StoredTenant, in made: TemporaryStore) async throws {
        try await made.store.change { transaction in
            try transaction.put(part.tenant)
            for client in part.clients { try transaction.put(client, in: part.tenant.id) }
            for api in part.resourceServers { try transaction.put(api, in: part.tenant.id) }
            for role in part.roles { try transaction.put(role, in: part.tenant.id) }
            for key in part.signingKeys { try transaction.put(key) }
        }
    }

    @Test("Every field of tenant, client, API, role and key is stored", arguments: StoreKind.all)
    func roundTrip(kind: StoreKind) async throws {
        let made = try await kind.make()
        let part = try everything()
        try await put(part, in: made)
        let stored = try #require(try await made.store.tenants().first)
        #expect(stored.tenant == part.tenant)
        #expect(stored.clients == part.clients)
        #expect(stored.roles == part.roles)
        #expect(stored.signingKeys == part.signingKeys)
        let api = try #require(stored.resourceServers.first)
        #expect(api.document == part.resourceServers[0].document)
        #expect(api.scopes == part.resourceServers[0].scopes)
        #expect(api.requiresTransactionalMFA)
        #expect(api.authorizationDetailsTypes.first?.schemaSource != nil)
        #expect(api.authorizationDetailsTypes.first?.isUrgent == true)
    }

    @Test("Every field of a user is stored, with the password's hash", arguments: StoreKind.all)
    func user(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let user = Samples.user("auth0|full") { user in
            user.email = "ann@example.org"
            user.emailVerified = true
            user.name = "Ann Ô"
            user.givenName = "Ann"
            user.familyName = "O'Hara"
            user.nickname = "a"
            user.picture = "https://img.example/ann.png"
            user.phoneNumber = "+41441234567"
            user.language = .french
            user.blocked = true
            user.roles = [RoleID("rol_b"), RoleID("rol_a")]
            user.updatedAt = Samples.start + .seconds(5)
        }
        let stored = try await made.store.change { transaction in
            try transaction.put(user, passwordHash: "$argon2id$x", in: dev)
            return try [transaction.user(user.id, in: dev), transaction.user(UserID("auth0|ann"), in: dev)].map {
                "\($0.map { $0.user == user } ?? false) \($0?.passwordHash ?? "none")"
            }
        }
        #expect(stored == ["true $argon2id$x", "false none"])
        let owner = try await made.store.change { transaction in
            try [
                transaction.user(email: "ann@example.org", in: dev), transaction.user(email: "x@example.org", in: dev),
            ]
        }
        #expect(owner == [user.id, nil])
        #expect(try await made.store.approver(.id(user.id), tenant: dev)?.user == user)
    }

    @Test(
        "Permissions and Management API scopes of all users are found, by roles that somebody has",
        arguments: StoreKind.all)
    func rights(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let found = try await made.store.change { transaction in
            let audience = try #require(try transaction.tenant(dev)).managementAudience
            func role(_ id: String, _ scope: String) -> Role {
                let permission = Role.Permission(resourceServer: audience, scope: scope)
                return Role(id: RoleID(id), name: id, description: "", permissions: [permission])
            }
            try transaction.put(role("rol_had", "read:roles"), in: dev)
            try transaction.put(role("rol_unused", "delete:users"), in: dev)
            let direct = Role.Permission(resourceServer: audience, scope: "read:users")
            let other = Role.Permission(resourceServer: "https://other.example/", scope: "read:all")
            try transaction.put(Samples.user("auth0|a") { $0.permissions = [direct] }, passwordHash: nil, in: dev)
            try transaction.put(
                Samples.user("auth0|b") {
                    $0.permissions = [direct, other]
                    $0.roles = [RoleID("rol_had")]
                }, passwordHash: nil, in: dev)
            let permissions = try transaction.permissionsOfUsers(in: dev)
            let elsewhere = try transaction.permissionsOfUsers(in: TenantID("other"))
            return (permissions == [direct, other], elsewhere, try transaction.managementScopes(ofAnybodyIn: dev))
        }
        #expect(found.0 && found.1.isEmpty && found.2 == ["read:users", "read:roles"], "\(found)")
    }

    @Test("An e-mail address belongs to one user of a tenant", arguments: StoreKind.all)
    func emailIsUnique(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.change { transaction in
            try transaction.put(Samples.user("auth0|a") { $0.email = "x@example.org" }, passwordHash: nil, in: dev)
            try transaction.put(
                Samples.user("auth0|a") { $0.email = "x@example.org" }, passwordHash: nil, in: TenantID("other"))
        }
        await #expect(throws: SQLError.self) {
            try await made.store.change { transaction in
                try transaction.put(Samples.user("auth0|b") { $0.email = "x@example.org" }, passwordHash: nil, in: dev)
            }
        }
    }

    @Test("The version grows with each change of the configuration, and with nothing else", arguments: StoreKind.all)
    func version(kind: StoreKind) async throws {
        let made = try await kind.make()
        let part = try everything()
        var last = try await made.store.version()
        func grown() async throws -> Bool {
            let version = try await made.store.version()
            defer { last = version }
            return version > last
        }
        try await put(part, in: made)
        #expect(try await grown())
        for change in changes(part) {
            try await made.store.change(change)
            #expect(try await grown())
        }
        try await made.store.change { transaction in
            try transaction.put(Samples.user(), passwordHash: nil, in: dev)
            try transaction.record(AuditEvent(.configurationApplied, tenant: dev, at: Samples.start))
            _ = try transaction.tenants()
        }
        #expect(try await grown() == false, "users are read at every request")
        try await made.started()
        #expect(try await grown() == false)
    }

    private func changes(
        _ part: StoredTenant
    ) -> [@Sendable (any UserTransaction) throws -> Void] {
        [
            { try $0.put(part.tenant) },
            { try $0.put(part.clients[0], in: part.tenant.id) },
            { try $0.put(part.resourceServers[0], in: part.tenant.id) },
            { try $0.put(part.roles[0], in: part.tenant.id) },
            { try $0.put(part.signingKeys[0]) },
            { try $0.remove(client: part.clients[0].id, from: part.tenant.id, now: Samples.start) },
            {
                _ = try $0.remove(
                    resourceServer: part.resourceServers[0].identifier, from: part.tenant.id, now: Samples.start)
            },
            { try $0.remove(role: part.roles[0].id, from: part.tenant.id) },
        ]
    }

    @Test("A change that fails changes nothing", arguments: StoreKind.all)
    func atomicity(kind: StoreKind) async throws {
        let made = try await kind.make()
        try await put(try everything(), in: made)
        let version = try await made.store.version()
        await #expect(throws: Refused.self) {
            try await made.store.change { transaction in
                try transaction.put(Samples.tenant("new"))
                try transaction.remove(client: ClientID("full"), from: dev, now: Samples.start)
                try transaction.put(Samples.user(), passwordHash: nil, in: dev)
                try transaction.record(AuditEvent(.configurationApplied, tenant: dev, at: Samples.start))
                throw Refused()
            }
        }
        let stored = try await made.store.tenants()
        #expect(stored.map(\.tenant.id) == [dev])
        #expect(stored[0].clients.count == 2)
        #expect(try await made.database.count("\"user\"") == 0)
        #expect(try await made.database.auditLog().isEmpty)
        #expect(try await made.store.version() == version)
    }

    @Test("Removing deletes only the named object of the named tenant", arguments: StoreKind.all)
    func removal(kind: StoreKind) async throws {
        let made = try await kind.make()
        try await put(try everything(), in: made)
        try await made.store.change { transaction in
            try transaction.remove(client: ClientID("full"), from: TenantID("other"), now: Samples.start)
            try transaction.remove(client: ClientID("bare"), from: dev, now: Samples.start)
            #expect(try transaction.remove(resourceServer: Samples.api, from: dev, now: Samples.start).isEmpty)
            try transaction.remove(role: RoleID("rol_payer"), from: dev)
        }
        let part = try #require(try await made.store.tenants().first)
        #expect(part.clients.map(\.id) == [ClientID("full")])
        #expect(part.resourceServers.isEmpty)
        #expect(part.roles.isEmpty)
    }

    @Test("Each algorithm has one signing key and one next key", arguments: StoreKind.all)
    func keyRoles(kind: StoreKind) async throws {
        let made = try await kind.make()
        try await put(try everything(), in: made)
        for status in [SigningKey.Status.current, .next] {
            await #expect(throws: SQLError.self) {
                try await made.store.change { try $0.put(try signingKey("third", status)) }
            }
        }
        try await made.store.change { transaction in
            try transaction.put(try signingKey("p1", .previous))
            try transaction.put(try signingKey("p2", .previous))
            try transaction.put(try signingKey("rsa", .current, .rs256))
        }
        #expect(try await made.store.tenants().first?.signingKeys.count == 5)
    }

    @Test("A stored document that somebody else wrote is left out, and is no error", arguments: StoreKind.all)
    func corrupt(kind: StoreKind) async throws {
        let made = try await kind.make()
        try await put(try everything(), in: made)
        try await made.database.write { connection in
            _ = try connection.execute(
                #"UPDATE configuration_object SET document = '{"id":"rol_payer","name":"x","newer":1}' WHERE kind = 'role'"#
            )
        }
        let stored = try #require(try await made.store.tenants().first)
        #expect(stored.roles.isEmpty)
        #expect(stored.clients.count == 2)
    }
}
