package import Primitives

/// Outcome of one try.
package enum DeliveryResult: Sendable, Equatable {
    case delivered
    /// The message is not needed any more, or the device is away and gets it when it reconnects.
    case unneeded
    /// Another try may help, after the delay if the receiver named one.
    case failed(reason: String, retryAfter: Duration? = nil)
    /// Nothing was sent, so no try is counted. Nil waits longer the older the entry is.
    case notTried(reason: String, wait: Duration? = nil)
    /// No other try will help: the message was refused for good.
    case refused(reason: String)
    /// The receiver is gone: the push service no longer knows the device's push credentials, or the mailbox does not
    /// exist.
    case gone(reason: String)
    /// The tenant has no credentials for the device's push service, so that the phone fetches requests by itself.
    case unconfigured(reason: String)
}

/// Rules by which a queue's entries are tried. Pure: time and chance are arguments.
package struct DeliveryPolicy: Sendable, Equatable {
    package enum Pace: Sendable, Equatable {
        /// For immediate deliveries: one after the other, settled as a batch, without leases. A crash delivers the
        /// batch again.
        case instant(batch: Int)
        /// Each entry is leased before it is tried and settled after it: `inFlight` at a time, `perTenant` of one tenant,
        /// and `perRecipient` of one recipient. The lease has to be longer than a try. `ownServices` more are for
        /// services of tenants' own. With `sharesByTime`, tenants share the places by the time that they use: wherever
        /// tenants or people name the service, which may be silent (`DeliverySlots`).
        case leased(
            for: Duration, inFlight: Int, perTenant: Int, perRecipient: Int, ownServices: Int = 0,
            sharesByTime: Bool = false)
    }

    package let pace: Pace
    /// Tries after which an entry is given up. Nil tries until the entry expires.
    package let attempts: Int?
    /// Wait after the first failure. It doubles with each further one, up to `longestDelay`.
    package let firstDelay: Duration
    package let longestDelay: Duration

    package init(pace: Pace, attempts: Int?, firstDelay: Duration, longestDelay: Duration) {
        self.pace = pace
        self.attempts = attempts
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
    }

    /// Wait after `attempts` failures. `jitter` in `0...1` shortens it by up to a quarter, so that entries that failed
    /// together are not retried together.
    package func delay(afterAttempts attempts: Int, jitter: Double) -> Duration {
        Self.shortened(min(firstDelay * (1 << min(attempts - 1, 20)), longestDelay), by: jitter)
    }

    private static func shortened(_ wait: Duration, by jitter: Double) -> Duration { wait - wait * (jitter / 4) }

    /// The step after a try. A wait that the receiver named counts if it is longer. An entry that would expire before
    /// its next try is given up at once, but a request's waits until then: its service is down, so that the failure of
    /// another entry must not end the request (docs/decisions/0027).
    package func step(
        after result: DeliveryResult, of entry: DeliveryEntry, now: Timestamp, jitter: Double
    ) -> DeliveryStep {
        switch result {
        case .delivered: return entry.delivery.isKept ? .sent : .done
        case .unneeded: return .done
        case .gone(let reason): return entry.delivery.isKept ? .ended(problem: Self.bounded(reason)) : .done
        case .unconfigured(let reason):
            return entry.delivery.isKept ? .skipped(problem: Self.bounded(reason)) : .done
        case .refused(let reason): return .dead(problem: Self.bounded(reason))
        case .failed(let reason, let retryAfter):
            let tries = entry.attempts + 1
            let next = now + max(retryAfter ?? .zero, delay(afterAttempts: tries, jitter: jitter))
            guard tries < attempts ?? .max else { return .dead(problem: Self.bounded(reason)) }
            return Self.retry(entry.delivery, at: next, reason, isTried: true, now: now)
        case .notTried(let reason, let wait):
            // Grows with the entry's age, as no tries are counted.
            let wait = wait ?? min(max(firstDelay, now - entry.delivery.createdAt), longestDelay)
            let next = now + Self.shortened(wait, by: jitter)
            return Self.retry(entry.delivery, at: next, reason, isTried: false, now: now)
        }
    }

    private static func retry(
        _ delivery: Delivery, at next: Timestamp, _ reason: String, isTried: Bool, now: Timestamp
    ) -> DeliveryStep {
        let end = delivery.expiresAt
        guard next < end || delivery.request != nil && now < end else { return .dead(problem: bounded(reason)) }
        return .retry(at: min(next, end), problem: bounded(reason), isTried: isTried)
    }

    /// Characters of a reason that are kept.
    static let reasonLimit = 200

    private static func bounded(_ reason: String) -> String { String(reason.prefix(reasonLimit)) }
}
