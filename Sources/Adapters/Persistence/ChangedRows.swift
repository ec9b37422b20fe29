import Synchronization

/// Rows that this process found changed by somebody without the master key. Reports each once.
final class ChangedRows: Sendable {
    /// Maximum remembered rows. Beyond it, rows are only counted.
    private static let limit = 1000

    private struct State {
        var count = 0
        var places: Set<String> = []
        var report: @Sendable (String) -> Void = { _ in }
    }

    private let state = Mutex(State())

    var count: Int { state.withLock(\.count) }

    func watch(_ report: @escaping @Sendable (String) -> Void) { state.withLock { $0.report = report } }

    func note(_ place: String) {
        let report = state.withLock { state -> (@Sendable (String) -> Void)? in
            state.count += 1
            guard state.places.count < Self.limit, state.places.insert(place).inserted else { return nil }
            return state.report
        }
        report?(place)
    }
}
