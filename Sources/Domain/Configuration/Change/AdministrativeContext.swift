package import Audit
package import AuthorizationCore
package import Primitives

/// Actor, tenant and time of a change.
package struct AdministrativeContext: Sendable {
    package let tenant: TenantID
    package let actor: AuditEvent.Actor
    /// Management API scopes of a client or a person. Other actors, at the command line, need none.
    package let managementScopes: Set<String>
    /// The peer's address, if there is one.
    package let remoteAddress: String?
    package let now: Timestamp
    /// Values of the HTTP request that the audit entries repeat. Nil at the command line.
    private let trace: RequestTrace?
    /// Charge of the entries. Nil is that of the actor's request.
    private let charge: AuditCharge?

    package init(
        tenant: TenantID, actor: AuditEvent.Actor, managementScopes: Set<String> = [], remoteAddress: String? = nil,
        now: Timestamp, trace: RequestTrace? = nil, charge: AuditCharge? = nil
    ) {
        self.tenant = tenant
        self.actor = actor
        self.managementScopes = managementScopes
        self.remoteAddress = remoteAddress
        self.now = now
        self.trace = trace
        self.charge = charge
    }

    /// True at the command line.
    package var isOperator: Bool {
        switch actor {
        case .client, .person: false
        case .account, .system: true
        }
    }

    /// Refuses to grant Management API scopes that the administrator lacks. The token's scopes count, not the client's,
    /// which may be more.
    package func requireOwn(_ scopes: Set<String>, to action: String) throws(AdministrationFailure) {
        if isOperator { return }
        let missing = scopes.subtracting(managementScopes)
        if !missing.isEmpty { throw .beyondOwnScopes(action: action, missing: missing.sorted()) }
    }

    /// Audit event of a change. Its client is the one that the token belongs to.
    package func event(
        _ kind: AuditEvent.Kind, of object: AuditEvent.Object, changed: [String] = [], user: UserID? = nil,
        details: JSONObject
    ) -> AuditEvent {
        var event = AuditEvent(
            kind, of: object, by: actor, charge: charge, tenant: tenant, at: now, changed: changed, user: user,
            remoteAddress: remoteAddress, details: details)
        if case .client(let client) = actor { event.client = client }
        event.request = trace
        return event
    }
}
