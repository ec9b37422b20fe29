import Administration
import ApprovalWire
import Audit
import AuthorizationCore
import Configuration
import FIDO2Passkeys
@testable import Flows
import GuardianWire
import JOSE
import OAuthWire
import OpenSSLCrypto
import Persistence
import Primitives
import Synchronization
import TestSupport
import Testing

/// A tenant with everything that a flow needs, on its own store, with a stopped clock.
struct FlowFixture {
    let made: TemporaryStore
    let clock = ManualClock()
    let timer: ManualTimer
    let random = SeededRandom()
    let signal = RecordingSignal()
    let cache = PendingRequestCache()
    let hub: DecisionHub
    let secrets: GuardianTransactionTokens
    let digests = Digests()
    let refusals: RefusalLog
    let budgets = AuditBudgets()
    let vault: RequestVault
    let verifier = OpenSSLVerifier()
    var configuration: TenantConfiguration

    static let remote = "192.0.2.7"
    static let starts = RepeatableStarts(key: SecretBytes([UInt8](repeating: 7, count: 32)), hashing: Samples.hashing)
    static let refreshTokens = RefreshTokenSecrets(
        key: SecretBytes([UInt8](repeating: 6, count: 32)), hashing: Samples.hashing)

    /// The user Ann always exists. She has a phone if `phone` is true.
    init(
        tenant: Tenant = Samples.tenant(), clients: [Client] = [Samples.client()], apis: [ResourceServer]? = nil,
        roles: [Role] = [], phone: Bool = true, ann change: (inout User) -> Void = { _ in }
    ) async throws {
        made = try await TemporaryStore()
        made.store.watchEntries { [signal] in signal.note($0) }
        refusals = RefusalLog(log: made.store)
        vault = RequestVault(sealer: Samples.sealer, hashing: Samples.hashing, refusals: refusals)
        timer = ManualTimer(clock)
        hub = DecisionHub(cache: cache)
        secrets = GuardianTransactionTokens(
            key: SecretBytes([UInt8](repeating: 5, count: 32)), hashing: Samples.hashing)
        configuration = try Samples.configuration(tenant, clients: clients, apis: apis, roles: roles)
        let ann = Samples.user("auth0|ann", change)
        try await configurationStore.change { transaction in
            try transaction.put(tenant)
            try transaction.put(ann, passwordHash: nil, in: tenant.id)
        }
        if phone { try await enrol(Samples.device()) }
    }

    var configurationStore: any ConfigurationStore { made.store }
    var startStore: any BackchannelStartStore { made.store }
    var redeemStore: any BackchannelRedeemStore { made.store }
    var resolveStore: any BackchannelResolveStore { made.store }
    var consentStore: any ConsentStore { made.store }
    var enrollmentStore: any EnrollmentStore & ApproverStore { made.store }
    var pendingStore: any PendingRequestStore { made.store }
    var tenant: Tenant { configuration.tenant }
    /// Context of a request that arrives now.
    var context: RequestContext {
        RequestContext(configuration: configuration, now: clock.now, remoteAddress: Self.remote)
    }

    /// Context of a request to another tenant.
    func context(of other: Tenant?) throws -> RequestContext {
        guard let other else { return context }
        return RequestContext(
            configuration: try Samples.configuration(other, clients: []), now: clock.now, remoteAddress: Self.remote)
    }

    func change(ann change: @escaping @Sendable (inout User) -> Void) async throws {
        let tenant = tenant.id
        try await configurationStore.change { transaction in
            try transaction.put(Samples.user("auth0|ann", change), passwordHash: nil, in: tenant)
        }
    }

    func enrol(_ device: Device) async throws {
        let ticket = Samples.hashing.sha256(Array(device.id.rawValue.utf8))
        let event = AuditEvent(.enrolled, tenant: device.tenant, at: clock.now)
        _ = try await enrollmentStore.createTicket(
            EnrollmentTicket(
                hash: ticket, tenant: device.tenant, user: device.user, createdAt: clock.now,
                expiresAt: clock.now + .seconds(60)), event: event)
        _ = try await enrollmentStore.enroll(
            device, tokenHash: [], sealedTOTP: nil, ticket: ticket, now: clock.now, event: event)
    }

    // MARK: the client's side

