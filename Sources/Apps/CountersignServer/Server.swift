import Argon2Passwords
import Administration
import Audit
import AuthorizationCore
import Configuration
import CurlTransport
import Delivery
import Endpoints
import FIDO2Passkeys
import Flows
import HTTPModel
import ManagementAPI
import MaxMindPlaces
import MicroHTTPServer
import OAuthWire
import OpenSSLCrypto
import Persistence
import Primitives
import QRCodes
import Routing
import Synchronization

/// A complete server in one process. It chooses the adapters behind the application's ports.
package final class Server: Sendable {
    package let settings: ServerSettings
    package let installation: Installation
    private let configuration: ConfigurationCache
    private let log: Log
    private let http: HTTPServer
    private let mtls: HTTPServer?
    private let metrics: HTTPServer?
    private let work: Mutex<Task<Void, Never>?>
    private let works: @Sendable () async -> Void
    private let hub: DecisionHub
    private let step = Mutex<StopStep?>(nil)

    package var port: UInt16 { http.port }

    package var tenantCount: Int { configuration.current.tenants.count }

    /// Takes its ports, whose connections wait until `start()`. `installation` must have been opened with the same
    /// settings.
    /// - Throws: `PortFailure`, `SettingFailure`, or an error of the store.
    package init(_ settings: ServerSettings, installation: Installation, log: Log) async throws {
        self.settings = settings
        self.installation = installation
        self.log = log
        // The file is read for each outgoing connection. Reading it here shows a problem before the first login does.
        if let file = settings.trustedAuthorities { _ = try Self.authorities("trusted-authorities", file) }
        let places = try Self.places(settings.geoIPDatabase, log)
        let store = installation.store
        store.watchAuditLog { lost in
            log.write(
                .error, "audit log cut off",
                ["known": lost.known.description, "found": lost.found?.description ?? "none"])
        }
        store.watchChangedRows { row in
            log.write(.error, "row changed by somebody without the master key; it is left out", ["row": row])
        }
        let clock = SystemClock()
        let timer = SystemTimer()
        let hashing = OpenSSLHashing()
        let random = SystemRandom()

        _ = try await installation.signingKeys.certify(now: clock.now)
        try await SigningKeySupply(installation.keys).completeWebPushKeys(in: store)
        let detailsCheckLimit = DetailsCheckLimit(steps: settings.detailsCheckSteps)
        let configuration = ConfigurationCache(
            store: store, keys: installation.keys, hashing: hashing, sealer: installation.vault,
            schemas: installation.schemas, detailsCheckLimit: detailsCheckLimit
        ) { problem in log.write(.error, "configuration", ["problem": problem]) }
        self.configuration = configuration
        _ = try await configuration.refresh()

        let derivationKeys = try await installation.derivationKeys()
        let keys = try Application.Keys(hashing: hashing) { try derivationKeys.key(for: $0) }
        let transport = try OutgoingTransport(settings.outgoingPolicy, settings.outgoing)
        var pushing = settings.outgoing
        pushing.responseLimit = WebPushProvider.answerLimit
        let channel = DeviceChannel()
        let providers: [any NotificationProvider] =
            [
                channel,
                WebPushProvider(
                    http: try OutgoingTransport(settings.outgoingPolicy, pushing), encryption: PushMessageCipher(),
                    configuration: configuration),
            ] + (try settings.mobilePushServices().providers(configuration))
        let vault = RequestVault(sealer: installation.vault, hashing: hashing, refusals: installation.refusals)
        let budgets = AuditBudgets()
        let rerouting = RequestRerouting(
            source: store, vault: vault, configuration: configuration, sendsMail: settings.mailTransport != nil)
        // Administrators learn at once that they ask for too much. Mails that are sent count over all kinds.
        let (ticketMails, sentMails) = (MailBudget(settings.mailLimits), MailBudget(settings.mailLimits))
        let couriers: [any DeliveryCourier] =
            providers.map { provider in
                NotificationCourier(
                    provider, source: store, vault: vault,
                    configuration: configuration, composer: NotificationComposer(secrets: keys.transactions),
                    rerouting: rerouting)
            }
            + [
                MailCourier(
                    transport: settings.mailTransport, relays: settings.mailRelays(hashing), source: store,
                    vault: vault, configuration: configuration, ids: keys.mails, rerouting: rerouting,
                    sealer: installation.vault, budget: sentMails),
                LogoutCourier(
                    logout: BackchannelLogout(
                        notifier: LogoutTokenSender(http: transport, clock: clock), random: random),
                    configuration: configuration),
            ]
        // A database file has one server at a time (ServingLock), so its node needs no name of its own.
        let hub = DecisionHub()
        self.hub = hub
        let delivery = DeliveryWorker(
            store: store, couriers: couriers, decisions: hub, owner: "server", clock: clock, timer: timer
        ) {
            queue, problem in log.write(.error, "delivery", ["queue": queue.rawValue, "problem": problem])
        }
        let proxies = TrustedProxies(
            certificates: settings.certificateProxies, addresses: settings.clientAddressProxies,
            field: settings.clientAddressField)
        let errors = ErrorRenderer { id, detail, status in
            if status < 500 {
                log.write(.info, "refused", ["id": id, "detail": detail])
            } else {
                log.write(.error, "failed", ["id": id, "status": String(status), "detail": detail])
            }
        }
        let application = try await Application(
            Application.Ports(
                store: store, configuration: configuration, clock: clock, timer: timer, pageHold: settings.pageHold,
                random: random, hashing: hashing, verifier: OpenSSLVerifier(),
                passkeys: FIDO2Passkeys(hashing: hashing), sealer: installation.vault, vault: vault, budgets: budgets,
                passwords: try Argon2PasswordHasher(random: random), signingKeys: installation.keys,
                schemas: installation.schemas, keys: keys,
                http: transport,
                published: PublishedClientKeys(client: transport) { problem in
                    log.write(.info, "client keys", ["problem": problem])
                },
                trust: try settings.clientAuthorities.map { try Self.authorities("mtls-ca", $0) }
                    ?? ClientAuthorities(),
                places: places,
                channel: channel, delivery: delivery, decisions: hub,
                sendsMail: settings.mailTransport != nil, ticketMails: ticketMails, ceilings: settings.tenantCeilings,
                qrCode: { try? QRCode($0).modules }),
            proxySettings: ProxySettings(
                mtlsPort: settings.mtlsPort, proxies: proxies, transportSecurity: settings.transportSecurity),
            isReady: { await store.isReady() && !configuration.current.tenants.isEmpty }, log: errors.log)

        let counts = Metrics { application.routeName(of: $0) }
        let (acceptFailures, refusedBodies) = (Counter(), Counter())
        let identity = try installation.tlsIdentity(for: configuration.current)
        var clientAddress: (@Sendable (Request) -> String)?
        if settings.logsRequests, !settings.clientAddressProxies.isEmpty {
            clientAddress = { proxies.clientAddress(of: $0) }
        }
        func listener(port: UInt16, requestsClientCertificates: Bool) throws -> HTTPServer {
            try HTTPServer(
                configuration: HTTPServerConfiguration(
                    address: settings.address, port: port, tls: identity,
                    requestsClientCertificates: requestsClientCertificates, threads: settings.threads,
                    limits: settings.limits, largeBodies: { application.largeBody($0) },
                    renderRefusal: { application.response(to: $0, of: $1) }, clientAddress: clientAddress),
                observer: RequestObserver(
                    metrics: counts, acceptFailures: acceptFailures, refusedBodies: refusedBodies, log: log,
                    logsRequests: settings.logsRequests),
                answerSynchronously: { application.answerSynchronously($0) }, handler: { await application.handle($0) })
        }
        do {
            http = try listener(port: settings.port, requestsClientCertificates: false)
            mtls = try settings.mtlsPort.map { try listener(port: $0, requestsClientCertificates: true) }
        } catch HTTPServerError.badCertificate(let reason) {
            throw settings.tlsFailure(reason)
        }
        metrics = try settings.metricsPort.map { port in
            let router = Router([
                Route(probe: EndpointPath.metrics) { _ in
                    Response(
                        status: 200, fields: ["Content-Type": "text/plain; version=0.0.4"],
                        body: .bytes(Array(await counts.text().utf8)))
                }
            ])
            return try HTTPServer(
                configuration: HTTPServerConfiguration(
                    address: settings.metricsAddress, port: port, threads: 1,
                    renderRefusal: { errors.response(for: $0, to: $1, in: .oauth) }),
                observer: SilentObserver(), handler: { await router.answerProbe($0, errors) })
        }
        counts.add(
            .counter(
                "countersign_accept_failures_total", "Connections that the system refused because it lacked resources."
            ) { acceptFailures.count },
            .gauge("countersign_http_connections", "Open connections.") { [http, mtls] in
                Double(http.openConnections + (mtls?.openConnections ?? 0))
            },
            .gauge(
                "countersign_http_body_bytes", "Memory for request bodies that counts against their limit, in bytes."
            ) {
                [http, mtls] in Double(http.bodyBytes + (mtls?.bodyBytes ?? 0))
            },
            .counter(
                "countersign_http_bodies_refused_total",
                "Request bodies refused because all of them together would take too much memory."
            ) { refusedBodies.count },
            .gauge("countersign_held_token_requests", "Token requests held for a decision.") { Double(hub.waiting) },
            .counter(
                "countersign_details_check_refusals_total",
                "Requests refused because checking authorization_details would take too many steps."
            ) { detailsCheckLimit.refusals },
            .counters(
                "countersign_actions_refused_total", "Requests refused because the budget of their actor is used up.",
                label: "actor"
            ) { budgets.refusals.map { ($0.kind.rawValue, $0.count) } },
            .gauge("countersign_device_streams", "Open device channels.") { Double(channel.openStreams) },
            .gauge("countersign_tenants", "Tenants served.") { Double(configuration.current.tenants.count) })
        counts.addEvents(of: store)
        counts.addStore(
            store, installation.database, file: Installation.databaseFile(folder: settings.dataFolder), clock: clock)
        counts.addDeliveries(delivery)
        counts.addMailBudgets([ticketMails, sentMails])
        counts.addProcess()

        let certificate = CertificateWatch(clock: clock, timer: timer, log: log) {
            try installation.tlsIdentity(for: configuration.current)
        } present: { [http, mtls] in
            try http.renew($0)
            try mtls?.renew($0)
        }
        works = {
            await withTaskGroup(of: Void.self) { group in
                if let identity { group.addTask { await certificate.run(identity) } }
                group.addTask { await delivery.run() }
                group.addTask { await Self.noteAuditHeads(store, timer, log) }
                group.addTask {
                    await Self.sweep(store, configuration, endedFor: settings.retention, clock, timer, log)
                }
                group.addTask { await Self.takeUpChanges(configuration, timer, log) }
                group.addTask { await Self.retireKeys(installation.signingKeys, clock, timer, log) }
            }
        }
        work = Mutex(nil)
        do {
            try PortFailure.listening(http, "port")
            try PortFailure.listening(mtls, "mtls-port")
            try PortFailure.listening(metrics, "metrics-port")
        } catch {
            for server in [http, mtls, metrics].compactMap(\.self) { await server.stop(within: .zero) }
            throw error
        }
    }

    /// Serves. The configuration has to be complete by now: a probe that gets an answer may send requests at once.
    package func start() throws {
        let works = works
        work.withLock { $0 = Task { await works() } }
        try http.start()
        try mtls?.start()
        try metrics?.start()
    }

    private static func authorities(_ setting: String, _ file: String) throws -> ClientAuthorities {
        do {
            return try ClientAuthorities(pem: Array(try Installation.text(of: file).utf8))
        } catch let failure as Installation.FileFailure {
            throw SettingFailure(setting: setting, reason: failure.description)
        } catch {
            throw SettingFailure(setting: setting, reason: "\(file) contains no readable certificates in PEM: \(error)")
        }
    }

    private static func places(_ file: String?, _ log: Log) throws -> MaxMindPlaces? {
        guard let file else { return nil }
        do {
            return try MaxMindPlaces(file) { log.write(.error, "places", ["problem": $0]) }
        } catch {
            throw SettingFailure(
                setting: "geoip-database",
                reason: "\(error). Name a database in MaxMind's format, such as GeoLite2 City")
        }
    }

    /// Applies configuration changes at once, rather than at the next look, a second later.
    package func refreshConfiguration() async throws { _ = try await configuration.refresh() }

    /// A part of stopping.
    package enum StopStep: String, Sendable {
        case requests
        case backgroundWork = "background_work"
        case database
    }

    /// The current step of `stop`. Nil means that it is not running.
    package var stopStep: StopStep? { step.withLock { $0 } }

    /// Finishes running requests within `stopLimit` and closes everything. Returns false if a request did not end.
    @discardableResult
    package func stop() async -> Bool {
        step.withLock { $0 = .requests }
        hub.release()
        // Both listeners stop at the same time, within the one limit.
        async let others = mtls?.stop(within: settings.stopLimit)
        let unfinished = await http.stop(within: settings.stopLimit) + (await others ?? [])
        for record in unfinished {
            log.write(
                .error, "request did not end",
                ["id": record.id, "method": record.method, "path": record.path, "peer": record.remoteAddress])
        }
        await metrics?.stop(within: .seconds(1))
        step.withLock { $0 = .backgroundWork }
        let work = work.withLock(\.self)
        work?.cancel()
        await work?.value
        step.withLock { $0 = .database }
        await installation.close()
        step.withLock { $0 = nil }
        return unfinished.isEmpty
    }

    /// Does `work`, and logs its failure as `event`.
    private static func attempt(_ log: Log, _ event: StaticString, _ work: () async throws -> Void) async {
        do { try await work() } catch { log.write(.error, event, ["problem": "\(error)"]) }
    }

    /// Counts pending requests, and deletes expired rows: one step a second, or without pauses while it is behind.
    private static func sweep(
        _ store: Store, _ configuration: ConfigurationCache, endedFor retention: Duration,
        _ clock: any WallClock, _ timer: any AuthorizationCore.Timer, _ log: Log
    ) async {
        await attempt(log, "pending requests not counted") { try await store.countPending(now: clock.now) }
        var cursor = SweepCursor()
        var past = SteadyPast(now: clock.now, uptime: timer.uptime)
        while (try? await timer.sleep(cursor.isBehind ? .zero : .seconds(1))) != nil {
            await attempt(log, "sweep failed") {
                let now = clock.now
                let current = configuration.current
                _ = try await store.sweep(&cursor, endedBefore: now - retention, now: now) { tenant in
                    current.tenant(id: tenant)?.tenant.settings.approvalRetention ?? 0
                }
                try await store.sweepApprovals(now: now)
                if let end = past.end(now: now, uptime: timer.uptime) {
                    try await store.sweepUsedTokens(endedBefore: end)
                }
            }
        }
    }

    /// Once an hour, stops publishing keys that signed nothing still valid.
    private static func retireKeys(
        _ keys: ManageSigningKeys, _ clock: any WallClock, _ timer: any AuthorizationCore.Timer, _ log: Log
    ) async {
        var past = SteadyPast(now: clock.now, uptime: timer.uptime)
        while (try? await timer.sleep(.seconds(3600))) != nil {
            await attempt(log, "signing keys not retired") {
                guard let end = past.end(now: clock.now, uptime: timer.uptime) else { return }
                for key in try await keys.retire(endedBefore: end, now: clock.now) {
                    log.write(.info, "signing key retired", ["tenant": "\(key.tenant)", "kid": key.id.rawValue])
                }
            }
        }
    }

    private static func takeUpChanges(
        _ configuration: ConfigurationCache, _ timer: any AuthorizationCore.Timer, _ log: Log
    ) async {
        while (try? await timer.sleep(.seconds(1))) != nil {
            await attempt(log, "configuration not reloaded") {
                if try await configuration.refresh() { log.write(.info, "configuration reloaded") }
            }
        }
    }

    /// Logs the heads, because a person who can rewrite the database may not reach a collected log.
    private static func noteAuditHeads(_ store: Store, _ timer: any AuthorizationCore.Timer, _ log: Log) async {
        repeat {
            await attempt(log, "audit log not read") {
                if let head = try await store.auditHead() { log.write(.info, "audit log", ["head": head.description]) }
            }
        } while (try? await timer.sleep(.seconds(3600))) != nil
    }

    private struct SilentObserver: HTTPServerObserver {
        func requestFinished(_ record: RequestRecord) {}
        func acceptFailed(_ reason: String) {}
        func bodyRefused() {}
    }
}
