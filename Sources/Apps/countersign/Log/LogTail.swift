import Administration
import Audit
import CountersignServer
import Primitives
import Terminal

extension Command {
    static var logTail: Command {
        let filter = LogFilter()
        let lines = Option<Int>.defaulted(
            "lines", short: "n", .integer(0...1000), to: 10, "Number of entries to start with.")
        let follow = Option<Bool>.flag("follow", short: "f", "Keep showing new entries until interrupted.")
        let json = Option<Bool>.flag("json", "Print one JSON object per line and entry.")
        return onDataFolder(
            "tail", "Show the tenant's last entries, newest last.",
            groups: [filter.group],
            options: [lines, follow, json, Installation.tenantOption, LogScope.allTenantsOption],
            examples: [
                "show the last hundred entries of all tenants": "countersign log tail -n 100 --all-tenants",
                "follow approvals": "countersign log tail --follow --type gd_auth_succeed",
            ], reading: true
        ) { installation, invocation in
            let query = try await filter.query(invocation, installation, now: SystemClock().now)
            let scope = try await installation.logScope(invocation)
            var tail = LogTail(
                logs: installation.tenantLogs, query: query, scope: scope,
                names: try invocation[json] ? try await installation.clientNames() : nil,
                output: invocation.output, columns: LogColumns(scope))
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
    /// Maximum time until a new entry is shown.
    private static let pause = Duration.milliseconds(500)
    private static let batch = 500

    let logs: TenantLogs
    let query: LogQuery
    let scope: LogScope
    /// Names of clients for JSON output. Nil prints a table.
    let names: ClientNames?
    let output: Output
    var columns: LogColumns

    /// Shows the last entries and returns the position to continue from.
    mutating func show(last count: Int) async throws -> LogID {
        let end = try await logs.end()
        var records: [LogRecord] = []
        if count > 0 { records = try await logs.page(query, of: scope, limit: count) }
        // Entries appended since `end` was read are shown by `follow`.
        records = records.filter { $0.id <= end }.reversed()
        if names == nil { output.table(columns.table(records)) } else { show(records) }
        return end
    }

    /// Shows new entries in the order of their numbers, so that none is missed.
    mutating func follow(from end: LogID) async throws {
        var end = end
        while true {
            // Read before the entries: entries appended meanwhile have higher numbers and are shown next time.
            let reached = try await logs.end()
            let records = try await logs.following(end, query, of: scope, limit: Self.batch)
            show(records)
            if records.count == Self.batch, let last = records.last {
                end = last.id
            } else {
                end = max(reached, records.last?.id ?? reached)
                try await Task.sleep(for: Self.pause)
            }
        }
    }

    private mutating func show(_ records: [LogRecord]) {
        for record in records {
            if let names {
                output.raw(JSONWriter.string(.object(record.json(names))))
            } else {
                output.line(columns.line(record))
            }
        }
    }
}
