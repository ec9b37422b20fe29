package import Audit
package import AuthorizationCore
package import GuardianWire
package import Primitives

/// Kind of delivery, by its name in the store and in metrics.
package enum DeliveryQueue: String, Sendable, CaseIterable {
    /// To devices over the device channel: a request to decide, or its withdrawal (`DeviceNotice`).
    case notifications
    /// The same to devices of a push service, beside the channel's entry.
    case webPushes = "web_pushes"
    case mail
    /// To clients (OIDC Back-Channel Logout 1.0).
    case logoutNotices = "logout_notices"

    /// Push service whose devices get the entries. Nil for every other queue.
    package var pushService: PushCredentials.Service? {
        switch self {
        case .webPushes: .webPush
        case .notifications, .mail, .logoutNotices: nil
        }
    }

    /// Name of one entry in the log.
    var noun: String {
        switch self {
        case .notifications: "notification"
        case .webPushes: "web push"
        case .mail: "mail"
        case .logoutNotices: "logout notice"
        }
    }
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

/// Result of a try for the entry in the store.
package enum DeliveryStep: Sendable, Equatable {
    /// Delivered, or not needed any more.
    case done
    /// `isTried` is false if the attempt does not count.
    case retry(at: Timestamp, problem: String, isTried: Bool = true)
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