    func authenticated(
        _ parameters: [(String, String)] = [], client: String = "agent"
    ) throws -> Authenticated<Parameters> {
        let all = [("client_id", client), ("client_secret", Samples.secret)] + parameters
        let body = all.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
        let read = try Parameters(body: Array(body.utf8), mediaType: "application/x-www-form-urlencoded")
        return try authenticated(by: read)
    }

    /// Authenticates by a secret, or as a public client.
    func authenticated(by parameters: Parameters) throws -> Authenticated<Parameters> {
        try #require(try authenticator.authenticateSynchronously(presented(parameters)))
    }

    var authenticator: ClientAuthenticator {
        ClientAuthenticator(
            hashing: Samples.hashing, verifier: verifier, store: made.store,
            published: PublishedClientKeys(client: HandlerClient([:])) { _ in }, trust: ClientAuthorities())
    }

    func presented(_ parameters: Parameters, path: String = "/oauth/token") throws -> ClientPresentation {
        ClientPresentation(
            credentials: try PresentedCredentials(authorization: nil, parameters: parameters), parameters: parameters,
            context: context, host: tenant.hosts[0], path: path)
    }

    static let ann = #"{"format":"iss_sub","iss":"https://dev.example/","sub":"auth0|ann"}"#

    /// Starts a request with changed parameters. Nil removes a default one.
    func start(
        _ parameters: [String: String?] = [:], client: String = "agent",
        sendsMail: Bool = true, store: (any BackchannelStartStore)? = nil,
        keys: [String] = []
    ) async throws -> BackchannelAuthenticationResponse {
        let presets: [String: String?] = ["scope": "openid", "binding_message": "TX-4711", "login_hint": Self.ann]
        let merged = presets.merging(parameters) { $1 }
        let authenticated = try authenticated(
            merged.compactMap { name, value in value.map { (name, $0) } }, client: client)
        return try await StartBackchannelRequest(
            store: NotingStore(wrapped: store ?? startStore, digests: digests), vault: vault, random: random,
            sendsMail: sendsMail,
            cache: cache, repeatable: Self.starts, secrets: secrets, refusals: refusals
        ).start(authenticated, keys: keys)
    }

    /// Digests of the requests that were started here, as a phone learns them from the transaction token.
    final class Digests: Sendable {
        private let known = Mutex<[ConsentID: RequestDigest]>([:])

        func note(_ digest: RequestDigest, of consent: ConsentID) { known.withLock { $0[consent] = digest } }

        subscript(authReqID: String) -> RequestDigest {
            let consent = AuthReqIDHash(of: authReqID, Samples.hashing).consentID
            return known.withLock { $0[consent] } ?? RequestDigest(Digest256([]))
        }
    }

    /// Notes the digest of each started request.
    private struct NotingStore: BackchannelStartStore {
        let wrapped: any BackchannelStartStore
        let digests: Digests

        func approver(_ user: UserReference, tenant: TenantID) async throws -> Approver? {
            try await wrapped.approver(user, tenant: tenant)
        }

        func passkeys(of user: UserID, tenant: TenantID) async throws -> [OwnedPasskey] {
            try await wrapped.passkeys(of: user, tenant: tenant)
        }

        func earlierStart(_ key: [UInt8], tenant: TenantID, now: Timestamp) async throws -> EarlierStart? {
            try await wrapped.earlierStart(key, tenant: tenant, now: now)
        }

        func start(_ request: NewBackchannelRequest, limits: StartLimits) async throws -> StartOutcome {
            if let text = request.event.details["request_digest"]?.stringValue, let digest = RequestDigest(text) {
                digests.note(digest, of: request.request.consentID)
            }
            return try await wrapped.start(request, limits: limits)
        }
    }

    var issuer: TokenIssuer {
        TokenIssuer(hashing: Samples.hashing, random: random, refreshTokens: Self.refreshTokens)
    }

    var receipts: IssueReceipt { IssueReceipt(store: made.store, vault: vault) }

    var redeemer: RedeemBackchannelRequest { redeemer(issuer: issuer) }

    func redeemer(issuer: TokenIssuer) -> RedeemBackchannelRequest {
        RedeemBackchannelRequest(
            store: redeemStore, issuer: issuer, receipts: receipts, vault: vault, clock: clock, timer: timer,
            cache: cache, hub: hub, refusals: refusals)
    }

    func redeem(_ authReqID: String, client: String = "agent", hold: Duration? = nil) async throws -> TokenResponse {
        let authenticated = try authenticated(client: client)
        return try await redeemer.redeem(authenticated.with(authReqID), hold: hold)
    }

