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
}

/// A service that takes messages to devices: the device channel, APNs, FCM and so on.
package protocol NotificationProvider: Sendable {
    /// Shown in the audit log.
    var name: String { get }
    /// Push services that the provider uses. Nil reaches every device, whatever its push service.
    var services: Set<PushCredentials.Service>? { get }
    var policy: DeliveryPolicy { get }
    /// False if sending to that device would answer `unneeded`.
    func reaches(_ device: DeviceID) -> Bool
    func send(_ message: DeviceMessage) async -> DeliveryResult
}

extension NotificationProvider {
    package func reaches(_ device: DeviceID) -> Bool { true }

    /// 64 messages in flight, one to each device. Up to eight retries after 1, 2, 4, … seconds, at most a minute.
    package var policy: DeliveryPolicy {
        DeliveryPolicy(
            pace: .leased(for: .seconds(60), inFlight: 64, perRecipient: 1), attempts: 8, firstDelay: .seconds(1),
            longestDelay: .seconds(60))
    }
}

/// Store port for making notifications.
package protocol NotificationSource: Sendable {
    /// Nil if the request is gone. The device is nil if it was removed, or if its user is blocked.
    func notification(
        of request: Int64, to device: DeviceID
    ) async throws -> (request: SealedRequest, device: Device?)?
}

/// Delivers notifications by one provider.
package struct NotificationCourier: DeliveryCourier {
    package let lane: DeliveryLane
    /// Nil if no provider reaches the lane's devices.
    private let provider: (any NotificationProvider)?
    private let source: any NotificationSource
    private let vault: RequestVault
    private let configuration: any ConfigurationSource
    private let composer: NotificationComposer

    /// Couriers by which each device is reached by the first provider that speaks to its service.
    package static func couriers(
        _ providers: [any NotificationProvider], source: any NotificationSource, vault: RequestVault,
        configuration: any ConfigurationSource, composer: NotificationComposer
    ) -> [NotificationCourier] {
        func courier(_ lane: DeliveryLane, _ provider: (any NotificationProvider)?) -> NotificationCourier {
            NotificationCourier(
                lane: lane, provider: provider, source: source, vault: vault, configuration: configuration,
                composer: composer)
        }
        var served: Set<PushCredentials.Service> = []
        var couriers: [NotificationCourier] = []
        for provider in providers {
            guard let services = provider.services else {
                return couriers + [courier(.otherDevices(than: served), provider)]
            }
            let own = services.subtracting(served)
            if !own.isEmpty { couriers.append(courier(.devices(pushedBy: own), provider)) }
            served.formUnion(services)
        }
        return couriers + [courier(.otherDevices(than: served), nil)]
    }

    package var policy: DeliveryPolicy {
        provider?.policy
            ?? DeliveryPolicy(
                pace: .instant(batch: 512), attempts: 1, firstDelay: .seconds(1), longestDelay: .seconds(1))
    }

    package func reaches(_ recipient: String) -> Bool { provider?.reaches(DeviceID(recipient)) ?? true }

    package func deliver(_ entry: DeliveryEntry, now: Timestamp) async throws -> DeliveryAttempt {
        guard let notice = DeviceNotice(payload: entry.delivery.payload) else { throw UnreadablePayload() }
        guard
            let (sealed, device) = try await source.notification(
                of: notice.request, to: DeviceID(entry.delivery.recipient)), let device
        else { return DeliveryAttempt(.unneeded) }
        guard let tenant = configuration.current.tenant(id: sealed.tenant) else {
            return DeliveryAttempt(.refused(reason: "the tenant is gone"))
        }
        let context = RequestContext(configuration: tenant, now: now)
        guard let request = try await vault.open(sealed, for: .notification, context: context),
            request.user == device.user
        else { return DeliveryAttempt(.refused(reason: "the stored request was changed")) }
        if notice.kind == .notification, request.state != .pending || request.isExpired(at: now) {
            return DeliveryAttempt(.unneeded)
        }
        let result = await send(notice, of: request, to: device, tenant)
        func event(_ kind: AuditEvent.Kind, _ details: JSONObject) -> AuditEvent {
            context.event(
                kind, user: request.user, client: request.client, device: device.id, consent: request.consentID,
                details: details)
        }
        switch result {
        case .delivered where notice.kind == .notification:
            return DeliveryAttempt(
                result, event: event(.notificationSent, ["provider": provider.map { .string($0.name) } ?? .null]))
        case .delivered, .unneeded: return DeliveryAttempt(result)
        case .failed(let reason, _), .notTried(let reason), .refused(let reason):
            return DeliveryAttempt(result, event: event(.notificationFailed, ["reason": .string(reason)]))
        }
    }

    private func send(
        _ notice: DeviceNotice, of request: BackchannelRequest, to device: Device, _ tenant: TenantConfiguration
    ) async -> DeliveryResult {
        guard let provider else { return .refused(reason: "no provider reaches this device") }
        let content: DeviceEvent.Content =
            switch notice.kind {
            case .notification: .notification(composer.notification(of: request, to: device, configuration: tenant))
            case .withdrawal: .withdrawal(transactionLinkingID: request.consentID.rawValue)
            }
        return await provider.send(
            DeviceMessage(event: DeviceEvent(id: request.sequence, content: content), device: device))
    }

    /// An expired request needs no decision. A failure is in the audit log anyway.
    package func late(_ entry: DeliveryEntry, reason: String, now: Timestamp) -> DeliveryAttempt {
        guard entry.problem != nil else { return DeliveryAttempt(.unneeded) }
        return DeliveryAttempt(.refused(reason: reason), event: failure(entry, reason: reason, now: now))
    }

    /// Names no user and no client, because their request was not read.
    package func failure(_ entry: DeliveryEntry, reason: String, now: Timestamp) -> AuditEvent? {
        AuditEvent(
            .notificationFailed, tenant: entry.delivery.tenant, at: now, device: DeviceID(entry.delivery.recipient),
            details: ["reason": .string(reason)])
    }
}
