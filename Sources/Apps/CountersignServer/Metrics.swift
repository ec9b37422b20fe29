import Glibc
import MicroHTTPServer
import Primitives
import Synchronization

/// Counts for Prometheus (text format 0.0.4).
public final class Metrics: Sendable {
    /// Upper bounds of the duration buckets, in seconds.
    static let bounds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]

    /// A number read when somebody looks. A counter only grows.
    public struct Gauge: Sendable {
        let name: String
        let help: String
        let isCounter: Bool
        let read: @Sendable () -> Int

        public init(
            _ name: String, _ help: String, isCounter: Bool = false, read: @escaping @Sendable () -> Int
        ) {
            self.name = name
            self.help = help
            self.isCounter = isCounter
            self.read = read
        }
    }

    private struct Key: Hashable {
        let route: String
        let method: String
        let status: Int
    }

    private struct Series {
        var count: UInt64 = 0
        var seconds: Double = 0
        var buckets = [UInt64](repeating: 0, count: Metrics.bounds.count)

        mutating func add(_ seconds: Double) {
            count += 1
            self.seconds += seconds
            if let bucket = Metrics.bounds.firstIndex(where: { seconds <= $0 }) { buckets[bucket] += 1 }
        }

        func adding(_ other: Series) -> Series {
            Series(
                count: count + other.count, seconds: seconds + other.seconds,
                buckets: zip(buckets, other.buckets).map(+))
        }
    }

    /// There are few series, and each request looks its own up: they are compared, not hashed, that of the request before
    /// first.
    private struct Table {
        var keys: [Key] = []
        var series: [Series] = []
        var last = 0

        mutating func add(_ seconds: Double, to key: Key) {
            if last >= keys.count || keys[last] != key {
                last = keys.firstIndex(of: key) ?? keys.count
                if last == keys.count {
                    keys.append(key)
                    series.append(Series())
                }
            }
            series[last].add(seconds)
        }
    }

    private final class Shard: Sendable {
        let table = Mutex(Table())
    }

    /// Event threads that finish requests at once mostly find shards of their own.
    private let shards = (0..<shardCount).map { _ in Shard() }
    private static let shardCount = 8
    private let gauges = Mutex<[Gauge]>([])
    private let acceptFailures = Atomic<Int>(0)

    /// Names few routes whatever is asked, so that strangers cannot make series without end; nil is "other".
    private let route: @Sendable (_ path: String) -> String?

    public init(route: @escaping @Sendable (_ path: String) -> String?) { self.route = route }

    public func add(_ gauge: Gauge) { gauges.withLock { $0.append(gauge) } }

    func requestFinished(_ record: RequestRecord) {
        let duration = record.duration.components
        let seconds = Double(duration.seconds) + Double(duration.attoseconds) / 1e18
        let key = Key(
            route: route(record.path) ?? "other", method: Self.known(method: record.method), status: record.status)
        // Where a thread's descriptor lies tells threads apart well enough; two in one shard only wait for each other.
        let shard = shards[Int((UInt(pthread_self()) >> 12) % UInt(Self.shardCount))]
        shard.table.withLock { $0.add(seconds, to: key) }
    }

    func acceptFailed() { acceptFailures.add(1, ordering: .relaxed) }

    private static func known(method: String) -> String {
        switch method {
        case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS": method
        default: "other"
        }
    }

    /// What `GET /metrics` answers.
    var text: String {
        var text = """
            # HELP countersign_http_request_duration_seconds How long requests took, from their first byte to the answer's last.
            # TYPE countersign_http_request_duration_seconds histogram

            """
        var table: [Key: Series] = [:]
        for shard in shards {
            let part = shard.table.withLock { $0 }
            table.merge(zip(part.keys, part.series)) { $0.adding($1) }
        }
        let name = "countersign_http_request_duration_seconds"
        for (key, series) in table.sorted(by: { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) }) {
            let labels = #"route="\#(key.route)",method="\#(key.method)",status="\#(key.status)""#
            var total: UInt64 = 0
            for (bound, count) in zip(Self.bounds, series.buckets) {
                total += count
                text += #"\#(name)_bucket{\#(labels),le="\#(bound)"} \#(total)"# + "\n"
            }
            text += #"\#(name)_bucket{\#(labels),le="+Inf"} \#(series.count)"# + "\n"
            text += "\(name)_sum{\(labels)} \(series.seconds)\n\(name)_count{\(labels)} \(series.count)\n"
        }
        let failures = acceptFailures.load(ordering: .relaxed)
        text += "# HELP countersign_accept_failures_total Connections the system refused for want of resources.\n"
        text += "# TYPE countersign_accept_failures_total counter\ncountersign_accept_failures_total \(failures)\n"
        for gauge in gauges.withLock({ $0 }) {
            let type = gauge.isCounter ? "counter" : "gauge"
            text += "# HELP \(gauge.name) \(gauge.help)\n# TYPE \(gauge.name) \(type)\n\(gauge.name) \(gauge.read())\n"
        }
        return text
    }
}
