package import AuthorizationCore
package import Primitives

extension RequestContext {
    /// Creates an audit event of this request: tenant, time, address and trace.
    package func event(
        _ kind: AuditEvent.Kind, charge: AuditCharge, user: UserID? = nil, client: ClientID? = nil,
        device: DeviceID? = nil, consent: ConsentID? = nil, details: JSONObject = [:]
    ) -> AuditEvent {
        var event = AuditEvent(
            kind, charge: charge, tenant: tenant.id, at: now, user: user, client: client, device: device,
            consent: consent, remoteAddress: remoteAddress, details: details)
        event.request = trace
        return event
    }

    /// The same for a refusal, which `RefusalLog` admits or leaves out.
    package func refusal(
        _ kind: AuditEvent.Kind, user: UserID? = nil, client: ClientID? = nil, device: DeviceID? = nil,
        consent: ConsentID? = nil, details: JSONObject = [:]
    ) -> AuditRefusal {
        AuditRefusal(
            event: event(
                kind, charge: AuditCharge(.refusal), user: user, client: client, device: device, consent: consent,
                details: details))
    }
}
