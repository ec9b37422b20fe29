import Administration
import Audit
import AuthorizationCore
import Configuration
@testable import Flows
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

/// A store that must keep the contract of every port. To test another engine, add it to `all`.
struct StoreKind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable () async throws -> TemporaryStore

    static let postgreSQL = StoreKind(testDescription: "postgreSQL") { try await TemporaryStore(.postgreSQL) }

    static let all = TemporaryStore.Driver.available.map { driver in
        StoreKind(testDescription: driver.rawValue) { try await TemporaryStore(driver) }
    }

    /// A store with the tenants `dev` and `other`, each with the users `auth0|ann` and `auth0|bob`.
    func populated() async throws -> TemporaryStore {
        let made = try await make()
        try await made.store.change { transaction in
            for name in ["dev", "other"] {
                try transaction.put(Samples.tenant(name))
                for user in ["auth0|ann", "auth0|bob"] {
                    try transaction.put(Samples.user(user), passwordHash: nil, in: TenantID(name))
                }
            }
        }
        return made
    }
}

/// Limits that no test reaches by accident.
let wide = StartLimits(
    perMinute: 1_000_000, windowStart: Samples.start - .seconds(60), pendingPerUser: 1_000_000,
    pendingPerTenant: 1_000_000)

extension TemporaryStore {
    func devices(of user: UserID, tenant: TenantID) async throws -> [Device] {
        try await store.read { try $0.devices(of: user, in: tenant).map(\.device) }
    }

    /// Starts a request and returns it as stored.
    @discardableResult
    func started(
        _ authReqID: String = "request", tenant: String = "dev", client: String = "agent", user: String = "auth0|ann",
        details: JSONValue? = nil, channel: Client.NotificationChannel = .guardianPush, devices: [String] = [],
        at now: Timestamp = Samples.start, lifetime: Duration = .seconds(300), limits: StartLimits = wide,
        login: [UInt8]? = nil, key: StartKey? = nil, in other: Store? = nil
    ) async throws -> StartOutcome {
        var (hash, request) = Samples.request(
            authReqID, tenant: tenant, client: client, user: user, details: details, channel: channel, at: now,
            lifetime: lifetime)
        request.login = login
        return try await (other ?? store).start(
            NewBackchannelRequest(
                request: try Samples.vault.seal(request, hash), devices: devices.map { DeviceID($0) },
                event: AuditEvent(
                    .backchannelStarted, tenant: request.tenant, at: now, user: request.user, client: request.client,
                    consent: request.consentID), key: key),
            limits: limits)
    }

    func resolve(
        _ authReqID: String = "request", _ decision: BackchannelRequest.Decision = .allow, tenant: String = "dev",
        client: String = "agent", device: String = "dev_one", session: Session? = nil,
        at now: Timestamp = Samples.start + .seconds(10), pause: PauseChange = .none, passkey: PasskeyUse? = nil,
        keptUntil: Timestamp = Samples.start + .seconds(3 * 86_400), in other: Store? = nil
    ) async throws -> ResolveOutcome {
        let hash = AuthReqIDHash(of: authReqID, Samples.hashing)
        let consent = hash.consentID
        let decider: BackchannelRequest.Decider =
            if let session {
                .session(
                    BackchannelRequest.DecidingSession(
                        id: session.id, authenticatedAt: session.authentication.at,
                        methods: session.authentication.methods, contextClass: nil))
            } else { .device(DeviceID(device)) }
        let outcome = BackchannelRequest.Outcome(decision, at: now, by: decider)
        return try await (other ?? store).resolve(
            Resolution(
                consent: consent, tenant: TenantID(tenant),
                decider: session.map { .session($0.id, cookie: $0.hash) } ?? .device(DeviceID(device)),
                client: ClientID(client), decision: decision, now: now,
                outcome: try Samples.vault.seal(outcome, of: hash, tenant: TenantID(tenant)), evidence: [1],
                passkey: passkey, keptUntil: keptUntil, pause: pause,
                event: AuditEvent(
                    decision == .allow ? .approved : .rejected, tenant: TenantID(tenant), at: now,
                    device: DeviceID(device), consent: consent)))
    }

    func poll(
        _ authReqID: String = "request", client: String = "agent", login: [UInt8]? = nil, tenant: String = "dev"
    ) async throws -> PolledRequest? {
        try await store.poll(
            AuthReqIDHash(of: authReqID, Samples.hashing), client: ClientID(client), login: login,
            tenant: TenantID(tenant))
    }

    func redeem(
        _ authReqID: String = "request", client: String = "agent", user: String = "auth0|ann",
        login: [UInt8]? = nil, tenant: String = "dev", at now: Timestamp = Samples.start + .seconds(20),
        refreshToken: RefreshTokenFamily? = nil
    ) async throws -> Bool {
        try await store.redeem(
            Redemption(
                hash: AuthReqIDHash(of: authReqID, Samples.hashing), client: ClientID(client), user: UserID(user),
                login: login, tenant: TenantID(tenant), now: now, refreshToken: refreshToken,
                event: AuditEvent(.exchanged, tenant: TenantID(tenant), at: now)))
    }

    /// Pending logout notices, each as client, user and session.
    func logouts() async throws -> [String] {
        try await store.dueLogouts(now: Samples.start + .seconds(3600), perClient: 99, limit: 99).map {
            "\($0.client) \($0.user) \($0.session)"
        }
    }

    /// Sweeps all rows and returns the number of removed requests.
    @discardableResult
    func sweepAll(endedBefore end: Timestamp, now: Timestamp? = nil) async throws -> Int {
        var cursor = SweepCursor()
        var removed = 0
        repeat { removed += try await store.sweep(&cursor, endedBefore: end, now: now ?? end) } while !cursor.isAtStart
        return removed
    }

    /// Enrols a device with a ticket made for it.
    @discardableResult
    func enrolled(
        _ device: Device, tokenHash: [UInt8] = [1], sealedTOTP: [UInt8]? = nil, trace: RequestTrace? = nil
    ) async throws -> Bool {
        let ticket = Samples.hashing.sha256(Array(device.id.rawValue.utf8))
        let made = try await store.createTicket(
            EnrollmentTicket(
                hash: ticket, tenant: device.tenant, user: device.user, createdAt: Samples.start,
                expiresAt: Samples.start + .seconds(600)),
            event: AuditEvent(.enrollmentTicketCreated, tenant: device.tenant, at: Samples.start, user: device.user))
        guard made else { return false }
        var event = AuditEvent(
            .enrolled, tenant: device.tenant, at: Samples.start, user: device.user, device: device.id)
        event.request = trace
        return try await store.enroll(
            device, tokenHash: tokenHash, sealedTOTP: sealedTOTP, ticket: ticket, now: Samples.start, event: event)
    }
}

/// Number of `count` concurrent calls of `attempt` that return true.
func winners(of count: Int = 100, _ attempt: @escaping @Sendable (Int) async throws -> Bool) async throws -> Int {
    try await withThrowingTaskGroup(of: Bool.self) { group in
        for index in 0..<count { group.addTask { try await attempt(index) } }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
}
