import Administration
import AuthorizationCore
import CountersignServer
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
                OptionGroup("Options", [limit.declaration, json.declaration, Installation.tenantOption.declaration]),
                ServerChoices.installationOptions,
            ]
        ) { invocation in
            let query = try filter.query(invocation, now: SystemClock().now)
            return try await withInstallation(invocation, reading: true) { installation in
                let tenant = try await installation.tenant(invocation)
                let records = try await installation.tenantLogs.page(
                    query, of: tenant.id, limit: try invocation[limit])
                if try invocation[json] {
                    let names = try await installation.clientNames(tenant)
                    invocation.output.json(.array(records.map { .object($0.json(names)) }))
                } else {
                    invocation.output.table(.of(records))
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
            ]
        ) { invocation in
            try await withInstallation(invocation, reading: true) { installation in
                let tenant = try await installation.tenant(invocation)
                let text = try invocation[id]
                guard let id = LogID(text), let record = try await installation.tenantLogs.record(id, of: tenant.id)
                else {
                    throw CommandFailure(
                        "the log of the tenant \(tenant.id) has no entry \(text)",
                        hint: "countersign log list shows the entries")
                }
                let names = try await installation.clientNames(tenant)
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
        "user", short: "u", .string.placeholder("USER"), "Only events of this user.")
    private let client = Option<String?>.optional("client", .string.placeholder("ID"), "Only events of this client.")
    private let since = Option<LogMoment?>.optional(
        "since", .logMoment, "Only events since then: a time ago, such as 2h, or a date, such as 2026-11-21.")

    var group: OptionGroup {
        OptionGroup("Filters", [types.declaration, user.declaration, client.declaration, since.declaration])
    }

    func query(_ invocation: Invocation, now: Timestamp) throws -> LogQuery {
        var parts: [LogQuery] = []
        let types = try invocation[types]
        if !types.isEmpty { parts.append(.any(types.map { .matches(.type, $0) })) }
        if let user = try invocation[user] { parts.append(.matches(.user, user)) }
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
    fileprivate static var logMoment: ValueKind {
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

extension Installation {
    /// The names that clients have at present.
    func clientNames(_ tenant: Tenant) async throws -> [ClientID: String] {
        let part = try await configuration.configuration().tenants.first { $0.tenant.id == tenant.id }
        return Dictionary(uniqueKeysWithValues: part?.clients.map { ($0.id, $0.name) } ?? [])
    }
}

extension LogRecord {
    func json(_ names: [ClientID: String]) -> JSONObject {
        json(clientName: entry.client.flatMap { names[ClientID($0)] })
    }

    fileprivate func fields(_ names: [ClientID: String]) -> [(name: String, value: Text)] {
        json(names).filter { $0.name != "_id" }.map { name, value in
            (name, Text(value.stringValue ?? JSONWriter.string(value)))
        }
    }

    /// Who did it: a person or a program, or who administered.
    private var who: String {
        switch actor {
        case .client(let id): id.rawValue
        case .account(let name): name
        case .system: "system"
        case nil: userName ?? entry.user ?? entry.client ?? ""
        }
    }

    /// To what: an object that was changed, or the request that this is part of.
    private var what: String {
        if let kind = entry.objectKind { return "\(kind) \(entry.object ?? "")" }
        return entry.consent ?? entry.device ?? (actor == nil ? "" : entry.user ?? "")
    }

    /// The columns of `Table.of`.
    var cells: [Text] {
        [
            Text(id.description, .dim), Text(entry.at.iso8601), Text(entry.kind, kind?.style), Text(who),
            Text(entry.client ?? ""), Text(what), Text(entry.remoteAddress ?? ""),
        ]
    }
}

extension AuditEvent.Kind {
    fileprivate var style: Style? {
        switch self {
        case .approved, .exchanged, .multiFactorSucceeded: .green
        case .rejected, .backchannelStartFailed, .exchangeFailed, .consentFetchFailed, .notificationFailed,
            .enrollmentFailed, .changeRefused, .rateLimited, .logInFailed, .wrongPassword, .unknownUser,
            .accountBlocked, .signUpFailed, .codeRefused, .refreshTokenRefused, .refreshTokenReused,
            .clientCredentialsRefused, .pushedRequestRefused, .multiFactorFailed, .backchannelLogoutFailed:
            .red
        case .expired, .configurationApplied, .changed, .keyRotated, .keyRevoked: .yellow
        default: nil
        }
    }
}

extension Table {
    static func of(_ records: [LogRecord]) -> Table {
        Table(
            [
                Column("ID"), Column("WHEN"), Column("TYPE"), Column("WHO"), Column("CLIENT"), Column("WHAT"),
                Column("FROM"),
            ], rows: records.map(\.cells))
    }
}
