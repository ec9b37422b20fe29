package import Audit
package import AuthorizationCore
package import GuardianWire
package import Primitives

/// Payload of a notification: the event and its request. The message is derived when it is sent, because it holds
/// secrets that are never stored (docs/decisions/0005).
package struct DeviceNotice: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// The request is to be decided.
        case notification
        /// The request needs no answer any more.
        case withdrawal
    }

    /// Time from a decision during which devices are notified of it.
    package static let withdrawalLife = Duration.seconds(600)

    package let kind: Kind
    /// `BackchannelRequest.sequence`.
    package let request: Int64

    package init(_ kind: Kind, request: Int64) {
        self.kind = kind
        self.request = request
    }

    package init?(payload: String) {
        let parts = payload.split(separator: " ")
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])), let request = Int64(parts[1]) else {
            return nil
        }
        self.init(kind, request: request)
    }

    package var payload: String { "\(kind.rawValue) \(request)" }
}

/// A message to one device, ready to be sent.
package struct DeviceMessage: Sendable, Equatable {
    package let event: DeviceEvent
    /// Has the push service's token.
    package let device: Device
    /// End of the message's use.
    package let expiresAt: Timestamp

    package init(event: DeviceEvent, device: Device, expiresAt: Timestamp) {
        self.event = event
        self.device = device
        self.expiresAt = expiresAt
    }

    /// Seconds until `expiresAt`, at least 0.
    package func secondsLeft(at now: Timestamp) -> Int64 { max(0, (expiresAt - now).components.seconds) }
}

/// A service that takes messages to devices: the device channel, Web Push and so on.
package protocol NotificationProvider: Sendable {
    var name: String { get }
    /// Service that sends the tenant's messages, for the audit log.
    func name(in tenant: TenantConfiguration) -> String
    /// Queue of the provider's messages.
    var queue: DeliveryQueue { get }
    var policy: DeliveryPolicy { get }
    /// False if sending to that device would answer `unneeded`.
    func reaches(_ device: DeviceID) -> Bool
    /// Makes one try. Its attempt has no event. A reason goes to the tenant's audit log, and a detail to the operator's
    /// log alone.
    func send(_ message: DeviceMessage, now: Timestamp) async -> DeliveryAttempt
}

extension NotificationProvider {
    package func name(in tenant: TenantConfiguration) -> String { name }
    package func reaches(_ device: DeviceID) -> Bool { true }
}

/// Store port for making notifications.
package protocol NotificationSource: Sendable {
    /// Nil if the request is gone. The device is nil if it was removed, or if its user is blocked.
    func notification(
        of request: Int64, to device: DeviceID
    ) async throws -> (request: SealedRequest, device: Device?)?

    /// Nil if the request is gone.
    func request(_ sequence: Int64) async throws -> SealedRequest?

    /// Removes a device's push credentials. Returns false if the device has replaced them meanwhile.
    func retire(
        _ push: PushCredentials, of device: DeviceID, tenant: TenantID, event: AuditEvent
    ) async throws -> Bool
}