    /// Answer to a poll: an error's code, or `tokens`.
    func poll(_ authReqID: String, client: String = "agent", hold: Duration? = nil) async throws -> String {
        do {
            _ = try await redeem(authReqID, client: client, hold: hold)
            return "tokens"
        } catch let error as OAuthError {
            return error.interval.map { "\(error.code.rawValue) \($0)" } ?? error.code.rawValue
        }
    }

    func stored(_ authReqID: String) async throws -> BackchannelRequest {
        let hash = AuthReqIDHash(of: authReqID, Samples.hashing)
        let sealed = try #require(try await redeemStore.request(hash, tenant: tenant.id)).request
        return try #require(try await vault.opened(sealed))
    }

    // MARK: the phone's side

    func consent(_ authReqID: String) -> ConsentID { AuthReqIDHash(of: authReqID, Samples.hashing).consentID }

    func token(_ authReqID: String, device: String = "dev_one") -> String {
        secrets.token(
            tenant: tenant.id, consent: consent(authReqID), device: DeviceID(device), digest: digests[authReqID])
    }

    func challenge(_ authReqID: String, device: String = "dev_one") -> String {
        secrets.challenge(
            tenant: tenant.id, consent: consent(authReqID), device: DeviceID(device), digest: digests[authReqID])
    }

    /// A signed answer, valid except for the claims that `change` sets or removes.
    func answer(
        _ authReqID: String, accepted: Bool = true, device: String = "dev_one", signer: (any Signer)? = nil,
        type: String? = "JWT", _ change: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        var claims: JSONObject = [
            "iss": "PHONE-1", "sub": .string(challenge(authReqID, device: device)),
            "aud": "https://dev.example/appliance-mfa/api/resolve-transaction",
            "iat": JSONValue(clock.now.seconds), "exp": JSONValue(clock.now.seconds + 30),
            "auth0_guardian_method": "push", "auth0_guardian_accepted": .bool(accepted),
        ]
        change(&claims)
        let signer = try signer ?? Keys.signer(.es256)
        return try JWS.sign(JSONWriter.bytes(.object(claims)), type: type, with: signer)
    }

    func resolve(_ authReqID: String, _ answer: String, token: String? = nil, tenant other: Tenant? = nil) async throws
    {
        try await ResolveBackchannelRequest(
            store: resolveStore, secrets: secrets, vault: vault, verifier: verifier,
            passkeys: PasskeyAnswers(
                store: made.store,
                ceremonies: PasskeyCeremonies(
                    challenges: PasskeyChallenges(
                        key: SecretBytes([UInt8](repeating: 9, count: 32)), hashing: Samples.hashing),
                    authenticators: FIDO2Passkeys(hashing: Samples.hashing), keys: verifier, hashing: Samples.hashing)),
            hub: hub, refusals: refusals, mail: MailComposer(sealer: Samples.sealer)
        ).resolve(
            transactionToken: token ?? self.token(authReqID),
            body: ResolveTransactionRequest(challengeResponse: answer), context: try context(of: other))
    }

    func allow(_ authReqID: String) async throws { try await resolve(authReqID, try answer(authReqID)) }

    func reject(_ authReqID: String) async throws {
        try await resolve(authReqID, try answer(authReqID, accepted: false))
    }
}

/// The error that `body` throws. Nil, with an issue, if it throws none.
func oauthError(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async throws -> OAuthError {
    try await #require(throws: OAuthError.self, sourceLocation: sourceLocation) { try await body() }
}

func deviceFailure(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async throws -> DeviceFailure {
    try await #require(throws: DeviceFailure.self, sourceLocation: sourceLocation) { try await body() }
}

/// The payload of a JWT that a tenant's key signed.
func claims(_ token: String?, _ configuration: TenantConfiguration) throws -> (header: JSONObject, claims: JSONObject) {
    let jws = try JWS(parsing: try #require(token))
    let key = try #require(configuration.keys.published.key(id: jws.keyID, for: jws.algorithm))
    let payload = try jws.verified(by: key, allowed: [jws.algorithm], using: OpenSSLVerifier())
    return (jws.header, try #require(Claims(payload: payload)).members)
}

/// Advice to a device whose clock is wrong.
func clockAdvice(_ claim: String, _ seconds: Int) -> String {
    let direction = seconds < 0 ? "behind" : "ahead of"
    return "\(claim) is \(abs(seconds)) s \(direction) this server's clock; set the device's clock"
}
