package import Primitives

/// Outcome of one try.
package enum DeliveryResult: Sendable, Equatable {
    case delivered
    /// The message is not needed any more, or the device is away and gets it when it reconnects.
    case unneeded
    /// Another try may help, after the delay if the receiver named one.
    case failed(reason: String, retryAfter: Duration? = nil)
    /// Nothing was sent, so that it counts as no try. Without a wait, the next one comes later the older the entry is.
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
        /// Each entry is leased before it is tried and settled after it: `inFlight` at a time, and `perRecipient` of
        /// one recipient. The lease has to be longer than a try.
        case leased(for: Duration, inFlight: Int, perRecipient: Int)
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
    /// its next try is given up at once.
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
            guard tries < attempts ?? .max, next < entry.delivery.expiresAt else {
                return .dead(problem: Self.bounded(reason))
            }
            return .retry(at: next, problem: Self.bounded(reason))
        case .notTried(let reason, let wait):
            // Grows with the entry's age, as no tries are counted.
            let wait = wait ?? min(max(firstDelay, now - entry.delivery.createdAt), longestDelay)
            let next = now + Self.shortened(wait, by: jitter)
            guard next < entry.delivery.expiresAt else { return .dead(problem: Self.bounded(reason)) }
            return .retry(at: next, problem: Self.bounded(reason), isTried: false)
        }
    }

    /// Characters of a reason that are kept.
    static let reasonLimit = 200

    private static func bounded(_ reason: String) -> String { String(reason.prefix(reasonLimit)) }
}

/// Entries that one queue has in flight.
package struct DeliveriesInFlight: Sendable {
    private struct Recipient: Hashable {
        let tenant: String
        let key: String

        init(_ entry: DeliveryEntry) {
            tenant = entry.delivery.tenant.rawValue
            // A mail server is a tenant's, so mails count by their tenant.
            key = entry.delivery.queue == .mail ? "" : entry.delivery.recipient
        }
    }

    private let limit: Int
    private let perRecipient: Int
    private var ids: Set<Int64> = []
    private var counts: [Recipient: Int] = [:]
    /// Recipients whose last try failed. They get one entry at a time, so that they leave room for others.
    private var failing: Set<Recipient> = []

    package init(limit: Int, perRecipient: Int) {
        self.limit = limit
        self.perRecipient = perRecipient
    }

    package var room: Int { limit - ids.count }

    /// Takes entries in their order, as far as the limits allow. Returns those that were taken.
    package mutating func take(_ due: [DeliveryEntry]) -> [DeliveryEntry] {
        due.filter { entry in
            let recipient = Recipient(entry)
            let count = counts[recipient, default: 0]
            guard room > 0, count < (failing.contains(recipient) ? 1 : perRecipient), ids.insert(entry.id).inserted
            else { return false }
            counts[recipient] = count + 1
            return true
        }
    }

    /// Returns true if the recipient has enough room for the store to be read again. `step` is nil for an entry that
    /// was not tried.
    package mutating func giveBack(_ entry: DeliveryEntry, after step: DeliveryStep?) -> Bool {
        guard ids.remove(entry.id) != nil else { return false }
        let recipient = Recipient(entry)
        let count = counts[recipient, default: 1] - 1
        counts[recipient] = count == 0 ? nil : count
        switch step {
        case .retry: failing.insert(recipient)
        case .done, .sent, .ended, .skipped, .dead: failing.remove(recipient)
        case nil: break
        }
        return count <= perRecipient / 2
    }
}
