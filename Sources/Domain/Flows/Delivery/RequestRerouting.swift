import Audit
import AuthorizationCore
import Primitives

/// Chooses the next channel of a request whose deliveries all failed, or ends it. An agent must not wait for an answer to
/// a question that nobody saw. A login is left alone: its page tells the person to open the app.
package struct RequestRerouting: Sendable {
    let source: any NotificationSource & ApproverStore
    let vault: RequestVault
    let configuration: any ConfigurationSource
    /// True if the server has a mail server for tenants without one of their own.
    let sendsMail: Bool

    /// Nil if the request needs no answer any more, or goes on as it is. The store carries it out only if the entry was the
    /// last hope.
    func consequence(
        of entry: DeliveryEntry, reason: String, isForGood: Bool, now: Timestamp
    ) async throws -> DeliveryConsequence? {
        guard let sequence = entry.delivery.request, let sealed = try await source.request(sequence),
            sealed.state == .pending, sealed.login == nil, now < sealed.expiresAt, sealed.channel != .page,
            let tenant = configuration.current.tenant(id: sealed.tenant)
        else { return nil }
        let context = RequestContext(configuration: tenant, now: now)
        guard let request = try await vault.open(sealed, for: .notification, context: context) else { return nil }
        func event(_ kind: AuditEvent.Kind, _ details: JSONObject) -> AuditEvent {
            var details = details
            details["reason"] = .string(reason)
            return context.event(
                kind, charge: .once(.request), user: request.user, client: request.client, consent: request.consentID,
                details: details)
        }
        let demand = tenant.evidence(for: request)
        let approver = try await source.approver(.id(request.user), at: tenant.tenant, meeting: demand)
        let reachable = approver.flatMap { $0.user.blocked ? nil : $0 }
        // A push of a request that went on by mail meanwhile leads nowhere else.
        let isOfChannel = (entry.delivery.queue == .mail) == (request.channel == .email)
        guard let reachable, isOfChannel, let next = channel(after: request, to: reachable, demand, tenant) else {
            guard isForGood else { return nil }
            return DeliveryConsequence(
                .undelivered(phones: reachable?.devices(for: demand) ?? []), of: sealed,
                event: event(.undelivered, ["notification_channel": .string(request.channel.rawValue)]))
        }
        var rerouted = request
        rerouted.channel = next.channel
        return DeliveryConsequence(
            .rerouted(try vault.seal(rerouted, sealed.hash), devices: next.devices), of: sealed,
            event: event(
                .rerouted,
                ["from": .string(request.channel.rawValue), "notification_channel": .string(next.channel.rawValue)]))
    }

    private func channel(
        after request: BackchannelRequest, to approver: Approver, _ demand: EvidenceDemand?,
        _ tenant: TenantConfiguration
    ) -> (channel: Client.NotificationChannel, devices: [DeviceID])? {
        guard let client = tenant.registered(request.client) else { return nil }
        let life = Int((request.expiresAt - request.createdAt).components.seconds)
        let next = ChannelSelection(
            registered: client, configuration: tenant, sendsMail: sendsMail, approver: approver, demand: demand
        ).channel(after: request.channel, forExpiry: life)
        return next.map { ($0, $0 == .guardianPush ? approver.devices(for: demand) : []) }
    }
}
