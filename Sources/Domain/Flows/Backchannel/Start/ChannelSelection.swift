import AuthorizationCore
import OAuthWire

/// Chooses how the user is told, in the order the client configured: push for what expires soon, e-mail for what may
/// wait, and from one to the other where the user can only be reached by it.
struct ChannelSelection {
    let registered: RegisteredClient
    let directory: TenantDirectory
    /// What this server can deliver by.
    let deliverable: Set<Client.NotificationChannel>
    let approver: Approver

    private var client: Client { registered.client }
    private var tenant: Tenant { directory.tenant }

    /// The longest expiry, in seconds, for which push is the natural channel.
    static let pushExpiryLimit = 300

    func channel(forExpiry seconds: Int) throws(OAuthError) -> Client.NotificationChannel {
        let configured = client.notificationChannels ?? [.guardianPush]
        let candidates: [Client.NotificationChannel]
        if seconds <= Self.pushExpiryLimit {
            candidates = configured
        } else if configured.contains(.email) {
            candidates = [.email]
        } else {
            candidates = configured
        }
        var reasons: [LocalizedText] = []
        for channel in candidates {
            guard let reason = obstacle(to: channel, seconds: seconds) else { return channel }
            reasons.append(
                LocalizedText(
                    en: "\(channel.rawValue): \(reason[.english])", fr: "\(channel.rawValue) : \(reason[.french])"))
        }
        func list(_ language: Language) -> String {
            reasons.isEmpty ? "" : " " + reasons.map { $0[language] }.joined(separator: ", ")
        }
        throw OAuthError(
            .invalidRequest, en: "No eligible notification channels were found.\(list(.english))",
            fr: "Aucun canal de notification possible.\(list(.french))")
    }

    private func obstacle(to channel: Client.NotificationChannel, seconds: Int) -> LocalizedText? {
        switch channel {
        case .guardianPush:
            guard tenant.settings.pushEnabled, deliverable.contains(.guardianPush) else {
                return LocalizedText(
                    en: "push notifications not enabled on tenant",
                    fr: "les notifications push ne sont pas activées sur ce tenant")
            }
            guard seconds <= Self.pushExpiryLimit || client.allowsLongPush else {
                return LocalizedText(
                    en: "requested_expiry over \(Self.pushExpiryLimit) seconds is not allowed for this client",
                    fr: "requested_expiry de plus de \(Self.pushExpiryLimit) secondes n'est pas permis à ce client")
            }
            guard !approver.devices.isEmpty else {
                return LocalizedText(
                    en: "User does not have push notifications set up",
                    fr: "L'utilisateur n'a pas configuré les notifications push")
            }
        case .email:
            guard approver.user.email != nil, approver.user.emailVerified else {
                return LocalizedText(
                    en: "User does not have a verified email address",
                    fr: "L'utilisateur n'a pas d'adresse e-mail vérifiée")
            }
            guard deliverable.contains(.email) else {
                return LocalizedText(
                    en: "email notifications are not available on this server",
                    fr: "les notifications par e-mail ne sont pas disponibles sur ce serveur")
            }
        }
        return nil
    }
}
