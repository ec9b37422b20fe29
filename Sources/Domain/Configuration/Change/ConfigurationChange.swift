package import Audit
package import AuthorizationCore
package import Primitives

/// A change of a tenant's configuration: a draft, the person who changes it, and the entries of the audit log.
package struct ConfigurationChange {
    package enum Action: String { case created, changed, removed }

    package var draft: Draft
    package let context: AdministrativeContext
    private var events: [AuditEvent] = []

    package init(_ draft: Draft, for context: AdministrativeContext) {
        self.draft = draft
        self.context = context
    }

    package var tenant: TenantID { context.tenant }

    /// Nil if nothing changes.
    package var commit: ConfigurationCommit? {
        if draft.changes.isEmpty, events.isEmpty { return nil }
        return ConfigurationCommit(tenant, draft.changes, events: events)
    }

    package mutating func remove(_ kind: TenantDocument.Kind, _ id: String) {
        draft.remove(kind, id, now: context.now)
    }

    /// Appends to the audit log. `fields` are names of changed fields, never values.
    package mutating func record(_ action: Action, _ kind: ObjectKind, _ id: String, fields: [String] = []) {
        record(context.event(action, AuditEvent.Object(kind.rawValue, id), fields: fields))
    }

    /// Records the fields that differ between two documents, if any.
    package mutating func record(_ kind: ObjectKind, _ id: String, from old: JSONObject, to new: JSONObject) {
        let fields = new.differences(from: old)
        if !fields.isEmpty { record(.changed, kind, id, fields: fields) }
    }

    package mutating func record(_ event: AuditEvent) { events.append(event) }
}

extension AdministrativeContext {
    /// Audit event of a change. `fields` are names of changed fields, never values.
    package func event(
        _ action: ConfigurationChange.Action, _ object: AuditEvent.Object, fields: [String] = [], user: UserID? = nil,
        as kind: AuditEvent.Kind = .changed, details: JSONObject = [:]
    ) -> AuditEvent {
        var details = details
        details["action"] = .string(action.rawValue)
        return event(kind, of: object, changed: fields, user: user, details: details)
    }
}
