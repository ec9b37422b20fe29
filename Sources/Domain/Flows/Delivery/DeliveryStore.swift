package import Primitives

/// Store port of the queue.
package protocol DeliveryStore: Sendable {
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
    /// The consequence of an entry that is undeliverable or keeps failing is carried out in the same transaction if nothing
    /// else can reach the request's person: no entry of the request was delivered or waits, no phone has read it, and,
    /// before the request ends, no phone of the person fetches requests by itself. Beside an entry that is retried, others
    /// that failed before do not count as waiting. While the device channel has not tried its entry, the settlement of an
    /// undeliverable entry is put off instead.
    /// - Returns: requests that ended.
    @discardableResult
    func settle(
        _ settlements: [DeliverySettlement], by owner: String, now: Timestamp
    ) async throws -> [AuthReqIDHash]
}

/// Wakes the worker for new entries that people wait for.
package protocol DeliverySignal: Sendable {
    func entriesAdded(to queue: DeliveryQueue)
}
