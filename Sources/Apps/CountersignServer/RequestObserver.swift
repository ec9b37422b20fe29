import MicroHTTPServer
import Primitives

/// Counts every request, and logs it if `logsRequests` is set.
struct RequestObserver: HTTPServerObserver {
    let metrics: Metrics
    let acceptFailures: Counter
    let refusedBodies: Counter
    let log: Log
    let logsRequests: Bool

    func requestFinished(_ record: RequestRecord) {
        metrics.requestFinished(record)
        guard logsRequests else { return }
        log.write(.info, "request") { line in
            line.add("id", record.id)
            line.add("method", record.method)
            line.add("path", record.path)
            line.add("status", record.status)
            line.add("ms", record.duration)
            line.add("in", record.requestBytes)
            line.add("out", record.responseBytes)
            line.add("peer", record.remoteAddress)
            if let client = record.clientAddress { line.add("client", client) }
            line.add("outcome", record.outcome.text)
        }
    }

    func acceptFailed(_ reason: String) {
        acceptFailures.increment()
        log.write(.error, "connection refused", ["reason": reason])
    }

    func bodyRefused() { refusedBodies.increment() }
}

extension RequestRecord.Outcome {
    fileprivate var text: String {
        switch self {
        case .completed: "completed"
        case .aborted: "aborted"
        case .clientLeft: "client_left"
        }
    }
}
