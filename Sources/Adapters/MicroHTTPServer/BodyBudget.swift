import Synchronization

/// The memory that request bodies take over all connections, within a limit.
final class BodyBudget: Sendable {
    /// Bytes of each body that count for nothing. Clients that fill the budget keep nobody from asking for a token: the
    /// limit of connections bounds these bytes.
    static let freeBytes = 8_192

    private let limit: Int
    private let taken = Atomic<Int>(0)

    init(limit: Int) { self.limit = limit }

    /// Grows a body's memory from `old` to `new` bytes. Returns false, with nothing taken, if there is no room.
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

    /// Bytes that are taken now.
    var bytes: Int { taken.load(ordering: .relaxed) }

    private static func counted(_ bytes: Int) -> Int { max(0, bytes - freeBytes) }
}
