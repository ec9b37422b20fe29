package import AuthorizationCore
package import Flows
import GuardianWire
package import Primitives

extension MobilePushServices {
    /// Life of a trial's message.
    private static let trialLife = Duration.seconds(60)
    /// Id of no request.
    private static let noRequest = "cns_" + String(repeating: "0", count: 22)

    /// Sends a phone the withdrawal of a request that does not exist, by the service that takes the tenant's messages. It
    /// wakes the app and shows nothing. Nil for a device without a token of a push service for apps.
    package func trial(
        to device: Device, of tenant: TenantConfiguration, now: Timestamp
    ) async -> CredentialFinding? {
        guard let service = device.push?.service,
            let queue = [DeliveryQueue.applePushes, .googlePushes].first(where: { $0.pushService == service })
        else { return nil }
        let provider = MobilePushProvider(
            queue, self, OneTenant(current: ConfigurationSnapshot(tenants: [tenant])))
        let event = DeviceEvent(
            id: now.milliseconds, content: .withdrawal(transactionLinkingID: Self.noRequest))
        let attempt = await provider.send(
            DeviceMessage(event: event, device: device, expiresAt: now + Self.trialLife), now: now)
        let subject = "\(device.id) by \(provider.name(in: tenant))"
        func fault(_ reason: String, advice: String) -> CredentialFinding {
            .fault(subject, attempt.detail ?? reason, advice: advice)
        }
        let again = "try again in a few minutes; countersign push check tries the credentials alone"
        switch attempt.result {
        case .delivered, .unneeded: return .ok(subject, "the service took a message that shows nothing")
        case .gone(let reason):
            return fault(reason, advice: "let the phone's owner open the app, which registers another token")
        case .failed(let reason, _), .notTried(let reason, _): return fault(reason, advice: again)
        case .refused(let reason):
            return fault(reason, advice: "compare the settings with the app: countersign push list shows them")
        case .unconfigured(let reason):
            return fault(reason, advice: "set them: countersign push set --help, and countersign push select --help")
        }
    }
}

/// Configuration of one tenant alone.
private struct OneTenant: ConfigurationSource {
    let current: ConfigurationSnapshot
}
