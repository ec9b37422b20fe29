import AuthorizationCore
import Configuration
import Endpoints
import Flows
import MicroHTTPServer
import Primitives
import Synchronization
import Tracing

/// A complete server in one process.
package final class Server: Sendable {
    package let settings: ServerSettings
    package let installation: Installation
    private let configuration: ConfigurationCache
    private let log: Log
    private let listeners: Listeners
    private let background: BackgroundWork
    private let work = Mutex<Task<Void, Never>?>(nil)
    private let hub: DecisionHub
    private let step = Mutex<StopStep?>(nil)

    package var port: UInt16 { listeners.http.port }

    package var tenantCount: Int { configuration.current.tenants.count }

    /// Takes its ports, whose connections wait until `start()`. `installation` must have been opened with the same
    /// settings.
    /// - Throws: `PortFailure`, `SettingFailure`, or an error of the store.
    package init(_ settings: ServerSettings, installation: Installation, log: Log) async throws {
        self.settings = settings
        self.installation = installation
        self.log = log
        installation.report(to: log)
        // Without the key, each part that needs it would complain.
        _ = try installation.vault.masterKey
        let parts = try await ServerParts(settings, installation, log)
        let (configuration, flows) = (parts.configuration, parts.flows)
        self.configuration = configuration
        hub = flows.hub
        let metrics = Metrics { parts.application.routeName(of: $0) }
        let counts = ListenerCounts(metrics: metrics)
        let identity = try installation.tlsIdentity(for: configuration.current)
        let listeners = try Listeners(settings, parts, identity, counts, log)
        self.listeners = listeners
        metrics.addListeners(listeners, counts)
        metrics.addUse(of: parts)
        metrics.addEvents(of: installation.store)
        metrics.addStore(
            installation.store, installation.database, file: settings.store.isFile ? settings.storeName : nil,
            clock: parts.clock)
        metrics.addDeliveries(flows.delivery)
        metrics.addMailBudgets([parts.ticketMails, parts.sentMails])
        let exported = Counter()
        metrics.addTraces(dropped: installation.tracer?.dropped ?? Counter(), exported: exported)
        metrics.addProcess()
        let certificate = CertificateWatch(clock: parts.clock, timer: parts.timer, log: log) {
            try installation.tlsIdentity(for: configuration.current)
        } present: {
            try listeners.renew($0)
        }
        background = BackgroundWork(
            installation: installation, configuration: configuration, delivery: flows.delivery,
            others: flows.others, certificate: identity.map { (certificate, $0) },
            traces: try settings.traceExport(of: installation.tracer, exported, timer: parts.timer, log),
            retention: settings.retention,
            clock: parts.clock,
            timer: parts.timer, log: log)
        try await listeners.requirePorts()
    }

    /// Serves. The configuration has to be complete by now: a probe that gets an answer may send requests at once.
    package func start() throws {
        let background = background
        work.withLock { $0 = Task { await background.run() } }
        try listeners.start()
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
        let unfinished = await listeners.stop(within: settings.stopLimit)
        for record in unfinished {
            log.write(
                .error, "request did not end",
                ["id": record.id, "method": record.method, "path": record.path, "peer": record.remoteAddress])
        }
        await listeners.metrics?.stop(within: .seconds(1))
        step.withLock { $0 = .backgroundWork }
        let work = work.withLock(\.self)
        work?.cancel()
        await work?.value
        step.withLock { $0 = .database }
        await installation.close()
        step.withLock { $0 = nil }
        return unfinished.isEmpty
    }
}
