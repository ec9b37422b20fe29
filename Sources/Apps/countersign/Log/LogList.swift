import Administration
import Audit
import AuthorizationCore
import CountersignServer
import OAuthWire
import Primitives
import Terminal

extension Command {
    static var logList: Command {
        let filter = LogFilter()
        let limit = Option<Int>.defaulted("limit", .integer(1...10_000), to: 50, "How many entries at most.")
        let json = Option<Bool>.flag("json", "Print a JSON array.")
        return Command(
            "list", "Show the tenant's entries, the newest first.",
            options: [
                filter.group,
                OptionGroup(
                    "Options",
                    [
                        limit.declaration, json.declaration, Installation.tenantOption.declaration,
                        LogScope.allTenantsOption.declaration,
                    ]),
                ServerChoices.installationOptions,
            ],
            examples: [
                Example("what a user did today", "countersign log list --user 'auth0|65f0' --since 24h"),
                Example("who changed the configuration", "countersign log list --type configuration_applied --json"),
            ]
        ) { invocation in
            try await withInstallation(invocation, reading: true) { installation in
                let query = try await filter.query(invocation, installation, now: SystemClock().now)
                let scope = try await installation.logScope(invocation)
                let records = try await installation.tenantLogs.page(query, of: scope, limit: try invocation[limit])
                if try invocation[json] {
                    let names = try await installation.clientNames()
                    invocation.output.json(.array(records.map { .object($0.json(names)) }))
                } else {
                    var columns = LogColumns(scope)
                    invocation.output.table(columns.table(records))
                }
                return 0
            }
        }
    }

    static var logShow: Command {
        let id = Option<String>.argument("ID", .string, "The entry's id, as the list shows it.")
        let json = Option<Bool>.flag("json", "Print a JSON object.")
        return Command(
            "show", "Show all that an entry tells.",
            options: [
                OptionGroup("Options", [id.declaration, json.declaration, Installation.tenantOption.declaration]),
                ServerChoices.installationOptions,
            ],
            examples: [Example("one that the list shows", "countersign log show 90000000000000000003")]
        ) { invocation in
            try await withInstallation(invocation, reading: true) { installation in
                let tenant = try await installation.logTenant(invocation)
                let text = try invocation[id]
                guard let id = LogID(text), let record = try await installation.tenantLogs.record(id, of: tenant)
                else {
                    throw CommandFailure(
                        "the log of the tenant \(tenant) has no entry \(text)",
                        hint: "countersign log list shows the entries")
                }
                let names = try await installation.clientNames()
                if try invocation[json] {
                    invocation.output.json(.object(record.json(names)))
                } else {
                    invocation.output.fields(record.fields(names))
                }
                return 0
            }
        }
    }
}

/// The options that choose entries.
struct LogFilter: Sendable {
    private let types = Option<[String]>.repeated(
        "type", .string.placeholder("CODE"),
        "Only events of this type, such as ciba_start_succeeded. May be given several times.")
    private let user = Option<String?>.optional(
        "user", short: "u", .string.placeholder("USER"), "Only events of this user, by id or e-mail address.")
    private let client = Option<String?>.optional("client", .string.placeholder("ID"), "Only events of this client.")
    private let since = Option<LogMoment?>.optional(
        "since", .logMoment, "Only events since then: a time ago, such as 2h, or a date, such as 2026-11-21.")

    var group: OptionGroup {
        OptionGroup("Filters", [types.declaration, user.declaration, client.declaration, since.declaration])
    }

    func query(_ invocation: Invocation, _ installation: Installation, now: Timestamp) async throws -> LogQuery {
        var parts: [LogQuery] = []
        let types = try invocation[types]
        if !types.isEmpty { parts.append(.any(types.map { .matches(.type, $0) })) }
        if let name = try invocation[user] {
            // By an id as it is: entries outlive the user they tell of.
            parts.append(
                LoginHint.isEmail(name)
                    ? .user(try await installation.userID(name, in: installation.tenant(invocation)))
                    : .matches(.user, name))
        }
        if let client = try invocation[client] { parts.append(.matches(.client, client)) }
        if let since = try invocation[since] { parts.append(.since(since.moment(now: now))) }
        return .all(parts)
    }
}

/// A moment as people give it.
enum LogMoment: Sendable {
    case ago(Duration)
    case at(Timestamp)

    func moment(now: Timestamp) -> Timestamp {
        switch self {
        case .ago(let duration): now - duration
        case .at(let moment): moment
        }
    }
}

extension ValueKind where Value == LogMoment {
    static var logMoment: ValueKind {
        ValueKind(
            placeholder: "TIME",
            spell: { value in
                switch value {
                case .ago(let duration): spellDuration(duration)
                case .at(let moment): moment.iso8601
                }
            }
        ) { text throws(ValueProblem) in
            if let moment = Timestamp(iso8601: text) ?? Timestamp(iso8601: "\(text)T00:00:00Z") { return .at(moment) }
            if let ago = try? ValueKind<Duration>.duration().parse(text) { return .ago(ago) }
            throw ValueProblem(
                "must be a time ago or a date", hint: "such as 90m, 7d, 2026-11-21 or 2026-11-21T10:00:00Z")
        }
    }
}

extension LogRecord {
    fileprivate func fields(_ names: ClientNames) -> [(name: String, value: Text)] {
        json(names).filter { $0.name != "_id" }.map { name, value in
            (name, Text(value.stringValue ?? JSONWriter.string(value)))
        }
    }
}
