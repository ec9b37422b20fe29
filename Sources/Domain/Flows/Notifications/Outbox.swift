package import Audit
package import AuthorizationCore
package import GuardianWire
package import Primitives

/// Says that entries were added to the outbox, so that the worker need not wait for its next look.
package protocol OutboxSignal: Sendable {
    func entriesAdded()
}

/// Something to tell a device, kept until it was told (transactional outbox).
package struct OutboxEntry: Sendable, Equatable {
    package enum Kind: Int, Sendable {
        /// A request to decide.
        case notification = 0
        /// It needs no answer any more.
        case withdrawal = 1
    }

    package let id: Int64
    package let kind: Kind
    package let request: BackchannelRequest
    /// Nil where it was removed meanwhile.
    package let device: Device?
    /// Tries that failed so far.
    package let attempts: Int

    package init(id: Int64, kind: Kind, request: BackchannelRequest, device: Device?, attempts: Int) {
        self.id = id
        self.kind = kind
        self.request = request
        self.device = device
        self.attempts = attempts
    }
}

/// What was found in the outbox.
package struct DueEntries: Sendable, Equatable {
    package var entries: [OutboxEntry] = []
    /// Entries to devices that nobody reaches now, by their ids: not read any further.
    package var unreachable: [Int64] = []

    package init() {}

    package var isEmpty: Bool { entries.isEmpty && unreachable.isEmpty }
}

/// Which entries one provider delivers: so that those of another, however many wait, do not stand before them.
package enum OutboxLane: Sendable, Hashable {
    /// Those to devices that get their pushes from one of these services.
    case pushed(by: Set<PushCredentials.Service>)
    /// All the others, among them those to devices without a push service and to removed ones.
    case all(but: Set<PushCredentials.Service>)
}

/// What the delivery worker needs of a store.
package protocol OutboxStore: Sendable {
    /// A lane's entries whose time has come, oldest first. Those to devices of which `reaches` answers false come as
    /// their ids alone.
    func due(
        _ lane: OutboxLane, limit: Int, now: Timestamp, reaches: @Sendable (DeviceID) -> Bool
    ) async throws -> DueEntries

    /// Settles entries and appends audit events, in one transaction.
    func settle(_ settlements: [OutboxSettlement], events: [AuditEvent], now: Timestamp) async throws
}

package enum OutboxSettlement: Sendable, Equatable {
    /// Told, or no longer worth telling.
    case done(Int64)
    /// To be tried again.
    case retry(Int64, at: Timestamp)
    /// Given up; kept for the operator with the reason.
    case dead(Int64, reason: String)
}

/// A way to reach devices: the device channel, and in time APNs, FCM and Web Push.
package protocol NotificationProvider: Sendable {
    /// Shown in the audit log.
    var name: String { get }
    /// The services that it speaks to; nil where it reaches every device, whatever push service it has besides.
    var services: Set<PushCredentials.Service>? { get }
    /// False where delivering to that device would answer `absent`.
    func reaches(_ device: DeviceID) -> Bool
    func deliver(_ entry: OutboxEntry, to device: Device) async -> DeliveryResult
}

extension NotificationProvider {
    package func reaches(_ device: DeviceID) -> Bool { true }
}

package enum DeliveryResult: Sendable, Equatable {
    case delivered
    /// Nobody was there to be told. The device gets it when it comes.
    case absent
    /// Worth another try, at the earliest after the delay where the provider named one.
    case failed(reason: String, retryAfter: Duration?)
    /// No try will help: the token is dead, the payload refused.
    case refused(reason: String)
}
