package import AuthorizationCore
package import Primitives
import Synchronization

extension Delivery {
    package init(_ mail: SealedMail) {
        self.init(
            tenant: mail.tenant, queue: .mail, sealed: mail.sealed, createdAt: mail.createdAt,
            expiresAt: mail.expiresAt)
    }
}

extension SealedMail {
    package init(_ delivery: Delivery) {
        self.init(
            tenant: delivery.tenant, sealed: delivery.sealed, createdAt: delivery.createdAt,
            expiresAt: delivery.expiresAt)
    }
}

/// Sends mails one at a time, oldest first, until they expire.
package final class MailCourier: DeliveryCourier {
    package let queue = DeliveryQueue.mail
    /// The lease exceeds the time that a mail server may take.
    package let policy = DeliveryPolicy(
        pace: .leased(for: .seconds(300), inFlight: 1, perRecipient: 1), attempts: nil, firstDelay: .seconds(5),
        longestDelay: .seconds(600))

    private let transport: (any MailTransport)?
    private let sealer: any Sealer
    private let hashing: any Hashing
    private let saidThatNobodySends = Atomic(false)

    /// Without a transport mails wait for a later start that has one, until they expire.
    package init(transport: (any MailTransport)?, sealer: any Sealer, hashing: any Hashing) {
        self.transport = transport
        self.sealer = sealer
        self.hashing = hashing
    }

    package func deliver(_ entry: DeliveryEntry, now: Timestamp) async throws -> DeliveryAttempt {
        let sealed = entry.delivery.sealed
        guard let mail = try? SealedMail(entry.delivery).opened(by: sealer) else {
            return DeliveryAttempt(.refused(reason: "it cannot be opened; was the master key changed?"))
        }
        do throws(MailFailure) {
            guard let transport else { throw .failed("no mail server is configured") }
            try await transport.send(mail, id: Hex.encode(hashing.sha256(sealed).prefix(16)), now: now)
            return DeliveryAttempt(.delivered)
        } catch {
            switch error {
            case .refused(let reason): return DeliveryAttempt(.refused(reason: reason))
            case .failed(let reason): return DeliveryAttempt(.failed(reason: reason))
            }
        }
    }

    /// Logs once, not at each try, that there is no transport.
    package func line(after step: DeliveryStep, of entry: DeliveryEntry, detail: String) -> String? {
        if case .retry = step, transport == nil {
            guard !saidThatNobodySends.exchange(true, ordering: .relaxed) else { return nil }
            return "mail waits, and is dropped when it expires: \(detail)"
        }
        return defaultLine(after: step, of: entry, detail: detail)
    }
}
