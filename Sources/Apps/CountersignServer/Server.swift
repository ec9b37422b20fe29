import Argon2Passwords
import Administration
import AuthorizationCore
import CurlTransport
import Delivery
import Endpoints
import Flows
import HTTPModel
import ManagementAPI
import MicroHTTPServer
import OpenSSLCrypto
import Persistence
import Primitives
import QRCodes
import SQL
import SQLiteDriver
import Synchronization

/// A whole server in one process: chooses the adapters behind the ports of the application.
package final class Server: Sendable {
    package let settings: ServerSettings
    package let installation: Installation
    private let configuration: ConfigurationCache
    private let log: Log
    private let http: HTTPServer
    private let mtls: HTTPServer?
    private let metrics: HTTPServer?
    private let work: Task<Void, Never>
    private let hub: DecisionHub
    private let step = Mutex<StopStep?>(nil)

    /// The port that requests come to.
    package var port: UInt16 { http.port }

    /// Tenants that are served now.
    package var tenantCount: Int { configuration.current.tenants.count }

    /// Listens and serves as soon as it returns. `installation` was opened with the same settings.
    package init(_ settings: ServerSettings, installation: Installation, log: Log) async throws {
        self.settings = settings
        self.installation = installation
        self.log = log
        // Read anew for each connection to others: what is wrong with it would show at the first login.
        if let file = settings.trustedAuthorities { _ = try Self.authorities("trusted-authorities", file) }
        let store = installation.store
        store.watchAuditLog { lost in
            log.write(
                .error, "audit log cut off",
                ["known": lost.known.description, "found": lost.found?.description ?? "none"])
        }
        let clock = SystemClock()
        let timer = SystemTimer()
        let hashing = OpenSSLHashing()
        let random = SystemRandom()

        _ = try await installation.signingKeys.certify(now: clock.now)
        let detailsCheckLimit = DetailsCheckLimit(steps: settings.detailsCheckSteps)
        let configuration = ConfigurationCache(
            store: store, keys: installation.keys, hashing: hashing, schemas: installation.schemas,
            detailsCheckLimit: detailsCheckLimit
        ) { problem in log.write(.error, "configuration", ["problem": problem]) }
        self.configuration = configuration
        _ = try await configuration.refresh()

        let derivationKeys = try await installation.derivationKeys()
        let keys = try Application.Keys(hashing: hashing) { try derivationKeys.key(for: $0) }
        let channel = DeviceChannel(
            configuration: configuration, composer: NotificationComposer(secrets: keys.transactions))
        let outbox = OutboxWorker(store: store, providers: [channel], clock: clock, timer: timer) { problem in
            log.write(.error, "outbox", ["problem": problem])
        }
        let transport = try OutgoingTransport(settings.outgoingPolicy, settings.outgoing)
        let proxies = TrustedProxies(
            certificates: settings.certificateProxies, addresses: settings.clientAddressProxies,
            field: settings.clientAddressField)
        let application = try await Application(
            Application.Ports(
                store: store, configuration: configuration, clock: clock, timer: timer, pageHold: settings.pageHold,
                random: random, hashing: hashing, verifier: OpenSSLVerifier(), sealer: installation.vault,
                passwords: try Argon2PasswordHasher(random: random), signingKeys: installation.keys,
                schemas: installation.schemas, keys: keys,
                http: transport,
                published: PublishedClientKeys(client: transport) { problem in
                    log.write(.info, "client keys", ["problem": problem])
                },
                trust: try settings.clientAuthorities.map { try Self.authorities("mtls-ca", $0) }
                    ?? ClientAuthorities(),
                channel: channel, outbox: outbox,
                qrCode: { try? QRCode($0).modules }),
            front: Application.ProxySettings(
                mtlsPort: settings.mtlsPort, proxies: proxies, transportSecurity: settings.transportSecurity),
            isReady: { await store.isReady() },
            log: { id, detail, status in
                if status < 500 {
                    log.write(.info, "refused", ["id": id, "detail": detail])
                } else {
                    log.write(.error, "failed", ["id": id, "status": String(status), "detail": detail])
                }
            })
        let hub = application.flows.hub
        self.hub = hub

        let mail = MailWorker(
            store: store, transport: settings.mailTransport, sealer: installation.vault, hashing: hashing,
            clock: clock, timer: timer
        ) { problem in log.write(.error, "mail", ["problem": problem]) }
        let logouts = LogoutWorker(
            store: store, logout: BackchannelLogout(notifier: LogoutTokenSender(http: transport), random: random),
            configuration: configuration, clock: clock, timer: timer
        ) { problem in log.write(.error, "logouts", ["problem": problem]) }

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
                    renderRefusal: { refusal, path in
                        application.response(
                            toRefused: path, status: refusal.status, error: refusal.error, refusal.description)
                            ?? refusal.jsonResponse
                    },
                    clientAddress: clientAddress),
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
            try HTTPServer(
                configuration: HTTPServerConfiguration(address: settings.metricsAddress, port: port, threads: 1),
                observer: SilentObserver(), handler: { await Self.answer($0, with: counts) })
        }
        counts.add(
            .counter(
                "countersign_accept_failures_total", "Connections that the system refused for want of resources."
            ) { acceptFailures.count },
            .gauge("countersign_http_connections", "Open connections.") { [http, mtls] in
                Double(http.openConnections + (mtls?.openConnections ?? 0))
            },
            .gauge("countersign_http_body_bytes", "Bytes of request bodies that count against their limit.") {
                [http, mtls] in Double(http.bodyBytes + (mtls?.bodyBytes ?? 0))
            },
            .counter(
                "countersign_http_bodies_refused_total", "Request bodies refused because all take too much memory."
            ) { refusedBodies.count },
            .gauge("countersign_held_token_requests", "Token requests held for a decision.") { Double(hub.waiting) },
            .counter(
                "countersign_details_check_refusals_total",
                "Requests refused because checking authorization_details would take too many steps."
            ) { detailsCheckLimit.refusals },
            .gauge("countersign_device_streams", "Open device channels.") { Double(channel.openStreams) },
            .gauge("countersign_tenants", "Tenants that are served.") { Double(configuration.current.tenants.count) })
        counts.addEvents(of: store)
        counts.addStore(
            store, installation.database, file: Installation.databaseFile(folder: settings.dataFolder), clock: clock)
        counts.addMail(mail)
        counts.addProcess()

        let certificate = CertificateWatch(timer: timer, log: log) {
            try installation.tlsIdentity(for: configuration.current)
        } present: { [http, mtls] in
            try http.renew($0)
            try mtls?.renew($0)
        }
        work = Task {
            await withTaskGroup(of: Void.self) { group in
                if let identity { group.addTask { await certificate.run(identity) } }
                group.addTask { await outbox.run() }
                group.addTask { await mail.run() }
                group.addTask { await logouts.run() }
                group.addTask { await Self.noteAuditHeads(store, timer, log) }
                group.addTask { await Self.sweep(store, endedFor: settings.retention, clock, timer, log) }
                group.addTask { await Self.takeUpChanges(configuration, timer, log) }
                group.addTask { await Self.retireKeys(installation.signingKeys, clock, timer, log) }
            }
        }
        do {
            try http.start()
            try mtls?.start()
            try metrics?.start()
        } catch {
            work.cancel()
            await mtls?.stop(within: .zero)
            await http.stop(within: .zero)
            // Before the database is closed.
            await work.value
            throw error
        }
    }

    private static func authorities(_ setting: String, _ file: String) throws -> ClientAuthorities {
        do {
            return try ClientAuthorities(pem: Array(try Installation.text(of: file).utf8))
        } catch let failure as Installation.FileFailure {
            throw SettingFailure(setting: setting, reason: failure.description)
        } catch {
            throw SettingFailure(
                setting: setting, reason: "\(file) holds no certificates in PEM that can be read: \(error)")
        }
    }

    /// Takes up what was configured, at once rather than within a second.
    package func refreshConfiguration() async throws { _ = try await configuration.refresh() }

    /// A part of stopping.
    package enum StopStep: String, Sendable {
        case requests
        case backgroundWork = "background_work"
        case database
    }

    /// The step that `stop` is at, while it runs.
    package var stopStep: StopStep? { step.withLock { $0 } }

    /// Finishes what runs, within the settings' limit, and closes everything. False if a request did not end.
    @discardableResult
    package func stop() async -> Bool {
        step.withLock { $0 = .requests }
        hub.release()
        // Both at once, within the one limit.
        async let others = mtls?.stop(within: settings.stopLimit)
        let unfinished = await http.stop(within: settings.stopLimit) + (await others ?? [])
        for record in unfinished {
            log.write(
                .error, "request did not end",
                ["id": record.id, "method": record.method, "path": record.path, "peer": record.remoteAddress])
        }
        await metrics?.stop(within: .seconds(1))
        step.withLock { $0 = .backgroundWork }
        work.cancel()
        await work.value
        step.withLock { $0 = .database }
        await installation.close()
        step.withLock { $0 = nil }
        return unfinished.isEmpty
    }

    /// Counts what is pending, and removes what is over: a step a second, or one after another where much is.
    private static func sweep(
        _ store: Store, endedFor retention: Duration, _ clock: any WallClock, _ timer: any AuthorizationCore.Timer,
        _ log: Log
    ) async {
        do {
            try await store.countPending(now: clock.now)
        } catch {
            log.write(.error, "pending requests not counted", ["problem": "\(error)"])
        }
        var cursor = SweepCursor()
        var past = SteadyPast(now: clock.now, uptime: timer.uptime)
        while (try? await timer.sleep(cursor.isBehind ? .zero : .seconds(1))) != nil {
            do {
                let now = clock.now
                _ = try await store.sweep(&cursor, endedBefore: now - retention, now: now)
                if let end = past.end(now: now, uptime: timer.uptime) {
                    try await store.sweepAssertions(endedBefore: end)
                }
            } catch {
                log.write(.error, "sweep failed", ["problem": "\(error)"])
            }
        }
    }

    /// Stops publishing keys that nothing valid is signed with, once an hour.
    private static func retireKeys(
        _ keys: ManageSigningKeys, _ clock: any WallClock, _ timer: any AuthorizationCore.Timer, _ log: Log
    ) async {
        var past = SteadyPast(now: clock.now, uptime: timer.uptime)
        while (try? await timer.sleep(.seconds(3600))) != nil {
            do {
                guard let end = past.end(now: clock.now, uptime: timer.uptime) else { continue }
                for key in try await keys.retire(endedBefore: end, now: clock.now) {
                    log.write(.info, "signing key retired", ["tenant": "\(key.tenant)", "kid": key.id.rawValue])
                }
            } catch {
                log.write(.error, "signing keys not retired", ["problem": "\(error)"])
            }
        }
    }

    private static func takeUpChanges(
        _ configuration: ConfigurationCache, _ timer: any AuthorizationCore.Timer, _ log: Log
    ) async {
        while (try? await timer.sleep(.seconds(1))) != nil {
            do {
                if try await configuration.refresh() { log.write(.info, "configuration taken up") }
            } catch {
                log.write(.error, "configuration not taken up", ["problem": "\(error)"])
            }
        }
    }

    /// A collected log keeps them where whoever rewrites this server's database cannot reach.
    private static func noteAuditHeads(_ store: Store, _ timer: any AuthorizationCore.Timer, _ log: Log) async {
        repeat {
            do {
                if let head = try await store.auditHead() {
                    log.write(.info, "audit log", ["head": head.description])
                }
            } catch {
                log.write(.error, "audit log not read", ["problem": "\(error)"])
            }
        } while (try? await timer.sleep(.seconds(3600))) != nil
    }

    private static func answer(_ request: Request, with metrics: Metrics) async -> Response {
        guard request.path == "/metrics", request.method == .get || request.method == .head else {
            return Response(
                status: 404, fields: ["Content-Type": "text/plain"], body: .bytes(Array("see /metrics\n".utf8)))
        }
        return Response(
            status: 200, fields: ["Content-Type": "text/plain; version=0.0.4"],
            body: .bytes(Array(await metrics.text().utf8)))
    }

    private struct SilentObserver: HTTPServerObserver {
        func requestFinished(_ record: RequestRecord) {}
        func acceptFailed(_ reason: String) {}
        func bodyRefused() {}
    }
}
