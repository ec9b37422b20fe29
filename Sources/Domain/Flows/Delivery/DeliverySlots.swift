import AuthorizationCore
import Primitives

/// Places for entries in flight to services of one kind: which entries may go next. Pure: time is an argument.
package struct DeliverySlots: Sendable {
    private struct Recipient: Hashable {
        let tenant: TenantID
        let key: String

        init(_ entry: DeliveryEntry) {
            tenant = entry.delivery.tenant
            // A mail server is a tenant's, so mails count by their tenant.
            key = entry.delivery.queue == .mail ? "" : entry.delivery.recipient
        }
    }

    /// Time of places that a tenant used lately. A quarter of a place is free.
    private struct Usage {
        private var used = Duration.zero
        private var at: Duration

        init(at now: Duration) { at = now }

        /// A tenant with less is light.
        static let light = Duration.seconds(10)
        /// All is forgotten within 20 minutes.
        private static let limit = Duration.seconds(300)

        func time(at now: Duration) -> Duration { max(.zero, used - (now - at) / 4) }

        mutating func add(_ time: Duration, at now: Duration) {
            used = min(self.time(at: now) + time, Self.limit)
            at = now
        }
    }

    private let limit: Int
    private let perTenant: Int
    private let perRecipient: Int
    private let sharesByTime: Bool
    /// Begin of each entry in flight.
    private var begins: [Int64: Duration] = [:]
    private var tenants: [TenantID: Int] = [:]
    private var recipients: [Recipient: Int] = [:]
    /// Recipients whose last try failed. They get one entry at a time, so that they leave room for others.
    private var failing = BoundedTable<Recipient, Bool>(limit: 1000)
    /// Number of the last turn of each tenant that has entries.
    private var turns: [TenantID: UInt64] = [:]
    private var lastTurn: UInt64 = 0
    private var usage = BoundedTable<TenantID, Usage>(limit: 1000)

    /// With `sharesByTime`, the last half of the slots is for tenants with nothing in flight, and the last quarter for those
    /// of them that used little time lately. A slow service, whose successes take long, too, then delays its own tenant.
    package init(limit: Int, perTenant: Int, perRecipient: Int, sharesByTime: Bool = false) {
        self.limit = limit
        self.perTenant = perTenant
        self.perRecipient = perRecipient
        self.sharesByTime = sharesByTime
    }

    package var room: Int { limit - begins.count }

    package func contains(_ entry: DeliveryEntry) -> Bool { begins[entry.id] != nil }

    /// Takes entries as far as the limits allow: each tenant's in their order, and those of tenants with the fewest in
    /// flight, the least time used and the oldest turn first, so that several with a backlog get the same share. Returns
    /// those that were taken.
    package mutating func take(_ due: [DeliveryEntry], at now: Duration) -> [DeliveryEntry] {
        var counts = tenants
        var used: [TenantID: Duration] = [:]
        if sharesByTime {
            for tenant in Set(due.map(\.delivery.tenant)) { used[tenant] = usage[tenant]?.time(at: now) }
        }
        let shares = due.map { entry in
            let tenant = entry.delivery.tenant
            counts[tenant, default: 0] += 1
            return (share: counts[tenant, default: 0], used: used[tenant] ?? .zero, turn: turns[tenant, default: 0])
        }
        turns = turns.filter { counts[$0.key] != nil }
        // Sorting is stable.
        let order = due.indices.sorted { shares[$0] < shares[$1] }
        return order.map { due[$0] }.filter { entry in
            let (tenant, recipient) = (entry.delivery.tenant, Recipient(entry))
            guard hasRoom(for: tenant, used: used[tenant] ?? .zero),
                recipients[recipient, default: 0] < (failing[recipient] == nil ? perRecipient : 1),
                begins[entry.id] == nil
            else { return false }
            begins[entry.id] = now
            tenants[tenant, default: 0] += 1
            recipients[recipient, default: 0] += 1
            lastTurn += 1
            turns[tenant] = lastTurn
            return true
        }
    }

    private func hasRoom(for tenant: TenantID, used: Duration) -> Bool {
        let own = tenants[tenant, default: 0]
        guard own < perTenant else { return false }
        guard sharesByTime else { return room > 0 }
        if own > 0 { return room > limit / 2 }
        return room > (used < Usage.light ? 0 : limit / 4)
    }

    /// Returns true if there is enough room for the store to be read again. `step` is nil for an entry that was not
    /// tried.
    package mutating func giveBack(_ entry: DeliveryEntry, after step: DeliveryStep?, at now: Duration) -> Bool {
        // With one tenant, nobody waits for the other half.
        let wasShort = sharesByTime && room <= limit / 2 && tenants.count > 1
        guard let begin = begins.removeValue(forKey: entry.id) else { return false }
        let (tenant, recipient) = (entry.delivery.tenant, Recipient(entry))
        switch step {
        case .retry(_, _, isTried: true): failing[recipient] = true
        case .done, .sent, .ended, .skipped, .dead: failing[recipient] = nil
        case .retry, nil: break
        }
        if sharesByTime {
            var spent = usage[tenant] ?? Usage(at: now)
            spent.add(now - begin, at: now)
            usage[tenant] = spent
        }
        let left = Self.decrement(&tenants, tenant)
        let ofRecipient = Self.decrement(&recipients, recipient)
        return wasShort || ofRecipient <= perRecipient / 2 && left <= perTenant / 2
    }

    private static func decrement<Key>(_ counts: inout [Key: Int], _ key: Key) -> Int {
        let count = counts[key, default: 1] - 1
        counts[key] = count == 0 ? nil : count
        return count
    }
}
