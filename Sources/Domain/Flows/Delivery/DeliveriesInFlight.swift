import AuthorizationCore
import Primitives

/// Entries that one queue has in flight.
package struct DeliveriesInFlight: Sendable {
    private struct Recipient: Hashable {
        let tenant: TenantID
        let key: String

        init(_ entry: DeliveryEntry) {
            tenant = entry.delivery.tenant
            // A mail server is a tenant's, so mails count by their tenant.
            key = entry.delivery.queue == .mail ? "" : entry.delivery.recipient
        }
    }

    private let limit: Int
    private let perTenant: Int
    private let perRecipient: Int
    private var ids: Set<Int64> = []
    private var tenants: [TenantID: Int] = [:]
    private var recipients: [Recipient: Int] = [:]
    /// Recipients whose last try failed. They get one entry at a time, so that they leave room for others.
    private var failing: Set<Recipient> = []

    package init(limit: Int, perTenant: Int, perRecipient: Int) {
        self.limit = limit
        self.perTenant = perTenant
        self.perRecipient = perRecipient
    }

    package var room: Int { limit - ids.count }

    /// Takes entries in their order, as far as the limits allow. Returns those that were taken.
    package mutating func take(_ due: [DeliveryEntry]) -> [DeliveryEntry] {
        due.filter { entry in
            let (tenant, recipient) = (entry.delivery.tenant, Recipient(entry))
            guard room > 0, tenants[tenant, default: 0] < perTenant,
                recipients[recipient, default: 0] < (failing.contains(recipient) ? 1 : perRecipient),
                ids.insert(entry.id).inserted
            else { return false }
            tenants[tenant, default: 0] += 1
            recipients[recipient, default: 0] += 1
            return true
        }
    }

    /// Returns true if tenant and recipient have enough room for the store to be read again. `step` is nil for an entry
    /// that was not tried.
    package mutating func giveBack(_ entry: DeliveryEntry, after step: DeliveryStep?) -> Bool {
        guard ids.remove(entry.id) != nil else { return false }
        let recipient = Recipient(entry)
        switch step {
        case .retry: failing.insert(recipient)
        case .done, .sent, .ended, .skipped, .dead: failing.remove(recipient)
        case nil: break
        }
        let left = Self.decrement(&tenants, entry.delivery.tenant)
        return Self.decrement(&recipients, recipient) <= perRecipient / 2 && left <= perTenant / 2
    }

    private static func decrement<Key>(_ counts: inout [Key: Int], _ key: Key) -> Int {
        let count = counts[key, default: 1] - 1
        counts[key] = count == 0 ? nil : count
        return count
    }
}
