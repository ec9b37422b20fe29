/// Entries that one queue has in flight: to the operator's services, and apart from them to those of tenants' own, so
/// that no tenant's service holds the places of others.
package struct DeliveriesInFlight: Sendable {
    private var shared: DeliverySlots
    private var own: DeliverySlots

    /// `ownServices` is the limit for services of tenants' own. With `sharesByTime`, places are shared by the time that
    /// each tenant uses.
    package init(
        limit: Int, perTenant: Int, perRecipient: Int, ownServices: Int = 0, sharesByTime: Bool = false
    ) {
        shared = DeliverySlots(
            limit: limit, perTenant: perTenant, perRecipient: perRecipient, sharesByTime: sharesByTime)
        own = DeliverySlots(
            limit: ownServices, perTenant: perTenant, perRecipient: perRecipient, sharesByTime: sharesByTime)
    }

    package var room: Int { shared.room + own.room }

    /// Takes entries as far as there is room. Returns those that were taken.
    /// - Parameter isOwn: True for an entry to a service of its tenant's own.
    package mutating func take(
        _ due: [DeliveryEntry], at now: Duration = .zero, isOwn: (DeliveryEntry) -> Bool = { _ in false }
    ) -> [DeliveryEntry] {
        // A tenant may have got a service of its own while its entry is in flight.
        let due = due.filter { !shared.contains($0) && !own.contains($0) }
        let owned = due.filter(isOwn)
        let ids = Set(owned.map(\.id))
        return shared.take(due.filter { !ids.contains($0.id) }, at: now) + own.take(owned, at: now)
    }

    /// Returns true if there is enough room for the store to be read again. `step` is nil for an entry that was not
    /// tried.
    package mutating func giveBack(
        _ entry: DeliveryEntry, after step: DeliveryStep?, at now: Duration = .zero
    ) -> Bool {
        own.contains(entry)
            ? own.giveBack(entry, after: step, at: now) : shared.giveBack(entry, after: step, at: now)
    }
}
