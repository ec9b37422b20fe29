package import Audit
package import AuthorizationCore
package import GuardianWire
package import Primitives
package import Tracing

/// Kind of delivery, by its name in the store and in metrics.
package enum DeliveryQueue: String, Sendable, CaseIterable {
    /// To devices over the device channel: a request to decide, or its withdrawal (`DeviceNotice`).
    case notifications
    /// The same to devices of a push service, beside the channel's entry.
    case webPushes = "web_pushes"
    /// To phones' own apps, by Apple's push service or the service that the tenant selected in its place.
    case applePushes = "apns"
    /// To phones' own apps, by Firebase or the service that the tenant selected in its place.
    case googlePushes = "fcm"
    case mail
    /// To clients (OIDC Back-Channel Logout 1.0).
    case logoutNotices = "logout_notices"

    /// Push service whose devices get the entries. Nil for every other queue.
    package var pushService: PushCredentials.Service? {
        switch self {
        case .webPushes: .webPush
        case .applePushes: .apns
        case .googlePushes: .gcm
        case .notifications, .mail, .logoutNotices: nil
        }
    }

    /// Name of one entry in the log.
    var noun: String {
        switch self {
        case .notifications: "notification"
        case .webPushes: "web push"
        case .applePushes: "push to an Apple device"
        case .googlePushes: "push to an Android device"
        case .mail: "mail"
        case .logoutNotices: "logout notice"
        }
    }
}

/// A message to deliver, stored with the change that it reports (transactional outbox).
package struct Delivery: Sendable, Equatable {
    package let tenant: TenantID
    package let queue: DeliveryQueue
    /// A device or a client, by which limits in flight count, or the user whom a mail asks for approval. Empty for other
    /// mail.
    package let recipient: String
    /// Person of a mail without a request, for administrators. Nil for every other message.
    package let user: UserID?
    /// `BackchannelRequest.sequence` of the request that the message tells of. Nil for every other message.
    package let request: Int64?
    /// Facts from which the courier makes the message. Holds no secret.
    package let payload: String
    /// The message, if it holds a secret; empty otherwise.
    package let sealed: [UInt8]
    package let createdAt: Timestamp
    /// The message is of no use afterwards.
    package let expiresAt: Timestamp

    package init(
        tenant: TenantID, queue: DeliveryQueue, recipient: String = "", user: UserID? = nil, request: Int64? = nil,
        payload: String = "", sealed: [UInt8] = [], createdAt: Timestamp, expiresAt: Timestamp
    ) {
        self.tenant = tenant
        self.queue = queue
        self.recipient = recipient
        self.user = user
        self.request = request
        self.payload = payload
        self.sealed = sealed
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// True if the row stays after the delivery, as long as a request does, so that its state can be read.
    var isKept: Bool { request != nil || queue == .mail }

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
    /// Span of the work that wrote the entry. Nil if that is not recorded.
    package let trace: TraceContext?

    package init(
        id: Int64, delivery: Delivery, attempts: Int = 0, problem: String? = nil, trace: TraceContext? = nil
    ) {
        self.id = id
        self.delivery = delivery
        self.attempts = attempts
        self.problem = problem
        self.trace = trace
    }

    /// Details of an event about a try, with its number if it is not the first.
    func details(_ details: JSONObject) -> JSONObject {
        var details = details
        if attempts > 0 { details["attempts"] = .number(JSONNumber(attempts + 1)) }
        return details
    }
}

/// Result of a try for the entry in the store.
package enum DeliveryStep: Sendable, Equatable {
    /// Delivered or not needed any more, and nothing is kept.
    case done
    /// Delivered. The entry stays without its message, to be read.
    case sent
    /// Undeliverable by no fault of the operator's, such as a phone that removed its app. The entry stays likewise.
    case ended(problem: String)
    /// Not sent, because the tenant has no credentials for it. The entry stays likewise.
    case skipped(problem: String)
    /// `isTried` is false if the attempt does not count.
    case retry(at: Timestamp, problem: String, isTried: Bool = true)
    /// Given up. The entry stays as a dead letter, for operators, without its message.
    case dead(problem: String)
}

extension DeliveryStep {
    package var isRetry: Bool { if case .retry = self { true } else { false } }

    /// Nil for a step without a failure.
    package var problem: String? {
        switch self {
        case .done, .sent: nil
        case .ended(let problem), .skipped(let problem), .retry(_, let problem, _), .dead(let problem): problem
        }
    }
}

package struct DeliverySettlement: Sendable {
    package let id: Int64
    package let step: DeliveryStep
    /// Entry of the audit log, appended if the step changes the store.
    package var event: AuditEvent?
    /// Applied if `Reachability` finds that the request reached nobody.
    package var consequence: DeliveryConsequence?

    /// True if the entry is only deleted.
    package var isQuiet: Bool { step == .done && event == nil && consequence == nil }
}

/// Change of a pending request whose channel reached nobody.
package struct DeliveryConsequence: Sendable {
    package enum Change: Sendable {
        /// The request goes on in another channel: it is sealed anew, and the devices or the mailbox are notified.
        case rerouted(SealedRequest, devices: [DeviceID])
        /// No channel is left, so the request ends. `phones` are the person's whose answers are evidence enough.
        case undelivered(phones: [DeviceID])
    }

    package let change: Change
    /// As it was read. A request that has another channel by now is not changed.
    package let request: SealedRequest
    package let event: AuditEvent

    package init(_ change: Change, of request: SealedRequest, event: AuditEvent) {
        self.change = change
        self.request = request
        self.event = event
    }
}
