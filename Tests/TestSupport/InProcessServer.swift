package import Audit
package import AuthorizationCore
package import Configuration
import Delivery
package import Endpoints
import FIDO2Passkeys
package import Flows
package import Administration
package import GuardianWire
package import HTTPModel
package import JOSE
import ManagementAPI
import OAuthWire
package import OpenSSLCrypto
import Persistence
package import Primitives
package import Routing
package import SQL
import Synchronization
package import Tracing

/// A whole server without sockets: every endpoint over a temporary SQLite store, wired as in production, with real
/// cryptography and a clock that the test sets.
///
/// It has two tenants: `dev`, which tests configure, and `other`, whose ids, tokens and keys must be invalid in `dev`.
package final class InProcessServer: RequestSender {
    /// Configuration of the tenant `dev`, which a test changes before the server starts.
    package struct Setup: Sendable {
        package var tenant = Samples.tenant("dev", hosts: [InProcessServer.host, InProcessServer.customHost])
        package var clients = [
            Samples.client("agent"), Samples.client("second"),
            Samples.client("no-grant") { $0.grantTypes = [] },
            Samples.client("third-party") { $0.isFirstParty = false },
        ]
        package var apis: [ResourceServer] = []
        package var roles: [Role] = []
        package var users = [Samples.user("auth0|ann"), Samples.user("auth0|bob")]
        package var passwords: [UserID: String] = [:]
        package var connections: [LoginConnection] = []
        /// Authorities of client certificates.
        package var clientAuthorities = ClientAuthorities()
        /// Port of the mTLS aliases.
        package var mtlsPort: UInt16?
        /// Networks whose certificate fields, and address fields, are trusted.
        package var certificateProxies: [IPNetwork] = []
        package var clientAddressProxies: [IPNetwork] = []
        package var clientAddressField = ClientAddressField.xForwardedFor
        package var transportSecurity: StrictTransportSecurity?
        /// Limit for the cost of checking the details of one request.
        package var detailsCheckLimit = DetailsCheckLimit()
        /// Refuses requests while the server is overloaded.
        package var admission = Admission()
        /// Records traces.
        package var tracer: Tracer?
        /// Examinations of tenants.
        package var examiner: any TenantExaminer = KnownFindings()
        /// Client for requests to other servers.
        package var http: any OutgoingHTTPClient = HandlerClient([:])
    }

    package static let host = "dev.example"
    package static let customHost = "login.dev.example"
    package static let otherHost = "other.example"
    package static let ann = UserID("auth0|ann")

    /// The client of `other`, which may also use the Management API there.
    private static let stranger = Samples.client("stranger") {
        $0.grantTypes.insert(.clientCredentials)
        $0.limit(to: ["https://other-api.example/": nil, "https://\(otherHost)/api/v2/": nil])
    }

    package let application: Application
    package let clock: ManualClock
    package let timer: ManualTimer
    package let log = CapturedLog()
    package let configuration: InProcessConfiguration
    private let ports: UseCases.Ports
    /// Derives transaction tokens and challenges like the server.
    package let secrets: GuardianTransactionTokens
    package var hub: DecisionHub { application.flows.hub }
    package var budgets: AuditBudgets { application.flows.budgets }
    package var enrollment: EnrollDevice { application.flows.devices.enroll }
    package let storage: TemporaryStore
    /// The managers behind the Management API.
    package let managers: Managers
    /// For what somebody with the database but without the master key can do, and for what is stored.
    package var database: any Database { storage.database }

    /// - Parameters:
    ///   - first: Another node of the same store, with its clock. Then tenants and users are its own.
    ///   - link: Link to other nodes.
    package init(
        beside first: InProcessServer? = nil, link: any NodeLink = NoOtherNodes(),
        _ change: (inout Setup) throws -> Void = { _ in }
    ) async throws {
        var setup = Setup()
        setup.apis = [try Samples.resourceServer()]
        try change(&setup)
        let other = Setup(
            tenant: Samples.tenant("other", hosts: [Self.otherHost]), clients: [Self.stranger],
            apis: [try Samples.resourceServer("https://other-api.example/")], users: [Samples.user("auth0|zoe")])
        if let first {
            (storage, clock, timer) = (first.storage, first.clock, first.timer)
        } else {
            storage = try await TemporaryStore(traces: setup.tracer.map { StoreTraces($0, system: "sqlite") })
            clock = ManualClock()
            timer = ManualTimer(clock)
            try await Self.keep([setup, other], in: storage)
        }
        configuration = InProcessConfiguration(
            ConfigurationCache(
                store: storage.store, keys: KnownKeys(), hashing: Samples.hashing, sealer: Samples.sealer,
                schemas: Samples.schemas, detailsCheckLimit: setup.detailsCheckLimit))
        _ = try await configuration.refresh()

        let hashing = Samples.hashing
        let store = storage.store
        let keys = DerivedKeys(hashing: hashing) { SecretBytes(hashing.sha256(Array($0.utf8))) }
        secrets = keys.transactions
        let basic = BasicPorts(
            store: store, random: SystemRandom(), hashing: hashing, verifier: OpenSSLVerifier(), sealer: Samples.sealer,
            refusals: RefusalLog(log: store), outgoing: setup.http.policy)
        ports = UseCases.Ports(
            basic, configuration: configuration, clock: clock, timer: timer, passkeys: FIDO2Passkeys(hashing: hashing),
            passwords: PlainPasswords(), keys: keys, http: setup.http,
            published: PublishedClientKeys(client: setup.http) { [log] in log.write("client keys \($0)") },
            oldServers: OldServers(client: setup.http) { [log] in log.write("old server \($0)") },
            trust: setup.clientAuthorities,
            ways: UseCases.DeliveryWays(
                pushes: [
                    WebPushProvider(http: setup.http, encryption: PushMessageCipher(), configuration: configuration)
                ],
                transport: NoMail(), relays: NoMail(), logout: LogoutTokenSender(http: setup.http, clock: clock),
                mails: MailBudget(), owner: first == nil ? "test" : "second", jitter: { 0 }
            ) { [log] queue, problem in log.write("\(queue) \(problem)") }, link: link,
            examiner: setup.examiner, tracer: setup.tracer)
        let flows = try await UseCases(ports)
        managers = Managers(
            store: store, random: SystemRandom(), hashing: hashing, verifier: OpenSSLVerifier(),
            passwords: PlainPasswords(), sealer: Samples.sealer, keys: KnownKeys(), schemas: Samples.schemas,
            mails: ComposedMails(composer: basic.mail, budget: MailBudget()))
        application = Application(
            flows, managers: managers, configuration: configuration, clock: clock, timer: timer, formKey: keys.forms,
            qrCode: { _ in [[true, false], [false, true]] },
            proxySettings: ProxySettings(
                mtlsPort: setup.mtlsPort,
                proxies: TrustedProxies(
                    certificates: setup.certificateProxies, addresses: setup.clientAddressProxies,
                    field: setup.clientAddressField),
                transportSecurity: setup.transportSecurity),
            admission: setup.admission, tracer: setup.tracer,
            isReady: { [clock] in await store.isReady(now: clock.now) },
            log: { [log] id, detail, _ in log.write("refused id=\(id) detail=\(detail)") })
    }

    /// Answers like the HTTP server: synchronously if possible.
    package func send(_ request: Request) async -> HTTPAnswer {
        if let response = application.answerSynchronously(request) { return await HTTPAnswer(response) }
        return await HTTPAnswer(application.handle(request))
    }

    /// Delivers notifications until the task is cancelled.
    /// Deliveries of the tenant `dev` that failed or cannot be delivered, newest first.
    package func failedDeliveries() async throws -> [DeliveryRecord] {
        try await storage.store.deliveries(.failed, of: TenantID("dev"), before: nil, limit: 10)
    }

    package func dueDeliveries(_ queue: DeliveryQueue) async throws -> [Delivery] {
        try await storage.store.dueDeliveries(queue, perLane: 10, limit: 10, now: clock.now).map(\.delivery)
    }

    package func delivering() -> Task<Void, Never> {
        Task { [delivery = application.flows.delivery] in await delivery.run([.notifications, .webPushes]) }
    }

    /// Notifies clients of ended sessions while `body` runs.
    package func notifyingClients(_ body: () async throws -> Void) async rethrows {
        // A worker runs once.
        let worker = ports.worker(application.flows.channel, hub)
        let work = Task { await worker.run([.logoutNotices]) }
        defer { work.cancel() }
        try await body()
        work.cancel()
        await work.value
    }

    /// Number of devices with an open channel.
    package var openChannels: Int { application.flows.channel.openStreams }

    /// Advances the clock and wakes sleeping tasks.
    package func advance(_ duration: Duration) { timer.advance(by: duration) }

    /// The tenant that tests configure.
    package var tenant: Tenant { get throws { try entry.tenant } }

    package var entry: TenantConfiguration {
        get throws { try configuration.current.tenant(id: TenantID("dev")).orThrow("the tenant dev is gone") }
    }

    /// Notification of a request, as the device channel carries it.
    func notification(for consent: ConsentID, to device: DeviceID, tenant id: TenantID) async throws
        -> NotificationPayload
    {
        try await notifications(to: device, tenant: id).first { $0.transactionLinkingID == consent.rawValue }
            .orThrow("the device was not told of \(consent)")
    }

    /// Notifications that a device gets when it reconnects, oldest first.
    func notifications(to device: DeviceID, tenant id: TenantID) async throws -> [NotificationPayload] {
        let tenant = try configuration.current.tenant(id: id).orThrow("no such tenant")
        let enrolled = try await storage.store.device(device, tenant: id).orThrow("no such device")
        let events = try await application.flows.backchannel.pending.events(
            for: enrolled.device, after: 0, context: RequestContext(configuration: tenant, now: clock.now))
        return events.compactMap { if case .notification(let payload) = $0.content { payload } else { nil } }
    }

    /// The last notification to a phone.
    func newestNotification(to device: DeviceID, tenant id: TenantID) async throws -> NotificationPayload {
        let tenant = try configuration.current.tenant(id: id).orThrow("no such tenant")
        let enrolled = try await storage.store.device(device, tenant: id).orThrow("no such device")
        let events = try await application.flows.backchannel.pending.events(
            for: enrolled.device, after: 0, context: RequestContext(configuration: tenant, now: clock.now))
        let told = events.compactMap { event -> NotificationPayload? in
            if case .notification(let payload) = event.content { payload } else { nil }
        }
        return try told.last.orThrow("the device was told of nothing")
    }

    /// The number that a page displays while a phone has a request.
    package func matchingCode(of notification: NotificationPayload, to device: DeviceID) async throws -> MatchingNumber?
    {
        let consent = ConsentID(notification.transactionLinkingID ?? "")
        let stored = try await storage.store.transaction(consent, device: device, tenant: try tenant.id).request
        return secrets.matchingCode(
            of: try await Samples.vault.opened(try stored.orThrow("no request")).orThrow("changed"))
    }

    package func device(_ id: String) async throws -> Device? {
        try await storage.store.device(DeviceID(id), tenant: try tenant.id)?.device
    }

    /// Makes every change of the store fail. Nil ends that.
    package func failChanges(with error: SQLError?) { storage.failChanges(with: error) }

    /// Changes a user as an administrator would.
    package func put(_ user: User) async throws {
        try await storage.store.change { try $0.put(user, passwordHash: nil, in: TenantID("dev")) }
    }

    /// Changes a client as an administrator would.
    package func put(_ client: Client) async throws {
        try await configure { try $0.put(client, in: TenantID("dev")) }
    }

    /// Changes the configuration like the operator's command line.
    package func configure(_ change: @escaping @Sendable (any UserTransaction) throws -> Void) async throws {
        try await storage.store.change(change)
        try await configuration.refresh()
    }

    /// Path of the link in the last pending mail.
    package func mailedLink() async throws -> String {
        let due = try await storage.store.dueMail(now: clock.now, limit: 99)
        let mail = try due.last.orThrow("no mail").mail
        let context = Delivery.sealingContext(tenant: mail.tenant)
        let json = try JSONReader.parse(try Samples.sealer.open(mail.sealed, context: context).bytes)
        let text = json["text"]?.stringValue ?? ""
        let base = "https://\(Self.host)"
        let link = try text.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix(base + "/") }
            .orThrow("no link: \(text)")
        return String(link.dropFirst(base.count))
    }

    /// Creates a ticket for Ann that sets her password or confirms her address.
    package func addTicket(_ ticket: String, setsPassword: Bool, resultURL: String? = nil) async throws {
        let now = clock.now
        try await configure { transaction in
            try transaction.put(
                UserTicket(
                    kind: setsPassword ? .password : .email, hash: Samples.hashing.sha256(Array(ticket.utf8)),
                    user: Self.ann, email: "ann@example.org", provesEmail: true, resultURL: resultURL, createdAt: now,
                    expiresAt: now + .seconds(600)),
                in: TenantID("dev"))
        }
    }

    /// Keys for the next rotation; only tests that rotate need them.
    package func addNextKeys() async throws {
        let id = try tenant.id
        let made = try [JWSAlgorithm.rs256, .ps256, .es256, .edDSA].map {
            try KnownKeys().make($0, tenant: id, status: .next, now: Samples.start)
        }
        try await storage.store.change { transaction in for key in made { try transaction.put(key) } }
        try await configuration.refresh()
    }

    private static func keep(_ setups: [Setup], in storage: TemporaryStore) async throws {
        try await storage.store.change { transaction in
            for setup in setups {
                let id = setup.tenant.id
                try transaction.put(setup.tenant)
                for client in setup.clients { try transaction.put(client, in: id) }
                for api in setup.apis { try transaction.put(api, in: id) }
                for role in setup.roles { try transaction.put(role, in: id) }
                for connection in setup.connections { try transaction.put(connection, in: id) }
                for algorithm in [JWSAlgorithm.rs256, .ps256, .es256, .edDSA] {
                    try transaction.put(KnownKeys().make(algorithm, tenant: id, status: .current, now: Samples.start))
                }
                try transaction.put(KnownKeys().makeWebPushKey(for: id))
                for user in setup.users {
                    let hash = setup.passwords[user.id].map(PlainPasswords.encoded)
                    try transaction.put(user, passwordHash: hash, in: id)
                }
            }
        }
    }
}

