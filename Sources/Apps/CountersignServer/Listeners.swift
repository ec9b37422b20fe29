import Endpoints
import HTTPModel
import MicroHTTPServer
import OAuthWire
import Primitives
import Routing

/// Counts of the listeners.
struct ListenerCounts: Sendable {
    let metrics: Metrics
    let acceptFailures = Counter()
    let refusedBodies = Counter()
}

/// The server's ports: requests, requests with clients' certificates, and metrics.
struct Listeners: Sendable {
    let http: HTTPServer
    let mtls: HTTPServer?
    let metrics: HTTPServer?

    /// Takes the ports. Connections wait until `start()`.
    init(
        _ settings: ServerSettings, _ parts: ServerParts, _ identity: TLSIdentity?, _ counts: ListenerCounts, _ log: Log
    ) throws {
        let (application, proxies, errors) = (parts.application, parts.proxies, parts.errors)
        var clientAddress: (@Sendable (Request) -> String)?
        if settings.logsRequests, !settings.clientAddressProxies.isEmpty {
            clientAddress = { proxies.clientAddress(of: $0) }
        }
        func listener(port: UInt16, requestsClientCertificates: Bool) throws -> HTTPServer {
            try HTTPServer(
                configuration: HTTPServerConfiguration(
                    address: settings.address, port: port, tls: identity,
                    requestsClientCertificates: requestsClientCertificates, threads: settings.threads,
                    limits: settings.limits, proxies: settings.certificateProxies + settings.clientAddressProxies,
                    largeBodies: { application.largeBody($0) },
                    renderRefusal: { application.response(to: $0, of: $1) }, clientAddress: clientAddress),
                observer: RequestObserver(
                    metrics: counts.metrics, acceptFailures: counts.acceptFailures, refusedBodies: counts.refusedBodies,
                    log: log, logsRequests: settings.logsRequests),
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
                Route(probe: EndpointPath.metrics) { [metrics = counts.metrics] _ in
                    Response(
                        status: 200, fields: ["Content-Type": "text/plain; version=0.0.4"],
                        body: .bytes(Array(await metrics.text().utf8)))
                }
            ])
            return try HTTPServer(
                configuration: HTTPServerConfiguration(
                    address: settings.metricsAddress, port: port, threads: 1,
                    renderRefusal: { errors.response(for: $0, to: $1, in: .oauth) }),
                observer: SilentObserver(), handler: { await router.answerProbe($0, errors) })
        }
    }

    /// Throws `PortFailure` if the system gave a port to another program, and closes the others.
    func requirePorts() async throws {
        do {
            try PortFailure.listening(http, "port")
            try PortFailure.listening(mtls, "mtls-port")
            try PortFailure.listening(metrics, "metrics-port")
        } catch {
            for server in [http, mtls, metrics].compactMap(\.self) { await server.stop(within: .zero) }
            throw error
        }
    }

    func start() throws {
        try http.start()
        try mtls?.start()
        try metrics?.start()
    }

    func renew(_ identity: TLSIdentity) throws {
        try http.renew(identity)
        try mtls?.renew(identity)
    }

    /// Stops taking requests, on both ports within the one limit. Returns those that did not end.
    func stop(within limit: Duration) async -> [RequestRecord] {
        async let others = mtls?.stop(within: limit)
        return await http.stop(within: limit) + (await others ?? [])
    }

    private struct SilentObserver: HTTPServerObserver {
        func requestFinished(_ record: RequestRecord) {}
        func acceptFailed(_ reason: String) {}
        func bodyRefused() {}
    }
}
