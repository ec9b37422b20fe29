import Audit
package import AuthorizationCore
package import Primitives

/// One change of users, written and audited in one transaction.
package struct UserChange {
    package let transaction: any UserTransaction
    package let context: AdministrativeContext

    package var tenant: TenantID { context.tenant }
    package var now: Timestamp { context.now }

    /// Appends to the audit log. `fields` are names of changed fields, never values.
    package func record(
        _ action: ConfigurationChange.Action, _ kind: ObjectKind, _ id: String, fields: [String] = [],
        user: UserID? = nil
    ) throws {
        try transaction.record(
            context.event(action, AuditEvent.Object(kind.rawValue, id), fields: fields, user: user))
    }
}
