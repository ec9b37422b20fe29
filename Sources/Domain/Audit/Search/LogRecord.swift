package import Primitives

/// A log entry as in `/api/v2/logs`.
package struct LogRecord: Sendable, Equatable {
    package let entry: AuditEntry
    /// The user's current e-mail address or name.
    package let userName: String?

    package var id: LogID { LogID(sequence: entry.sequence) }
    /// Nil for kinds of newer versions.
    package var kind: AuditEvent.Kind? { AuditEvent.Kind(rawValue: entry.kind) }
    package var actor: AuditEvent.Actor? { entry.actor.flatMap(AuditEvent.Actor.init(rawValue:)) }

    init(_ logged: LoggedEntry) {
        entry = logged.entry
        userName = logged.userName
    }

    /// Recorded facts beside the columns.
    package var details: JSONObject { (try? JSONReader.parse(Array(entry.details.utf8)))?.objectValue ?? [:] }

    /// Auth0's format. `clientName` is the client's current name.
    package func json(clientName: String?) -> JSONObject {
        let recorded = details
        var json: JSONObject = [
            "date": .string(entry.at.iso8601), "type": .string(entry.kind),
            "description": .string(kind?.summary ?? entry.kind),
        ]
        func add(_ name: String, _ value: String?) { if let value { json[name] = .string(value) } }
        add("connection", recorded["connection"]?.stringValue)
        add("client_id", entry.client)
        add("client_name", clientName)
        add("ip", entry.remoteAddress)
        add("user_agent", entry.userAgent)
        add("user_id", entry.user)
        add("user_name", userName)
        add("audience", recorded["audience"]?.stringValue)
        add("scope", recorded["scope"]?.stringValue)
        add("tenant_name", entry.tenant)
        json["isMobile"] = .bool(isMobile)
        json["details"] = .object(shown(recorded))
        if let correlation = entry.correlationID { json["references"] = ["correlation_id": .string(correlation)] }
        json["_id"] = .string(id.description)
        json["log_id"] = .string(id.description)
        return json
    }

    /// The recorded facts, with the columns that Auth0 puts in the details.
    private func shown(_ recorded: JSONObject) -> JSONObject {
        var details = recorded
        func add(_ name: String, _ value: String?) { if let value { details[name] = .string(value) } }
        add("transaction_linking_id", entry.consent)
        add("device_id", entry.device)
        add("actor", entry.actor)
        if let kind = entry.objectKind {
            details["object"] = ["kind": .string(kind), "id": .string(entry.object ?? "")]
        }
        return details
    }

    /// True for phones' own actions and for browsers that claim to run on phones.
    private var isMobile: Bool {
        guard let agent = entry.userAgent else { return false }
        return ["Mobile", "Android", "iPhone", "iPad", "Guardian"].contains(where: agent.contains)
    }
}
