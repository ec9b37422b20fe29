package import Audit
package import AuthorizationCore
package import Primitives

extension AuditEvent {
    /// An entry that no flow made, so nobody pays for it.
    package init(
        _ kind: Kind, tenant: TenantID, at: Timestamp, user: UserID? = nil, client: ClientID? = nil,
        device: DeviceID? = nil, consent: ConsentID? = nil, remoteAddress: String? = nil, details: JSONObject = [:]
    ) {
        self.init(
            kind, charge: .server, tenant: tenant, at: at, user: user, client: client, device: device, consent: consent,
            remoteAddress: remoteAddress, details: details)
    }
}
