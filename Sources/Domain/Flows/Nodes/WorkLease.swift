package import Primitives

/// Store port for work that one node does for all.
package protocol WorkLeaseStore: Sendable {
    /// Leases the work to `owner` until `end`. Returns false if another node has it.
    func lease(_ work: SharedWork, to owner: String, until end: Timestamp, now: Timestamp) async throws -> Bool
}

/// Work on the whole store, by its name there.
package enum SharedWork: String, Sendable, CaseIterable {
    /// Deleting what has expired, and retiring keys.
    case cleanup
    /// Imports and exports of users.
    case jobs
}

/// Finds out if this node does a shared work. If it stops, another node takes over once the lease has ended.
///
/// Nodes whose clocks differ by more than ``renewal`` may both do it for a while. So the work has to bear that.
package struct WorkLease: Sendable {
    static let life = Duration.seconds(30)
    static let renewal = Duration.seconds(10)

    private let work: SharedWork
    private let owner: String
    private let store: (any WorkLeaseStore)?
    private var heldUntil: Timestamp?
    private var asksAt = Timestamp(seconds: 0)

    /// Without a store, this node has every work.
    package init(_ work: SharedWork, owner: String, _ store: (any WorkLeaseStore)?) {
        self.work = work
        self.owner = owner
        self.store = store
    }

    /// True if this node has the work. Asks the store every 10 seconds.
    package mutating func isHeld(now: Timestamp) async throws -> Bool {
        guard let store else { return true }
        if now >= asksAt {
            let end = now + Self.life
            heldUntil = try await store.lease(work, to: owner, until: end, now: now) ? end : nil
            asksAt = now + Self.renewal
        }
        return heldUntil.map { now < $0 } ?? false
    }
}
