import Synchronization

/// Settlements of one track that wait while others are settled, and are settled together next.
///
/// Each caller waits until its own is settled. One of them at a time settles for all that wait.
final class SettlementGroup: Sendable {
    private typealias Waiting = (settlement: DeliverySettlement, caller: CheckedContinuation<Bool, Never>?)

    private struct State {
        var waiting: [Waiting] = []
        var isSettling = false
    }

    private let state = Mutex(State())

    /// Settlements whose turn has not come.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Returns once `settle` was called with the settlement, perhaps by another caller.
    func settle(
        _ settlement: DeliverySettlement, by settle: ([DeliverySettlement]) async -> Void
    ) async {
        let isTurn = await withCheckedContinuation { caller in
            let isTurn = state.withLock { state in
                state.waiting.append((settlement, state.isSettling ? caller : nil))
                defer { state.isSettling = true }
                return !state.isSettling
            }
            if isTurn { caller.resume(returning: true) }
        }
        guard isTurn else { return }
        let taken = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        await settle(taken.map(\.settlement))
        // The next turn is that of one who came meanwhile, so that none works for others for long.
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isSettling = false
                return nil as CheckedContinuation<Bool, Never>?
            }
            defer { state.waiting[0].caller = nil }
            return state.waiting[0].caller
        }
        next?.resume(returning: true)
        for (_, caller) in taken { caller?.resume(returning: false) }
    }
}
