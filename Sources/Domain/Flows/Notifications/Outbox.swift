public import AuthorizationCore
public import GuardianWire
public import Primitives

/// Says that entries were added to the outbox, so that the worker need not wait for its next look.
public protocol OutboxSignal: Sendable {
    func entriesAdded()
}

/// Something to tell a device, kept until it was told (transactional outbox).
public struct OutboxEntry: Sendable, Equatable {
    public enum Kind: Int, Sendable {
        /// A request to decide.
        case notification = 0
        /// It needs no answer any more.
        case withdrawal = 1
    }

    public let id: Int64
    public let kind: Kind
    public let request: BackchannelRequest
    /// Nil where it was removed meanwhile.
    public let device: Device?
    /// Tries that failed so far.
    public let attempts: Int

    public init(id: Int64, kind: Kind, request: BackchannelRequest, device: Device?, attempts: Int) {
        self.id = id
        self.kind = kind
        self.request = request
        self.device = device
        self.attempts = attempts
    }
}

/// What was found in the outbox.
public struct DueEntries: Sendable, Equatable {
    public var entries: [OutboxEntry] = []
    /// Entries to devices that nobody reaches now, by their ids: not read any further.
    public var unreachable: [Int64] = []

    public init() {}

    public var isEmpty: Bool { entries.isEmpty && unreachable.isEmpty }
}

/// Which entries one provider delivers: so that those of another, however many wait, do not stand before them.
public enum OutboxLane: Sendable, Hashable {
    /// Those to devices that get their pushes from one of these services.
    case pushed(by: Set<PushCredentials.Service>)
    /// All the others, among them those to devices without a push service and to removed ones.
    case all(but: Set<PushCredentials.Service>)
}

/// What the delivery worker needs of a store.
public protocol OutboxStore: Sendable {
    /// A lane's entries whose time has come, oldest first. Those to devices of which `reaches` answers false come as
    /// their ids alone.
    func due(
        _ lane: OutboxLane, limit: Int, now: Timestamp, reaches: @Sendable (DeviceID) -> Bool
    ) async throws -> DueEntries

    /// Settles entries and appends audit events, in one transaction.
    func settle(_ settlements: [OutboxSettlement], events: [AuditEvent], now: Timestamp) async throws
}

public enum OutboxSettlement: Sendable, Equatable {
    /// Told, or no longer worth telling.
    case done(Int64)
    /// To be tried again.
    case retry(Int64, at: Timestamp)
    /// Given up; kept for the operator with the reason.
    case dead(Int64, reason: String)
}

/// A way to reach devices: the device channel, and in time APNs, FCM and Web Push.
public protocol NotificationProvider: Sendable {
    /// Shown in the audit log.
    var name: String { get }
    /// The services that it speaks to; nil where it reaches every device, whatever push service it has besides.
    var services: Set<PushCredentials.Service>? { get }
    /// False where delivering to that device would answer `absent`.
    func reaches(_ device: DeviceID) -> Bool
    func deliver(_ entry: OutboxEntry, to device: Device) async -> DeliveryResult
}

extension NotificationProvider {
    public func reaches(_ device: DeviceID) -> Bool { true }
}

public enum DeliveryResult: Sendable, Equatable {
    case delivered
    /// Nobody was there to be told. The device gets it when it comes.
    case absent
    /// Worth another try, at the earliest after the delay where the provider named one.
    case failed(reason: String, retryAfter: Duration?)
    /// No try will help: the token is dead, the payload refused.
    case refused(reason: String)
}
