import Administration
import Audit
import AuthorizationCore
import Configuration
import CountersignServer
import OAuthWire
import Primitives
import Terminal

extension Command {
    static var logList: Command {
        let limit = Option<Int>.defaulted("limit", .integer(1...10_000), to: 50, "Maximum number of entries.")
        return onLog(
            "list", "Show the tenant's entries, newest first.", options: [limit, jsonArray],
            examples: [
                "list a user's activity of the last day": "countersign log list --user 'auth0|65f0' --since 24h",
                "list changes of the configuration": "countersign log list --type configuration_applied --json",
            ], named: jsonArray
        ) { log, invocation in
            let entries = try await log.newest(try invocation[limit])
            if try invocation[jsonArray] {
                invocation.output.json(.array(entries.map(JSONValue.object)))
            } else {
                var columns = LogColumns(showsTenant: log.showsTenant)
                invocation.output.table(columns.table(entries))
            }
            return 0
        }
    }

    static var logShow: Command {
        let id = Option<String>.argument("ID", .string, "Id of the entry, as in the list.")
        return Command(
            "show", "Show an entry with all its details.",
            options: [
                OptionGroup("Options", [id, jsonObject, Installation.tenantOption]), ServerChoices.installationOptions,
                ServerOptions.group,
            ], examples: ["show one entry": "countersign log show 90000000000000000003"]
        ) { invocation in
            let id = try invocation[id]
            func show(_ entry: JSONObject?, of tenant: String) throws -> Int32 {
                guard let entry else {
                    throw CommandFailure(
                        "the log of the tenant \(tenant) has no entry \(id)",
                        hint: "countersign log list shows the entries")
                }
                if try invocation[jsonObject] {
                    invocation.output.json(.object(entry))
                } else {
                    invocation.output.fields(entry.logFields)
                }
                return 0
            }
            if let server = try ServerOptions.chosen(invocation) {
                let tenant = try ManagedTenant(server: server, invocation)
                do {
                    return try show(try await tenant.get("/logs/{id}", id), of: tenant.name)
                } catch AdministrationFailure.unknown { return try show(nil, of: tenant.name) }
            }
            return try await withInstallation(invocation, reading: true) { installation in
                let tenant = try await installation.logTenant(invocation)
                guard let number = LogID(id), let record = try await installation.tenantLogs.record(number, of: tenant)
                else { return try show(nil, of: tenant.rawValue) }
                return try show(record.json(try await installation.clientNames()), of: tenant.rawValue)
            }
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

    /// The same as a query of the Management API. Nil selects everything.
    func text(_ invocation: Invocation, _ tenant: ManagedTenant, now: Timestamp) async throws -> String? {
        func exactly(_ text: String) -> String {
            "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        }
        var parts: [String] = []
        let types = try invocation[types]
        if !types.isEmpty { parts.append("type:(\(types.map(exactly).joined(separator: " OR ")))") }
        if let name = try invocation[user] { parts.append("user_id:\(exactly(try await tenant.userID(name)))") }
        if let client = try invocation[client] { parts.append("client_id:\(exactly(client))") }
        if let since = try invocation[since] { parts.append("date:[\(since.moment(now: now).iso8601) TO *]") }
        return parts.isEmpty ? nil : parts.joined(separator: " AND ")
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

extension JSONObject {
    fileprivate var logFields: [(name: String, value: Text)] {
        filter { $0.name != "_id" }.map { name, value in
            (name, Text(value.stringValue ?? JSONWriter.string(value)))
        }
    }
}
