import Synchronization

/// Requests sent to a server and their acknowledgements, which must hold ever after.
final class Ledger<Entry: Sendable>: Sendable {
    private struct State {
        var entries: [String: Entry] = [:]
        var acknowledged = 0
        var watch: (count: Int, continuation: AsyncStream<Void>.Continuation)?
    }

    private let state = Mutex(State())

    var entries: [Entry] { state.withLock { Array($0.entries.values) } }
    var named: [String: Entry] { state.withLock { $0.entries } }
    var acknowledged: Int { state.withLock { $0.acknowledged } }

    /// Returns after `count` answers.
    func reaching(_ count: Int) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        state.withLock { $0.watch = (count, continuation) }
        return stream
    }

    /// An answer that arrived; it must hold from now on.
    func acknowledge(_ name: String, _ change: (inout Entry) -> Void) {
        state.withLock { state in
            Self.change(&state, name, change)
            state.acknowledged += 1
            if let watch = state.watch, state.acknowledged >= watch.count {
                state.watch = nil
                watch.continuation.finish()
            }
        }
    }

    /// A request about to be started.
    func begin(_ name: String, _ entry: Entry) { state.withLock { $0.entries[name] = entry } }

    /// A message about to be sent.
    func note(_ name: String, _ change: (inout Entry) -> Void) {
        state.withLock { Self.change(&$0, name, change) }
    }

    private static func change(_ state: inout State, _ name: String, _ change: (inout Entry) -> Void) {
        guard var entry = state.entries[name] else { return }
        change(&entry)
        state.entries[name] = entry
    }
}