extension InProcessServer {
    /// Every row of every table except the audit log, which refusals may extend.
    package func dump() async throws -> [String] {
        try await storage.database.read { connection in
            let tables = try connection.query(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('audit_log', 'sqlite_sequence')"
            ) { try $0.text(0) }
            var rows: [String] = []
            for table in tables.sorted() {
                let columns = try connection.query("SELECT name FROM pragma_table_info(\(table))") { try $0.text(0) }
                let list = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
                rows += try connection.query("SELECT \(raw: list) FROM \"\(raw: table)\"") { row in
                    "\(table): \(try row.text(0))"
                }.sorted()
            }
            return rows
        }
    }

    /// Kinds of the audit log's entries, oldest first.
    package func auditKinds() async throws -> [String] { try await storage.database.auditLog().map(\.kind) }

    /// Entries of these kinds about requests.
    package func auditConsents(_ kinds: Set<String>) async throws -> [(kind: String, consent: String?)] {
        try await storage.database.auditLog().filter { kinds.contains($0.kind) }.map { ($0.kind, $0.consent) }
    }

    /// Addresses of the entries of that kind, oldest first.
    package func auditAddresses(_ kind: String) async throws -> [String?] {
        try await storage.database.auditLog(kind).map(\.remoteAddress)
    }

