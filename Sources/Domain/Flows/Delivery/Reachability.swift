package import AuthorizationCore
package import Primitives

/// Facts of a request of which one delivery failed, as the transaction that settles the delivery reads them. The failed
/// delivery is not among them.
package struct Reach: Sendable, Equatable {
    /// Deliveries that wait.
    package enum Waiting: Sendable, Equatable {
        /// At least one was not tried yet.
        case untried
        /// Each failed before.
        case failing
    }

    package var waiting: [DeliveryQueue: Waiting]
    /// True if another delivery succeeded, also one that a phone fetched by itself.
    package var isSent: Bool
    /// True if a phone read the request: a push that timed out may have arrived.
    package var isRead: Bool
    /// Phones that fetch requests by themselves: without push, or with a push service that the tenant does not use.
    package var fetching: Set<DeviceID>
    /// Recipient of the failed delivery, read only for a request that would end. A phone whose push was skipped fetches
    /// requests by itself.
    package var phone: DeviceID?

    package init(
        waiting: [DeliveryQueue: Waiting] = [:], isSent: Bool = false, isRead: Bool = false,
        fetching: Set<DeviceID> = [], phone: DeviceID? = nil
    ) {
        self.waiting = waiting
        self.isSent = isSent
        self.isRead = isRead
        self.fetching = fetching
        self.phone = phone
    }
}

/// Decides whether a request reached anybody, and what becomes of one that did not. Pure: the facts and the time are
/// arguments. The reasons are in docs/decisions/0027.
package enum Reachability: Sendable, Equatable {
    /// Somebody was told, or still may be.
    case reached
    /// The device channel has not tried to reach a phone yet.
    case unknown
    case nobody

    /// True if a failed delivery may be the last hope of its request. The device channel fails nobody: a phone without a
    /// stream fetches its requests when it is opened. A delivery that is retried counts once it is overdue.
    package static func isAtStake(_ delivery: Delivery, after step: DeliveryStep, now: Timestamp) -> Bool {
        guard delivery.request != nil, delivery.queue == .mail || delivery.queue.pushService != nil else {
            return false
        }
        return switch step {
        case .done, .sent: false
        case .ended, .skipped, .dead: true
        case .retry(let next, _, _): isOverdue(delivery, nextTry: next, now: now)
        }
    }

    /// True if no other try fits into the request's life, and for a push after a tenth of its life, and 20 seconds at
    /// least. Later, its person would have too little time left. Mail servers often take a mail from a new sender only
    /// after some minutes.
    static func isOverdue(_ delivery: Delivery, nextTry: Timestamp, now: Timestamp) -> Bool {
        if nextTry >= delivery.expiresAt { return true }
        return delivery.queue != .mail
            && now - delivery.createdAt >= max(.seconds(20), (delivery.expiresAt - delivery.createdAt) / 10)
    }

    /// - Parameters:
    ///   - step: Step of the failed delivery. While it is retried, deliveries that failed before give no hope either.
    ///   - change: What becomes of the request. A phone that fetches requests keeps one from ending, but not from going on
    ///     by another channel.
    package init(_ reach: Reach, after step: DeliveryStep, before change: DeliveryConsequence.Change) {
        var fetching = reach.fetching
        if case .skipped = step, let phone = reach.phone { fetching.insert(phone) }
        let maySucceed = reach.waiting.values.contains { $0 == .untried || !step.isRetry }
        if reach.waiting[.notifications] != nil {
            self = .unknown
        } else if reach.isSent || reach.isRead || maySucceed {
            self = .reached
        } else if case .undelivered(let phones) = change, phones.contains(where: fetching.contains) {
            self = .reached
        } else {
            self = .nobody
        }
    }
}

extension DeliverySettlement {
    /// The settlement with the consequence that its request's reach allows. It is put off while the reach is unknown.
    package func decided(by reach: Reach, now: Timestamp) -> DeliverySettlement {
        guard let consequence else { return self }
        return switch Reachability(reach, after: step, before: consequence.change) {
        case .nobody: self
        case .unknown where !step.isRetry:
            DeliverySettlement(
                id: id, step: .retry(at: now + .seconds(1), problem: step.problem ?? "", isTried: false), event: event)
        case .reached, .unknown: DeliverySettlement(id: id, step: step, event: event)
        }
    }
}
