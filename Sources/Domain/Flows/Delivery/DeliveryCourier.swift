package import Audit
package import Primitives

/// Delivers a queue's entries: makes the message of an entry, and hands it to the service that sends it. Each queue is
/// worked by itself, so that a slow one delays no other.
package protocol DeliveryCourier: Sendable {
    var queue: DeliveryQueue { get }
    var policy: DeliveryPolicy { get }

    /// False if delivering to the recipient would answer `unneeded`. Asked before anything else is read.
    func reaches(_ recipient: String) -> Bool

    /// True if the entry goes to a service of its tenant's own.
    func usesOwnService(_ entry: DeliveryEntry) -> Bool

    /// One try. An error that it throws counts as a failed try, by this server's fault, or as none if it is transient.
    func deliver(_ entry: DeliveryEntry, now: Timestamp) async throws -> DeliveryAttempt

    /// Outcome for an entry that expired before it was delivered.
    func late(_ entry: DeliveryEntry, reason: String, now: Timestamp) -> DeliveryAttempt

    /// Event for an entry whose try threw.
    func failure(_ entry: DeliveryEntry, reason: String, now: Timestamp) -> AuditEvent?

    /// Change of the entry's request, if `Reachability` finds that the entry was its last hope. Nil for none.
    ///
    /// `isForGood` is false if another try might help. Such a request goes on elsewhere but does not end: its person may
    /// still open the app.
    func consequence(
        of entry: DeliveryEntry, reason: String, isForGood: Bool, now: Timestamp
    ) async throws -> DeliveryConsequence?

    /// Line for the operator's log. It must hold nothing of a sealed message.
    func line(after step: DeliveryStep, of entry: DeliveryEntry, detail: String) -> String?
}

/// Outcome of one try, with the texts for the logs.
package struct DeliveryAttempt: Sendable {
    package let result: DeliveryResult
    /// For the operator's log. Nil takes the result's reason.
    package let detail: String?
    /// For the audit log, if the entry leaves the queue by this try.
    package let event: AuditEvent?

    package init(_ result: DeliveryResult, detail: String? = nil, event: AuditEvent? = nil) {
        self.result = result
        self.detail = detail
        self.event = event
    }

    package func noting(_ event: AuditEvent) -> DeliveryAttempt {
        DeliveryAttempt(result, detail: detail, event: event)
    }
}

extension DeliveryCourier {
    package func reaches(_ recipient: String) -> Bool { true }

    package func usesOwnService(_ entry: DeliveryEntry) -> Bool { false }

    package func late(_ entry: DeliveryEntry, reason: String, now: Timestamp) -> DeliveryAttempt {
        DeliveryAttempt(.refused(reason: reason), event: failure(entry, reason: reason, now: now))
    }

    package func failure(_ entry: DeliveryEntry, reason: String, now: Timestamp) -> AuditEvent? { nil }

    package func consequence(
        of entry: DeliveryEntry, reason: String, isForGood: Bool, now: Timestamp
    ) async throws -> DeliveryConsequence? { nil }

    package func line(after step: DeliveryStep, of entry: DeliveryEntry, detail: String) -> String? {
        defaultLine(after: step, of: entry, detail: detail)
    }

    package func defaultLine(after step: DeliveryStep, of entry: DeliveryEntry, detail: String) -> String? {
        let delivery = entry.delivery
        let recipient = delivery.recipient.isEmpty ? "" : " to \(delivery.recipient)"
        let name = "\(delivery.queue.noun) \(entry.id)\(recipient) of the tenant \(delivery.tenant)"
        return switch step {
        case .done, .sent, .ended, .skipped: nil
        case .retry: "\(name) is tried again: \(detail)"
        case .dead: "\(name) was given up: \(detail)"
        }
    }
}

extension DeliveryEntry {
    /// States that the entry expired, and the last try's problem.
    package var reasonForLateness: String {
        let minutes = (delivery.expiresAt - delivery.createdAt).components.seconds / 60
        let late = "not delivered within \(minutes) minutes"
        return problem.map { "\(late); the last try: \($0)" } ?? "\(late); no worker got to it"
    }
}

/// A payload of this program that it cannot read.
struct UnreadablePayload: Error {}
