package import Flows
package import Primitives

extension OutboxStore {
    /// Entries of a lane whose provider reaches every device.
    package func due(_ lane: OutboxLane, limit: Int, now: Timestamp) async throws -> [OutboxEntry] {
        try await due(lane, limit: limit, now: now) { _ in true }.entries
    }
}
