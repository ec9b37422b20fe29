import Administration
import Audit
import CountersignServer
import Primitives
import Terminal

extension Command {
    static var logTail: Command {
        let lines = Option<Int>.defaulted(
            "lines", short: "n", .integer(0...1000), to: 10, "Number of entries to start with.")
        let follow = Option<Bool>.flag("follow", short: "f", "Keep showing new entries until interrupted.")
        let json = Option<Bool>.flag("json", "Print one JSON object per line and entry.")
        return onLog(
            "tail", "Show the tenant's last entries, newest last.", options: [lines, follow, json],
            examples: [
                "show the last hundred entries of all tenants": "countersign log tail -n 100 --all-tenants",
                "follow approvals": "countersign log tail --follow --type gd_auth_succeed",
            ], named: json
        ) { log, invocation in
            var tail = LogTail(log, invocation.output, asJSON: try invocation[json])
            let end = try await tail.show(last: try invocation[lines])
            guard try invocation[follow] else { return 0 }
            let following = tail
            return try await untilTerminated {
                var tail = following
                try await tail.follow(from: end)
            }
        }
    }

    /// Runs `work` until SIGINT or SIGTERM, which end it without a failure.
    private static func untilTerminated(_ work: @escaping @Sendable () async throws -> Void) async throws -> Int32 {
        let signals = try TerminationSignal.stream()
        let task = Task { try await work() }
        let watch = Task { for await _ in signals { task.cancel() } }
        defer { watch.cancel() }
        do { try await task.value } catch is CancellationError {}
        return 0
    }
}

private struct LogTail: Sendable {
    /// Maximum time until a new entry is shown, apart from the server's.
    private static let pause = Duration.milliseconds(500)
    /// The same from afar, where each look is a request.
    private static let longPause = Duration.seconds(2)

    private let log: any LogReader
    private let output: Output
    /// Nil prints JSON.
    private var columns: LogColumns?

    init(_ log: any LogReader, _ output: Output, asJSON: Bool) {
        self.log = log
        self.output = output
        columns = asJSON ? nil : LogColumns(showsTenant: log.showsTenant)
    }

    /// Shows the last entries and returns the position to continue from.
    mutating func show(last count: Int) async throws -> LogID {
        let end = try await log.end()
        let newest = count > 0 ? try await log.newest(count) : []
        // Entries appended since `end` was read are shown by `follow`.
        let entries = Array(newest.filter { ($0.logID ?? end) <= end }.reversed())
        if var columns {
            output.table(columns.table(entries))
            self.columns = columns
        } else {
            show(entries)
        }
        return end
    }

    /// Shows new entries in the order of their numbers, so that none is missed.
    mutating func follow(from end: LogID) async throws {
        var end = end
        while true {
            let (entries, reached) = try await log.following(end)
            show(entries)
            end = reached
            if entries.isEmpty { try await Task.sleep(for: log is ServerLog ? Self.longPause : Self.pause) }
        }
    }

    private mutating func show(_ entries: [JSONObject]) {
        for entry in entries {
            if let line = columns?.line(entry) {
                output.line(line)
            } else {
                output.raw(JSONWriter.string(.object(entry)))
            }
        }
    }
}
