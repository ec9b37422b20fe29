import AuthorizationCore
import Primitives
import Synchronization

/// A timer that a test advances together with a clock.
package final class ManualTimer: Timer {
    private struct Sleeper {
        let end: Int64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var nextID = 0
        var sleepers: [Int: Sleeper] = [:]
        /// Sleeps that were cancelled before they began.
        var cancelled: Set<Int> = []
        var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())
    private let clock: ManualClock

    package init(_ clock: ManualClock) { self.clock = clock }

    package var uptime: Duration { clock.uptime }

    package func sleep(_ duration: Duration) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let end = (clock.now + duration).milliseconds
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let arrived = state.withLock { state in
                    if state.cancelled.remove(id) != nil || end <= clock.now.milliseconds {
                        continuation.resume(with: Task.isCancelled ? .failure(CancellationError()) : .success(()))
                    } else {
                        state.sleepers[id] = Sleeper(end: end, continuation: continuation)
                    }
                    return Self.takeArrivals(&state)
                }
                for waiter in arrived { waiter.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: id)
                if sleeper == nil { state.cancelled.insert(id) }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Number of sleeping tasks.
    package var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// Returns once at least `count` tasks sleep.
    package func awaitSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let arrived = state.withLock { state in
                state.arrivals.append((count, continuation))
                return Self.takeArrivals(&state)
            }
            for waiter in arrived { waiter.resume() }
        }
    }

    /// Advances the clock and wakes tasks whose sleep ended.
    package func advance(by duration: Duration) {
        clock.advance(by: duration)
        let now = clock.now.milliseconds
        let woken = state.withLock { state in
            let over = state.sleepers.filter { $0.value.end <= now }
            for id in over.keys { state.sleepers[id] = nil }
            return over.sorted { $0.value.end < $1.value.end }.map(\.value)
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    private static func takeArrivals(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        let count = state.sleepers.count
        let met = state.arrivals.filter { $0.count <= count }
        state.arrivals.removeAll { $0.count <= count }
        return met.map(\.continuation)
    }
}