/// Delivers notifications by one provider.
package struct NotificationCourier: DeliveryCourier {
    let provider: any NotificationProvider
    let source: any NotificationSource
    let vault: RequestVault
    let configuration: any ConfigurationSource
    let composer: NotificationComposer
    let rerouting: RequestRerouting

    package var queue: DeliveryQueue { provider.queue }
    package var policy: DeliveryPolicy { provider.policy }

    package func reaches(_ recipient: String) -> Bool { provider.reaches(DeviceID(recipient)) }

    package func deliver(_ entry: DeliveryEntry, now: Timestamp) async throws -> DeliveryAttempt {
        guard let notice = DeviceNotice(payload: entry.delivery.payload) else { throw UnreadablePayload() }
        guard
            let (sealed, device) = try await source.notification(
                of: notice.request, to: DeviceID(entry.delivery.recipient))
        else { return DeliveryAttempt(.unneeded) }
        guard let tenant = configuration.current.tenant(id: sealed.tenant) else {
            return DeliveryAttempt(.refused(reason: "the tenant is gone"))
        }
        let context = RequestContext(configuration: tenant, now: now)
        guard let request = try await vault.open(sealed, for: .notification, context: context),
            device.map({ $0.user == request.user }) ?? true
        else { return DeliveryAttempt(.refused(reason: "the stored request was changed")) }
        if notice.kind == .notification, request.state != .pending || request.isExpired(at: now) {
            return DeliveryAttempt(.unneeded)
        }
        func event(_ kind: AuditEvent.Kind, _ details: JSONObject) -> AuditEvent {
            context.event(
                kind, charge: .once(.delivery), user: request.user, client: request.client,
                device: DeviceID(entry.delivery.recipient), consent: request.consentID, details: details)
        }
        /// A withdrawal that fails is no notification that failed.
        func noting(_ attempt: DeliveryAttempt, _ reason: String) -> DeliveryAttempt {
            guard notice.kind == .notification else { return attempt }
            return attempt.noting(event(.notificationFailed, entry.details(["reason": .string(reason)])))
        }
        func gone(_ reason: String) -> DeliveryAttempt { noting(DeliveryAttempt(.gone(reason: reason)), reason) }
        guard let device else {
            guard provider.queue.pushService != nil else { return DeliveryAttempt(.unneeded) }
            return gone("the phone was removed, or its user is blocked")
        }
        if let ended = device.endedPush, ended.service == provider.queue.pushService {
            return gone("the push service no longer knows the phone, which has to open its app")
        }
        let message = DeviceMessage(
            event: DeviceEvent(id: request.sequence, content: content(notice, of: request, to: device, tenant)),
            device: device, expiresAt: entry.delivery.expiresAt)
        let attempt = await provider.send(message, now: now)
        switch attempt.result {
        case .delivered where notice.kind == .notification:
            let provider = provider.name(in: tenant)
            return attempt.noting(event(.notificationSent, entry.details(["provider": .string(provider)])))
        case .delivered, .unneeded: return attempt
        case .gone(let reason):
            if let push = device.push {
                let details: JSONObject = ["push_service": .null, "reason": .string(reason)]
                let isRetired = try await source.retire(
                    push, of: device.id, tenant: device.tenant, event: event(.deviceUpdated, details))
                // The verdict is on a token that the device does not use any more.
                if !isRetired { return DeliveryAttempt(.notTried(reason: reason, wait: .zero)) }
            }
            return noting(attempt, reason)
        case .failed(let reason, _), .notTried(let reason, _), .refused(let reason), .unconfigured(let reason):
            return noting(attempt, reason)
        }
    }

    private func content(
        _ notice: DeviceNotice, of request: BackchannelRequest, to device: Device, _ tenant: TenantConfiguration
    ) -> DeviceEvent.Content {
        switch notice.kind {
        case .notification: .notification(composer.notification(of: request, to: device, configuration: tenant))
        case .withdrawal: .withdrawal(transactionLinkingID: request.consentID.rawValue)
        }
    }

    /// An expired request needs no decision. A failure is in the audit log anyway.
    package func late(_ entry: DeliveryEntry, reason: String, now: Timestamp) -> DeliveryAttempt {
        guard entry.problem != nil else { return DeliveryAttempt(.unneeded) }
        return DeliveryAttempt(.refused(reason: reason), event: failure(entry, reason: reason, now: now))
    }

    package func consequence(
        of entry: DeliveryEntry, reason: String, isForGood: Bool, now: Timestamp
    ) async throws -> DeliveryConsequence? {
        try await rerouting.consequence(of: entry, reason: reason, isForGood: isForGood, now: now)
    }

    /// Names no user and no client, because their request was not read.
    package func failure(_ entry: DeliveryEntry, reason: String, now: Timestamp) -> AuditEvent? {
        AuditEvent(
            .notificationFailed, charge: .once(.delivery), tenant: entry.delivery.tenant, at: now,
            device: DeviceID(entry.delivery.recipient), details: ["reason": .string(reason)])
    }
}
