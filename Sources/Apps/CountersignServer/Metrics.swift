import Glibc
import MicroHTTPServer
import Primitives
import Synchronization

/// The server's metrics for Prometheus (text format 0.0.4): request durations, measured here, and added metrics, read
/// for each scrape.
package final class Metrics: Sendable {
    /// Upper bounds in seconds of the buckets for answers that are sent at once.
    static let bounds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]
    /// Upper bounds in seconds for answers held until a decision, and for streams.
    static let longBounds: [Double] = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600, 14_400]

    private struct Key: Hashable {
        let manner: RequestRecord.Manner
        let route: String
        let method: String
        let status: Int

        var labels: MetricLabels { [("route", route), ("method", method), ("status", String(status))] }
    }

    /// Series of one shard. There are few, so a request finds its own by comparison, starting with the last one used.
    private struct Table {
        var keys: [Key] = []
        var series: [Histogram] = []
        var last = 0

        mutating func add(_ seconds: Double, to key: Key) {
            if last >= keys.count || keys[last] != key {
                last = keys.firstIndex(of: key) ?? keys.count
                if last == keys.count {
                    keys.append(key)
                    series.append(Histogram(bounds: key.manner == .immediate ? Metrics.bounds : Metrics.longBounds))
                }
            }
            series[last].add(seconds)
        }
    }

    private final class Shard: Sendable {
        let table = Mutex(Table())
    }

    /// Shards reduce contention between event threads that finish requests at the same time.
    private let shards = (0..<shardCount).map { _ in Shard() }
    private static let shardCount = 8
    private let added = Mutex<[Metric]>([])

    /// Maps paths to a small set of names, so that clients cannot create series without end. Nil means "other".
    private let route: @Sendable (_ path: String) -> String?

    package init(route: @escaping @Sendable (_ path: String) -> String?) { self.route = route }

    package func add(_ metrics: Metric...) { added.withLock { $0 += metrics } }

    func requestFinished(_ record: RequestRecord) {
        let key = Key(
            manner: record.manner, route: route(record.path) ?? "other", method: Self.known(method: record.method),
            status: record.status)
        // The address of a thread's descriptor spreads threads well enough. Two threads in one shard only wait briefly.
        let shard = shards[Int((UInt(pthread_self()) >> 12) % UInt(Self.shardCount))]
        shard.table.withLock { $0.add(record.duration.inSeconds, to: key) }
    }

    private static func known(method: String) -> String {
        switch method {
        case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS": method
        default: "other"
        }
    }

    private var requests: [Metric] {
        var table: [Key: Histogram] = [:]
        for shard in shards {
            let part = shard.table.withLock { $0 }
            table.merge(zip(part.keys, part.series)) { sum, part in
                var sum = sum
                sum.add(part)
                return sum
            }
        }
        let sorted = table.sorted { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) }
        func series(_ manner: RequestRecord.Manner) -> [(MetricLabels, Histogram)] {
            sorted.filter { $0.key.manner == manner }.map { ($0.key.labels, $0.value) }
        }
        let (immediate, held, streamed) = (series(.immediate), series(.held), series(.streamed))
        return [
            .histograms(
                "countersign_http_request_duration_seconds",
                "Time from the first byte of a request to the last byte of its response, except held and streamed ones."
            ) { immediate },
            .histograms(
                "countersign_http_held_request_duration_seconds",
                "The same time for requests that asked to be held (Prefer: wait)."
            ) { held },
            .histograms("countersign_http_stream_duration_seconds", "The same time for streamed responses.") {
                streamed
            },
        ]
    }

    /// Response body of `GET /metrics`.
    func text() async -> String {
        var text = ""
        for metric in requests + added.withLock({ $0 }) { text += await metric.text() }
        return text
    }
}
