import Administration
import Audit
import CountersignServer
import HTTPModel
import ManagementAPI
import Primitives
import Terminal

/// Entries of the audit log as the Management API's documents, in the data folder or at a server.
protocol LogReader: Sendable {
    /// True if the entries are of several tenants.
    var showsTenant: Bool { get }

    /// The newest entries that match, newest first.
    func newest(_ limit: Int) async throws -> [JSONObject]

    /// Position behind which new entries follow.
    func end() async throws -> LogID

    /// Entries behind a position that match, oldest first, and the position behind them.
    func following(_ position: LogID) async throws -> (entries: [JSONObject], end: LogID)
}

/// The log in the data folder.
struct FolderLog: LogReader {
    private static let batch = 500

    let logs: TenantLogs
    let query: LogQuery
    let scope: LogScope
    /// Names of clients. Nil leaves them out, as a table does.
    let names: ClientNames?

    var showsTenant: Bool { scope == .allTenants }

    func newest(_ limit: Int) async throws -> [JSONObject] {
        try await logs.page(query, of: scope, limit: limit).map(document)
    }

    func end() async throws -> LogID { try await logs.end() }

    func following(_ position: LogID) async throws -> (entries: [JSONObject], end: LogID) {
        // Read before the entries: entries appended meanwhile have higher numbers and are shown next time.
        let reached = try await logs.end()
        let records = try await logs.following(position, query, of: scope, limit: Self.batch)
        let last = records.last?.id ?? reached
        return (records.map(document), records.count == Self.batch ? last : max(reached, last))
    }

    private func document(_ record: LogRecord) -> JSONObject {
        guard let names else { return record.json(clientName: nil) }
        return record.json(names)
    }
}

/// The log of a tenant at a server.
struct ServerLog: LogReader {
    private static let part = 100

    let tenant: ManagedTenant
    /// A query of the Management API. Nil means every entry.
    let query: String?

    var showsTenant: Bool { false }

    func newest(_ limit: Int) async throws -> [JSONObject] { try await read(limit) { _ in true } }

    func end() async throws -> LogID {
        let newest = try await tenant.all("/logs", query: ["per_page": "1"]).first
        return newest?.logID ?? LogID(sequence: 0)
    }

    func following(_ position: LogID) async throws -> (entries: [JSONObject], end: LogID) {
        let reached = try await end()
        let entries = try await read(.max) { ($0.logID ?? position) > position }
        return (entries.reversed(), max(reached, entries.first?.logID ?? reached))
    }

    /// Matching entries, newest first, up to `limit` or to the first that is not wanted.
    private func read(_ limit: Int, while isWanted: (JSONObject) -> Bool) async throws -> [JSONObject] {
        var found: [JSONObject] = []
        while found.count < limit {
            let size = min(Self.part, limit - found.count)
            var pairs: [ManagementRequest.Pair] = [.init("per_page", String(size))]
            if let query { pairs.append(.init("q", query)) }
            if let last = found.last?.logID { pairs.append(.init("before", last.description)) }
            let part = (try await tenant.answer(OperationRequest(.get, "/logs", query: pairs)).arrayValue ?? [])
                .compactMap(\.objectValue)
            let wanted = part.prefix(while: isWanted)
            found += wanted
            if part.count < size || wanted.count < part.count { break }
        }
        return found
    }
}

extension JSONObject {
    var logID: LogID? { self["log_id"]?.stringValue.flatMap { LogID($0) } }
}

extension Command {
    /// A command on the log of a tenant, here or at a server, or on the logs of all tenants here.
    static func onLog(
        _ name: String, _ summary: String, options: [any DeclaredOption], examples: Command.Examples,
        named: Option<Bool>, _ work: @escaping @Sendable (any LogReader, Invocation) async throws -> Int32
    ) -> Command {
        let filter = LogFilter()
        return Command(
            name, summary,
            options: [
                filter.group, OptionGroup("Options", options + [Installation.tenantOption, LogScope.allTenantsOption]),
                ServerChoices.installationOptions, ServerOptions.group,
            ], examples: examples
        ) { invocation in
            let now = SystemClock().now
            if let server = try ServerOptions.chosen(invocation) {
                guard try !invocation[LogScope.allTenantsOption] else {
                    throw UsageError(
                        "--server and --all-tenants exclude each other", hint: "it is the log of one tenant")
                }
                return try await refusing {
                    let tenant = try ManagedTenant(server: server, invocation)
                    let query = try await filter.text(invocation, tenant, now: now)
                    return try await work(ServerLog(tenant: tenant, query: query), invocation)
                }
            }
            return try await withInstallation(invocation, reading: true) { installation in
                let query = try await filter.query(invocation, installation, now: now)
                let reader = FolderLog(
                    logs: installation.tenantLogs, query: query, scope: try await installation.logScope(invocation),
                    names: try invocation[named] ? try await installation.clientNames() : nil)
                return try await work(reader, invocation)
            }
        }
    }
}
