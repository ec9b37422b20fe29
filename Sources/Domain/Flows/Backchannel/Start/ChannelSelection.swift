import AuthorizationCore
import GuardianWire
import OAuthWire

/// Chooses the notification channel, in the order that the client configured: any for a short expiry, e-mail and the
/// page for a long one, and the next if one does not reach the user.
struct ChannelSelection {
    let registered: RegisteredClient
    let configuration: TenantConfiguration
    /// True if this server has a mail server for tenants without one of their own.
    let sendsMail: Bool
    let approver: Approver
    let demand: EvidenceDemand?

    private var client: Client { registered.client }
    private var tenant: Tenant { configuration.tenant }

    /// Longest expiry in seconds for which push comes first.
    static let pushExpiryLimit = Int(SealedRequest.briefLife.components.seconds)

    private var configured: [Client.NotificationChannel] { client.notificationChannels ?? [.guardianPush] }

    private func candidates(forExpiry seconds: Int) -> [Client.NotificationChannel] {
        let patient = configured.filter(\.leadsToPage)
        return seconds <= Self.pushExpiryLimit || patient.isEmpty ? configured : patient
    }

    /// Next channel after one that reached nobody. Includes push for a long expiry if the client allows it. Nil if none is
    /// left.
    func channel(after failed: Client.NotificationChannel, forExpiry seconds: Int) -> Client.NotificationChannel? {
        let first = candidates(forExpiry: seconds)
        return (first + configured.filter { !first.contains($0) }).drop { $0 != failed }.dropFirst()
            .first { obstacle(to: $0, seconds: seconds) == nil }
    }

    func channel(forExpiry seconds: Int) throws(OAuthError) -> Client.NotificationChannel {
        let candidates = candidates(forExpiry: seconds)
        var reasons: [ErrorDescription] = []
        for channel in candidates {
            guard let reason = obstacle(to: channel, seconds: seconds) else { return channel }
            reasons.append("\(channel.rawValue): \(reason)")
        }
        let list: ErrorDescription = reasons.isEmpty ? "" : " \(reasons.joined(separator: ", "))"
        throw OAuthError(.invalidRequest, "No eligible notification channels were found.\(list)")
    }

    private func obstacle(to channel: Client.NotificationChannel, seconds: Int) -> ErrorDescription? {
        switch channel {
        case .guardianPush:
            guard tenant.settings.pushEnabled else {
                return "push notifications not enabled on tenant"
            }
            guard seconds <= Self.pushExpiryLimit || client.allowsLongPush else {
                return "requested_expiry over \(Self.pushExpiryLimit) seconds is not allowed for this client"
            }
            guard !approver.devices.isEmpty else { return "User does not have push notifications set up" }
            guard !approver.devices(for: demand).isEmpty else { return missing(demand) }
        case .email:
            guard demand == nil else { return "the signature of a phone is demanded as evidence" }
            guard approver.user.approvalAddress != nil else {
                return "User does not have a verified email address"
            }
            guard sendsMail || configuration.mail.relay != nil else {
                return "email notifications are not available on this server"
            }
        case .page:
            guard !(client.takesSessionDecisions && demand == nil) else { return nil }
            guard !approver.devices(for: demand).isEmpty else {
                return demand == nil
                    ? "User has no device that could answer, and the client does not have the page alone"
                    : missing(demand)
            }
        }
        return nil
    }

    private func missing(_ demand: EvidenceDemand?) -> ErrorDescription {
        switch demand {
        case nil, .signedDigest: "User has no device that signs the digest of a request, which is demanded as evidence"
        case .passkey where approver.phones.contains { $0.capabilities.isSuperset(of: [.signedDigest, .passkeys]) }:
            "User has no passkey, which is demanded as evidence and which people of this tenant make on the account page"
        case .passkey: "User has no device with a passkey, which is demanded as evidence, and none that could make one"
        }
    }
}
