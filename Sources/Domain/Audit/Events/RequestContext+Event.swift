package import AuthorizationCore
package import Primitives

extension RequestContext {
    /// Creates an audit event of this request: tenant, time, address and trace.
    package func event(
        _ kind: AuditEvent.Kind, user: UserID? = nil, client: ClientID? = nil, device: DeviceID? = nil,
        consent: ConsentID? = nil, details: JSONObject = [:]
    ) -> AuditEvent {
        var event = AuditEvent(
            kind, tenant: tenant.id, at: now, user: user, client: client, device: device, consent: consent,
            remoteAddress: remoteAddress, details: details)
        event.request = trace
        return event
    }
}
