package import ApprovalWire
import Audit
package import AuthorizationCore
package import Flows
package import GuardianWire
package import JOSE
import JSONSchema
import OAuthWire
package import OpenSSLCrypto
package import Primitives

/// Valid tenants, clients, users and devices, which tests change as needed.
package enum Samples {
    package static let hashing = OpenSSLHashing()
    package static let start = ManualClock().now
    package static let secret = "a-client-secret-of-thirty-two-bytes!"
    package static let api = "https://pay.example/"

    package static func tenant(
        _ id: String = "dev", hosts: [String] = [], _ change: (inout Tenant) -> Void = { _ in }
    ) -> Tenant {
        var tenant = Tenant(
            id: TenantID(id), name: "Tenant \(id)", hosts: hosts.isEmpty ? ["\(id).example"] : hosts)
        change(&tenant)
        return tenant
    }

    package static func client(_ id: String = "agent", _ change: (inout Client) -> Void = { _ in }) -> Client {
        var client = Client(
            id: ClientID(id), name: "Client \(id)", secretHashes: [hashing.sha256(Array(secret.utf8))])
        client.grantTypes = [.ciba, .refreshToken]
        client.idTokenAlgorithm = .es256
        change(&client)
        return client
    }

    package static func user(_ id: String = "auth0|ann", _ change: (inout User) -> Void = { _ in }) -> User {
        var user = User(id: UserID(id), createdAt: start)
        change(&user)
        return user
    }

    package static func account(_ id: String = "auth0|ann", _ change: (inout User) -> Void = { _ in }) -> Account {
        Account(user: user(id, change), passwordHash: nil)
    }

    /// An API with the scopes `pay:read` and `pay:send` and the type `payment`.
    package static func resourceServer(
        _ identifier: String = api, schema: JSONValue? = nil, _ change: (inout ResourceServer) -> Void = { _ in }
    ) throws -> ResourceServer {
        var api = ResourceServer(identifier: identifier, name: "Payments")
        api.signingAlgorithm = .es256
        api.scopes = [
            ResourceServer.Scope(value: "pay:read", description: "See your payments"),
            ResourceServer.Scope(value: "pay:send", description: "Pay in your name"),
        ]
        var payment = ResourceServer.AuthorizationDetailsType(type: "payment", schemaSource: schema)
        if let schema { payment.schema = .success(try JSONSchema(compiling: schema)) }
        api.authorizationDetailsTypes = [payment]
        change(&api)
        return api
    }

    package static func device(
        _ id: String = "dev_one", tenant: String = "dev", user: String = "auth0|ann", identifier: String = "PHONE-1",
        key: JWK? = nil, push: PushCredentials? = nil, enrolledAt: Timestamp = start,
        capabilities: Set<DeviceCapability> = []
    ) throws -> Device {
        Device(
            id: DeviceID(id), tenant: TenantID(tenant), user: UserID(user), identifier: identifier,
            name: "Phone \(id)", publicKey: try key ?? Keys.signer(.es256).publicKey, push: push,
            enrolledAt: enrolledAt, capabilities: capabilities)
    }

    /// An `auth_req_id` and the request it names.
    package static func request(
        _ authReqID: String = "request", tenant: String = "dev", client: String = "agent", user: String = "auth0|ann",
        scope: String = "openid", audience: String = api, details: JSONValue? = nil,
        channel: Client.NotificationChannel = .guardianPush, at now: Timestamp = start,
        lifetime: Duration = .seconds(300), display: RequestRecord.Display = RequestRecord.Display()
    ) -> (hash: AuthReqIDHash, request: BackchannelRequest) {
        let hash = AuthReqIDHash(of: authReqID, hashing)
        let record = RequestRecord(
            id: hash.consentID.rawValue, issuer: "https://\(tenant).example/", tenant: tenant,
            client: RequestRecord.Party(id: client, name: "Client \(client)"), user: user,
            audience: RequestRecord.Party(id: audience, name: "Payments"),
            scope: scope.split(separator: " ").map { RequestRecord.Scope(value: String($0), description: nil) },
            bindingMessage: "TX-4711", authorizationDetails: details?.arrayValue?.compactMap(\.objectValue) ?? [],
            display: display, createdAt: now, expiresAt: now + lifetime, salt: "salt")
        return (hash, vault.request(record, channel: channel, interval: 5))
    }

    /// Seals like the server of a test. Reports go nowhere.
    package static let vault = RequestVault(
        sealer: sealer, hashing: hashing, refusals: RefusalLog(log: DiscardedAuditLog()))

    private struct DiscardedAuditLog: AuditLog {
        func record(_ events: [AuditEvent]) async throws {}
    }

    /// A tenant's configuration whose keys sign RS256, PS256, ES256 and EdDSA.
    package static func configuration(
        _ tenant: Tenant = tenant(), clients: [Client] = [client()], apis: [ResourceServer]? = nil, roles: [Role] = []
    ) throws -> TenantConfiguration {
        let signers = try [JWSAlgorithm.rs256, .ps256, .es256, .edDSA].map {
            try Keys.signer($0, "tenant", keyID: "kid-\($0.rawValue)")
        }
        return TenantConfiguration(
            tenant: tenant, clients: clients, resourceServers: try apis ?? [resourceServer()], roles: roles,
            keys: KeyRing(current: signers, published: signers.map(\.publicKey)))
    }
}

extension RequestVault {
    /// The request of a row that nobody changed.
    package func opened(_ sealed: SealedRequest) async throws -> BackchannelRequest? {
        try await open(
            sealed, for: .redemption,
            context: RequestContext(configuration: try Samples.configuration(), now: Samples.start))
    }
}