    /// Details of the entries of that kind, oldest first.
    package func auditDetails(_ kind: String) async throws -> [JSONValue] {
        try await storage.database.auditLog(kind).map { try JSONReader.parse($0.details) }
    }

    /// The audit log as text, to search for secrets.
    package func auditText() async throws -> String {
        try await storage.database.auditLog().map { "\($0)" }.joined(separator: "\n")
    }
}

/// The configuration snapshot of the store.
package final class InProcessConfiguration: RefreshableConfiguration {
    private let live: ConfigurationCache
    private let other = Mutex<ConfigurationSnapshot?>(nil)

    init(_ live: ConfigurationCache) { self.live = live }

    package var current: ConfigurationSnapshot {
        get { other.withLock { $0 } ?? live.current }
        set { other.withLock { $0 = newValue } }
    }

    @discardableResult
    package func refresh() async throws -> Bool { try await live.refresh() }
}

/// Keys made once a run, one per algorithm and tenant, and found by their ids.
package struct KnownKeys: SigningKeyFactory, RealKeyFiles {
    package init() {}

    package func make(
        _ algorithm: JWSAlgorithm, tenant: TenantID, status: SigningKey.Status, now: Timestamp
    ) throws -> SigningKey {
        let name = status == .current ? "\(tenant)" : "\(tenant)-\(Identifiers.signingKey(SystemRandom()))"
        let signer = try Keys.signer(algorithm, name, keyID: "\(name)-\(algorithm.rawValue)")
        return SigningKey(
            id: SigningKeyID("\(name)-\(algorithm.rawValue)"), tenant: tenant, algorithm: algorithm, status: status,
            sealedPrivateKey: Array(name.utf8), publicKey: signer.publicKey,
            certificate: try Keys.certificate(of: signer, now: now), createdAt: now, changedAt: now)
    }

    package func certificate(for key: SigningKey, now: Timestamp) throws -> [UInt8] {
        try Keys.certificate(of: signer(for: key), now: now)
    }

    package func signer(for key: SigningKey) throws -> any Signer {
        try Keys.signer(
            key.algorithm, String(decoding: key.sealedPrivateKey, as: UTF8.self), keyID: key.id.rawValue)
    }

    package func makeWebPushKey(for tenant: TenantID) throws -> WebPushKey {
        WebPushKey(tenant: tenant, sealedPrivateKey: Array("\(tenant) web push".utf8))
    }

    package func signer(for key: WebPushKey) throws -> any Signer {
        try Keys.signer(.es256, String(decoding: key.sealedPrivateKey, as: UTF8.self))
    }
}

/// Takes no mail: tests read it in the queue.
private struct NoMail: MailRelays, MailTransport {
    func transport(to relay: MailRelay) -> any MailTransport { self }
    func check() async throws(MailFailure) {}
    func send(_ mail: FinishedMail, now: Timestamp) async throws(MailFailure) { throw .refused("tests send no mail") }
}

/// Lines of the server's log.
package final class CapturedLog: Sendable {
    private let kept = Mutex<[String]>([])

    package init() {}

    package var lines: [String] { kept.withLock { $0 } }

    package func write(_ line: String) { kept.withLock { $0.append(line) } }
}

/// A premise of a test that failed.
package struct Unexpected: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

extension Optional {
    package func orThrow(_ what: String) throws -> Wrapped {
        guard let value = self else { throw Unexpected(what) }
        return value
    }
}
