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
    private var failing = BoundedTable<Recipient, Bool>(limit: 1000)
    /// Number of the last turn of each tenant that has entries.
    private var turns: [TenantID: UInt64] = [:]
    private var lastTurn: UInt64 = 0

    package init(limit: Int, perTenant: Int, perRecipient: Int) {
        self.limit = limit
        self.perTenant = perTenant
        self.perRecipient = perRecipient
    }

    package var room: Int { limit - ids.count }

    /// Takes entries as far as the limits allow: each tenant's in their order, and those of tenants with the fewest in
    /// flight and the oldest turn first, so that several with a backlog get the same share. Returns those that were taken.
    package mutating func take(_ due: [DeliveryEntry]) -> [DeliveryEntry] {
        var counts = tenants
        let shares = due.map { entry in
            counts[entry.delivery.tenant, default: 0] += 1
            return (share: counts[entry.delivery.tenant, default: 0], turn: turns[entry.delivery.tenant, default: 0])
        }
        turns = turns.filter { counts[$0.key] != nil }
        // Sorting is stable.
        let order = due.indices.sorted { (shares[$0].share, shares[$0].turn) < (shares[$1].share, shares[$1].turn) }
        return order.map { due[$0] }.filter { entry in
            let (tenant, recipient) = (entry.delivery.tenant, Recipient(entry))
            guard room > 0, tenants[tenant, default: 0] < perTenant,
                recipients[recipient, default: 0] < (failing[recipient] == nil ? perRecipient : 1),
                ids.insert(entry.id).inserted
            else { return false }
            tenants[tenant, default: 0] += 1
            recipients[recipient, default: 0] += 1
            lastTurn += 1
            turns[tenant] = lastTurn
            return true
        }
    }

    /// Returns true if tenant and recipient have enough room for the store to be read again. `step` is nil for an entry
    /// that was not tried.
    package mutating func giveBack(_ entry: DeliveryEntry, after step: DeliveryStep?) -> Bool {
        guard ids.remove(entry.id) != nil else { return false }
        let recipient = Recipient(entry)
        switch step {
        case .retry(_, _, isTried: true): failing[recipient] = true
        case .done, .sent, .ended, .skipped, .dead: failing[recipient] = nil
        case .retry, nil: break
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
