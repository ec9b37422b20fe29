import Administration
import AuthorizationCore
import CountersignServer
import Primitives
import Terminal

extension Command {
    static var logTail: Command {
        let filter = LogFilter()
        let lines = Option<Int>.defaulted("lines", short: "n", .integer(0...1000), to: 10, "How many entries at first.")
        let follow = Option<Bool>.flag("follow", short: "f", "Go on with what is appended, until interrupted.")
        let json = Option<Bool>.flag("json", "Print a JSON object for each entry, one a line.")
        return Command(
            "tail", "Show the tenant's last entries, the newest last.",
            options: [
                filter.group,
                OptionGroup(
                    "Options",
                    [lines.declaration, follow.declaration, json.declaration, Installation.tenantOption.declaration]),
                ServerChoices.installationOptions,
            ]
        ) { invocation in
            let query = try filter.query(invocation, now: SystemClock().now)
            return try await withInstallation(invocation, reading: true) { installation in
                let tenant = try await installation.tenant(invocation)
                let tail = LogTail(
                    logs: installation.tenantLogs, query: query, tenant: tenant.id,
                    names: try invocation[json] ? try await installation.clientNames(tenant) : nil,
                    output: invocation.output)
                let end = try await tail.show(last: try invocation[lines])
                guard try invocation[follow] else { return 0 }
                return try await untilTerminated { try await tail.follow(from: end) }
            }
        }
    }

    /// Runs `work`, which ends by being cancelled, until SIGINT or SIGTERM: that is the way to end it, and no failure.
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
    /// How long a new entry waits at most until it is shown.
    private static let pause = Duration.milliseconds(500)
    private static let batch = 500

    let logs: TenantLogs
    let query: LogQuery
    let tenant: TenantID
    /// Of clients, where JSON is printed.
    let names: [ClientID: String]?
    let output: Output

    /// Shows the last entries and returns where to go on.
    func show(last count: Int) async throws -> LogID {
        let end = try await logs.end()
        var records: [LogRecord] = []
        if count > 0 { records = try await logs.page(query, of: tenant, limit: count) }
        // Those that were appended since `end` was read come with what follows.
        records = records.filter { $0.id <= end }.reversed()
        if names == nil { output.table(.of(records)) } else { show(records) }
        return end
    }

    /// Entries appear in the order of their numbers, so that none can be missed.
    func follow(from end: LogID) async throws {
        var end = end
        while true {
            // Read first: what is appended while the entries are read has a higher number, and comes the next time.
            let reached = try await logs.end()
            let records = try await logs.following(end, query, of: tenant, limit: Self.batch)
            show(records)
            if records.count == Self.batch, let last = records.last {
                end = last.id
            } else {
                end = max(reached, records.last?.id ?? reached)
                try await Task.sleep(for: Self.pause)
            }
        }
    }

    private func show(_ records: [LogRecord]) {
        for record in records {
            if let names {
                output.raw(JSONWriter.string(.object(record.json(names))))
            } else {
                output.line(.joined(record.cells))
            }
        }
    }
}

extension Text {
    /// Two blanks between those that have something to say.
    fileprivate static func joined(_ cells: [Text]) -> Text {
        cells.filter { $0.width > 0 }.dropFirst().reduce(cells.first ?? "") { $0 + "  " + $1 }
    }
}
