package import Audit
package import AuthorizationCore
package import GuardianWire
package import Primitives

/// Kind of delivery, by its name in the store and in metrics.
package enum DeliveryQueue: String, Sendable, CaseIterable {
    /// To devices: a request to decide, or its withdrawal (`DeviceNotice`).
    case notifications
    case mail
    /// To clients (OIDC Back-Channel Logout 1.0).
    case logoutNotices = "logout_notices"
}

/// A message to deliver, stored with the change that it reports (transactional outbox).
package struct Delivery: Sendable, Equatable {
    package let tenant: TenantID
    package let queue: DeliveryQueue
    /// Key that limits in flight count by: a device or a client. Empty for mail.
    package let recipient: String
    /// Facts from which the courier makes the message. Holds no secret.
    package let payload: String
    /// The message, if it holds a secret; empty otherwise.
    package let sealed: [UInt8]
    package let createdAt: Timestamp
    /// The message is of no use afterwards.
    package let expiresAt: Timestamp

    package init(
        tenant: TenantID, queue: DeliveryQueue, recipient: String = "", payload: String = "", sealed: [UInt8] = [],
        createdAt: Timestamp, expiresAt: Timestamp
    ) {
        self.tenant = tenant
        self.queue = queue
        self.recipient = recipient
        self.payload = payload
        self.sealed = sealed
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// Context of `sealed`, of every queue. The exchange of the master key opens entries by it.
    package static func sealingContext(tenant: TenantID) -> String { "delivery/\(tenant)" }
}

/// A delivery that waits in the store.
package struct DeliveryEntry: Sendable, Equatable {
    package let id: Int64
    package let delivery: Delivery
    /// Tries that failed.
    package let attempts: Int
    /// Why the last try failed. Nil before the first failure.
    package let problem: String?

    package init(id: Int64, delivery: Delivery, attempts: Int = 0, problem: String? = nil) {
        self.id = id
        self.delivery = delivery
        self.attempts = attempts
        self.problem = problem
    }
}

/// Entries that one courier delivers. Each lane runs by itself, so that a slow one delays no other.
package enum DeliveryLane: Sendable, Hashable {
    case queue(DeliveryQueue)
    /// Notifications to devices that get their pushes from one of these services.
    case devices(pushedBy: Set<PushCredentials.Service>)
    /// All other notifications, among them those to devices without a push service and to removed ones.
    case otherDevices(than: Set<PushCredentials.Service>)

    package var queue: DeliveryQueue {
        switch self {
        case .queue(let queue): queue
        case .devices, .otherDevices: .notifications
        }
    }
}

/// Result of a try for the entry in the store.
package enum DeliveryStep: Sendable, Equatable {
    /// Delivered, or not needed any more.
    case done
    case retry(at: Timestamp, problem: String)
    /// Given up. The entry stays as a dead letter, for operators, without its message.
    case dead(problem: String)
}

package struct DeliverySettlement: Sendable, Equatable {
    package let id: Int64
    package let step: DeliveryStep
    /// Entry of the audit log, appended if the step changes the store.
    package let event: AuditEvent?

    package init(id: Int64, step: DeliveryStep, event: AuditEvent? = nil) {
        self.id = id
        self.step = step
        self.event = event
    }
}

/// Store port of the queue.
package protocol DeliveryStore: Sendable {
    /// Waiting entries of a lane that are due and that no node has leased, in the order of their due time: at most
    /// `limit`, and at most `perRecipient` of one recipient.
    func dueDeliveries(
        _ lane: DeliveryLane, perRecipient: Int?, limit: Int, now: Timestamp
    ) async throws -> [DeliveryEntry]

    /// Leases entries to a node until `end`, in one transaction. Returns the ids of those that no other node took
    /// first.
    func lease(
        _ entries: [DeliveryEntry], to owner: String, until end: Timestamp, now: Timestamp
    ) async throws -> Set<Int64>

    /// Ends all leases of a node that restarts, because it has nothing in flight.
    func releaseLeases(of owner: String) async throws

    /// Settles entries with their audit events, in one transaction. An entry that is gone changes nothing, and one that
    /// another node has leased meanwhile is only removed.
    func settle(_ settlements: [DeliverySettlement], by owner: String, now: Timestamp) async throws
}

/// Wakes the worker for new notifications, which people wait for.
package protocol DeliverySignal: Sendable {
    func entriesAdded()
}
