package import Audit
package import AuthorizationCore
package import Primitives

/// Writes of one transaction to a tenant's configuration. A removal's consequences are the store's: all that was given
/// to a removed client, API or role ends in the same transaction.
package struct ConfigurationCommit: Sendable {
    package enum Change: Sendable {
        /// A tenant whose row is unknown, or was changed by somebody else, loses its settings and connections.
        case tenant(Tenant)
        /// Also deletes all the tenant's data except its audit log.
        case removeTenant
        case put(TenantDocument)
        /// For a client, also deletes its consents, its refresh tokens with the access tokens of the same authorizations,
        /// and its unfinished requests. For an API, also revokes users' permissions, and deletes requests that gave no
        /// tokens yet. For a role, also takes it from its members.
        case remove(TenantDocument.Kind, id: String, now: Timestamp)
        /// Revokes users' permissions for an API, except the scopes in `keeping`.
        case withdraw(permissionsOf: String, keeping: Set<String>)
        case key(SigningKey)
        /// Stores a certificate for a key without one.
        case certificate(SigningKey)
        /// Does nothing if the tenant has a key: subscriptions are bound to it.
        case webPushKey(WebPushKey)
    }

    package let tenant: TenantID
    package var changes: [Change]
    package var events: [AuditEvent]

    package init(_ tenant: TenantID, _ changes: [Change], events: [AuditEvent] = []) {
        self.tenant = tenant
        self.changes = changes
        self.events = events
    }
}
