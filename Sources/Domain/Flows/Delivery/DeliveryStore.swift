package import Primitives

/// Store port of the queue.
package protocol DeliveryStore: Sendable {
    /// Calls `announce` for each queue to which an acknowledged change of this process added entries. Pushes are announced
    /// with the entry of the device channel beside them.
    func watchEntries(_ announce: @escaping @Sendable (DeliveryQueue) -> Void)

    /// Waiting entries of a queue that are due and that no node has leased, at most `limit`. Its lanes take turns, each in
    /// the order of its due times and with at most `perLane` entries. A lane is a tenant's, or a client's for logout
    /// notices, so that a backlog keeps no other tenant waiting.
    func dueDeliveries(
        _ queue: DeliveryQueue, perLane: Int, limit: Int, now: Timestamp
    ) async throws -> [DeliveryEntry]

    /// Leases entries to a node until `end`, in one transaction. Returns the ids of those that no other node took
    /// first.
    func lease(
        _ entries: [DeliveryEntry], to owner: String, until end: Timestamp, now: Timestamp
    ) async throws -> Set<Int64>

    /// Ends all leases of a node that restarts, because it has nothing in flight.
    func releaseLeases(of owner: String) async throws

    /// Settles entries with their audit events, in one transaction. An entry that is gone changes nothing, and one that
    /// another node has leased meanwhile is only removed.
    ///
    /// A settlement with a consequence is applied as `DeliverySettlement.decided` says by the reach of its request, which
    /// the same transaction reads.
    /// - Returns: requests that ended.
    @discardableResult
    func settle(
        _ settlements: [DeliverySettlement], by owner: String, now: Timestamp
    ) async throws -> [AuthReqIDHash]
}
