import ApprovalWire
package import AuthorizationCore
package import GuardianWire
import Primitives

/// Makes a device's notification, the same for every provider.
package struct NotificationComposer: Sendable {
    let secrets: GuardianTransactionTokens

    package func notification(
        of request: BackchannelRequest, to device: Device, configuration: TenantConfiguration
    ) -> NotificationPayload {
        let tenant = configuration.tenant
        var payload = NotificationPayload(
            title: tenant.name, body: "\(request.record.client.name): \(secrets.message(of: request, to: device))",
            enrollmentID: device.id.rawValue, transactionToken: secrets.token(of: request, device: device.id),
            transactionLinkingID: request.consentID.rawValue,
            challenge: secrets.challenge(of: request, device: device.id),
            date: request.createdAt, host: Self.host(of: tenant))
        payload.isUrgent = request.record.display.isUrgent
        return payload
    }

    /// `sh`: the bare host, or the whole URL if the port is not 443: Android's SDK takes no `host:port`.
    private static func host(of tenant: Tenant) -> String {
        let host = tenant.hosts.first ?? ""
        return host.contains(":") ? "https://\(host)" : host
    }
}
