package import Audit
package import AuthorizationCore
package import Primitives

/// Who asks for a change, of which tenant, and when.
package struct AdministrativeContext: Sendable {
    package let tenant: TenantID
    package let actor: AuditEvent.Actor
    /// Scopes of the Management API that a client asks with. Others, at the command line, need none.
    private let managementScopes: Set<String>
    /// The peer's address, where there is one.
    package let remoteAddress: String?
    package let now: Timestamp
    /// The request that the context came with: a store works on threads that know of none.
    private let request = RequestTrace.current

    package init(
        tenant: TenantID, actor: AuditEvent.Actor, managementScopes: Set<String> = [], remoteAddress: String? = nil,
        now: Timestamp
    ) {
        self.tenant = tenant
        self.actor = actor
        self.managementScopes = managementScopes
        self.remoteAddress = remoteAddress
        self.now = now
    }

    /// Refuses an action that gives somebody scopes of the Management API which the one who asks has not. A token may
    /// be good for less than its client was granted: the token counts.
    package func requireOwn(_ scopes: Set<String>, to action: String) throws(AdministrationFailure) {
        guard case .client = actor else { return }
        let missing = scopes.subtracting(managementScopes)
        if !missing.isEmpty { throw .beyondOwnScopes(action: action, missing: missing.sorted()) }
    }

    /// What the audit log is told of a change. Its client is the one whose token the change was asked with.
    package func event(
        _ kind: AuditEvent.Kind, of object: AuditEvent.Object, changed: [String] = [], user: UserID? = nil,
        details: JSONObject
    ) -> AuditEvent {
        var event = AuditEvent(
            kind, of: object, by: actor, tenant: tenant, at: now, changed: changed, user: user,
            remoteAddress: remoteAddress, details: details)
        if case .client(let client) = actor { event.client = client }
        event.request = request
        return event
    }
}
