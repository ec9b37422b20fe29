import Synchronization

/// Limits the memory of request bodies over all connections.
final class BodyBudget: Sendable {
    /// Bytes of each body that do not count, so that token requests succeed even if the budget is full. The limit of
    /// connections bounds these bytes.
    static let freeBytes = 8_192

    private let limit: Int
    private let taken = Atomic<Int>(0)

    init(limit: Int) { self.limit = limit }

    /// Grows a body's memory from `old` to `new` bytes. Returns false and reserves nothing if there is no room.
    func grow(from old: Int, to new: Int) -> Bool {
        let more = Self.counted(new) - Self.counted(old)
        guard more > 0, taken.add(more, ordering: .relaxed).newValue > limit else { return true }
        taken.subtract(more, ordering: .relaxed)
        return false
    }

    func release(_ bytes: Int) {
        let counted = Self.counted(bytes)
        if counted > 0 { taken.subtract(counted, ordering: .relaxed) }
    }

    /// Bytes in use.
    var bytes: Int { taken.load(ordering: .relaxed) }

    private static func counted(_ bytes: Int) -> Int { max(0, bytes - freeBytes) }
}
