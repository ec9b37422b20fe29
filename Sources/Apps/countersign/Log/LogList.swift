import Administration
import Audit
import CountersignServer
import OAuthWire
import Primitives
import Terminal

extension Command {
    static var logList: Command {
        let filter = LogFilter()
        let limit = Option<Int>.defaulted("limit", .integer(1...10_000), to: 50, "Maximum number of entries.")
        return onDataFolder(
            "list", "Show the tenant's entries, newest first.",
            groups: [filter.group],
            options: [limit, jsonArray, Installation.tenantOption, LogScope.allTenantsOption],
            examples: [
                "list a user's activity of the last day": "countersign log list --user 'auth0|65f0' --since 24h",
                "list changes of the configuration": "countersign log list --type configuration_applied --json",
            ], reading: true
        ) { installation, invocation in
            let query = try await filter.query(invocation, installation, now: SystemClock().now)
            let scope = try await installation.logScope(invocation)
            let records = try await installation.tenantLogs.page(query, of: scope, limit: try invocation[limit])
            if try invocation[jsonArray] {
                let names = try await installation.clientNames()
                invocation.output.json(.array(records.map { .object($0.json(names)) }))
            } else {
                var columns = LogColumns(scope)
                invocation.output.table(columns.table(records))
            }
            return 0
        }
    }

    static var logShow: Command {
        let id = Option<String>.argument("ID", .string, "Id of the entry, as in the list.")
        return onDataFolder(
            "show", "Show an entry with all its details.",
            options: [id, jsonObject, Installation.tenantOption],
            examples: ["show one entry": "countersign log show 90000000000000000003"], reading: true
        ) { installation, invocation in
            let tenant = try await installation.logTenant(invocation)
            let text = try invocation[id]
            guard let id = LogID(text), let record = try await installation.tenantLogs.record(id, of: tenant)
            else {
                throw CommandFailure(
                    "the log of the tenant \(tenant) has no entry \(text)",
                    hint: "countersign log list shows the entries")
            }
            let names = try await installation.clientNames()
            if try invocation[jsonObject] {
                invocation.output.json(.object(record.json(names)))
            } else {
                invocation.output.fields(record.fields(names))
            }
            return 0
        }
    }
}

/// Options that select entries.
struct LogFilter: Sendable {
    private let types = Option<[String]>.repeated(
        "type", .string.placeholder("CODE"), "Only events of this type, such as ciba_start_succeeded.")
    private let user = Option<String?>.optional(
        "user", short: "u", .string.placeholder("USER"),
        "Only events of this user, by id, verified e-mail address or phone number.")
    private let client = Option<String?>.optional("client", .string.placeholder("ID"), "Only events of this client.")
    private let since = Option<LogMoment?>.optional(
        "since", .logMoment, "Only events since then: an age such as 2h, or a date such as 2026-11-21.")

    var group: OptionGroup {
        OptionGroup("Filters", [types, user, client, since])
    }

    func query(_ invocation: Invocation, _ installation: Installation, now: Timestamp) async throws -> LogQuery {
        var parts: [LogQuery] = []
        let types = try invocation[types]
        if !types.isEmpty { parts.append(.any(types.map { .matches(.type, $0) })) }
        if let name = try invocation[user] {
            // An id is used as given, because entries outlive their user.
            let isID = LoginHint(user: name, issuer: "").subject != nil
            parts.append(
                isID
                    ? .matches(.user, name)
                    : .user(try await installation.userID(name, in: installation.tenant(invocation))))
        }
        if let client = try invocation[client] { parts.append(.matches(.client, client)) }
        if let since = try invocation[since] { parts.append(.since(since.moment(now: now))) }
        return .all(parts)
    }
}

/// A point in time as users give it, by age or by date.
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
                "must be an age or a date", hint: "examples are 90m, 7d, 2026-11-21 or 2026-11-21T10:00:00Z")
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
