import AuthorizationCore
import CurlTransport
import HTTPModel
import OpenSSLCrypto
import Primitives
import Tracing

/// Sends spans to a collector by OTLP over HTTP, as JSON. Requests never wait for it: what the collector does not take in time
/// finds no room in the tracer and is dropped.
struct TraceExport: Sendable {
    /// Time in which spans gather, and the shortest wait after a failure.
    static let pause = Duration.seconds(1)
    /// Longest wait after failures.
    static let longestPause = Duration.seconds(30)
    /// Spans of one request to the collector, about 250 kB.
    static let batch = 512
    /// Time for a last request of a server that stops.
    static let lastTry = Duration.seconds(1)

    private let tracer: Tracer
    private let http: any HTTPClient
    private let url: String
    private let timer: any Timer
    private let resource: OTLP.Resource
    private let exported: Counter
    private let report: @Sendable (String) -> Void

    /// - Parameters:
    ///   - endpoint: Address of the collector, to which `/v1/traces` is appended.
    ///   - instance: Name of this process among those of the service.
    ///   - report: Gets the reason of the first failure in a row.
    init(
        _ tracer: Tracer, http: any HTTPClient, endpoint: String, instance: String, exported: Counter,
        timer: any Timer, report: @escaping @Sendable (String) -> Void
    ) {
        self.tracer = tracer
        self.http = http
        url = endpoint + "/v1/traces"
        resource = OTLP.Resource(version: Release.version, instance: instance)
        self.exported = exported
        self.timer = timer
        self.report = report
    }

    /// Exports until the task is cancelled, and then once more.
    func run() async {
        var failures = 0
        var held: [Span] = []
        while (try? await timer.sleep(min(Self.pause * (1 << min(failures, 5)), Self.longestPause))) != nil {
            while !Task.isCancelled {
                if held.isEmpty { held = tracer.take(atMost: Self.batch) }
                guard !held.isEmpty else { break }
                guard let problem = await send(held, within: .seconds(10)) else {
                    (held, failures) = ([], 0)
                    continue
                }
                if failures == 0 { report(problem) }
                failures += 1
                break
            }
        }
        if held.isEmpty { held = tracer.take(atMost: Self.batch) }
        guard !held.isEmpty else { return }
        // The task is cancelled, and its requests would be, too.
        let last = held
        _ = await Task { await send(last, within: Self.lastTry) }.value
    }

    /// The problem, if the same spans may be sent again. Spans that the collector refuses are dropped.
    private func send(_ spans: [Span], within limit: Duration) async -> String? {
        let answer: ClientResponse
        do {
            answer = try await http.send(
                ClientRequest(
                    method: .post, url: url, fields: ["Content-Type": "application/json"],
                    body: OTLP.request(spans, of: resource), timeout: limit))
        } catch {
            return error.text
        }
        switch answer.status {
        case 200...299:
            let rejected = min(OTLP.rejectedSpans(answer.body), spans.count)
            exported.increment(by: spans.count - rejected)
            tracer.dropped.increment(by: rejected)
        // OTLP 1.x, "Retryable Response Codes".
        case 429, 502, 503, 504: return "the collector answered \(answer.status)"
        default:
            report("the collector answered \(answer.status), \(spans.count) spans are dropped")
            tracer.dropped.increment(by: spans.count)
        }
        return nil
    }
}

extension ServerSettings {
    /// Nil without a collector. Its address is the operator's choice, so that no policy limits it.
    func traceExport(
        of tracer: Tracer?, _ exported: Counter, timer: any AuthorizationCore.Timer, _ log: Log
    ) throws -> TraceExport? {
        guard let tracer, let traceEndpoint else { return nil }
        return TraceExport(
            tracer, http: try CurlTransport(outgoing), endpoint: traceEndpoint,
            instance: Hex.encode(SystemRandom().bytes(16)), exported: exported, timer: timer
        ) { problem in
            log.write(.warning, "traces not exported", ["problem": problem])
        }
    }
}
