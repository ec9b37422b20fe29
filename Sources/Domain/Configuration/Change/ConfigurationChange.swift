package import Audit
package import AuthorizationCore
package import Primitives

/// One change of a tenant's configuration, written and audited in one transaction.
package struct ConfigurationChange {
    package enum Action: String { case created, changed, removed }

    package let transaction: any ConfigurationTransaction
    package let context: AdministrativeContext

    package var tenant: TenantID { context.tenant }
    package var now: Timestamp { context.now }

    /// Appends to the audit log. `fields` are names of changed fields, never values.
    package func record(
        _ action: Action, _ kind: ObjectKind, _ id: String, fields: [String] = [], user: UserID? = nil,
        as event: AuditEvent.Kind = .changed
    ) throws {
        try record(action, AuditEvent.Object(kind.rawValue, id), fields: fields, user: user, as: event)
    }

    package func record(
        _ action: Action, _ object: AuditEvent.Object, fields: [String], user: UserID? = nil, as event: AuditEvent.Kind,
        details: JSONObject = [:]
    ) throws {
        var details = details
        details["action"] = .string(action.rawValue)
        try transaction.record(context.event(event, of: object, changed: fields, user: user, details: details))
    }

    /// Records the fields that differ between two documents, if any.
    package func record(_ kind: ObjectKind, _ id: String, from old: JSONObject, to new: JSONObject) throws {
        let fields = new.differences(from: old)
        if !fields.isEmpty { try record(.changed, kind, id, fields: fields) }
    }
}
