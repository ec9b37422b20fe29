package import Primitives
import Synchronization

/// A device's accepted proof, as recorded in the audit log.
package struct UsedProof: Sendable, Equatable {
    /// Identifies the device and the proof's `jti`.
    package let mark: String
    package let at: Timestamp

    package init(mark: String, at: Timestamp) {
        self.mark = mark
        self.at = at
    }
}

/// Remembers used proofs for as long as they would be valid. Soft state of one node. After a restart it starts with the
/// proofs of the audit log, which are written before the device gets its answer (docs/decisions/0015).
///
/// Measures elapsed time, so a clock that jumps forward and back loses nothing.
package final class ReplayGuard: Sendable {
    private struct State {
        /// End of each proof, by `uptime`.
        var seen: [String: Duration]
        var sweepAt = 4096
    }

    private let state: Mutex<State>
    private let uptime: @Sendable () -> Duration

    /// `used` are the proofs that may still be valid. `uptime` is the one of `Timer`.
    package init(used: [UsedProof] = [], uptime: @escaping @Sendable () -> Duration) {
        let end = uptime() + FetchConsent.longestProofLife
        state = Mutex(State(seen: Dictionary(used.map { ($0.mark, end) }, uniquingKeysWith: { $1 })))
        self.uptime = uptime
    }

    /// True the first time. `life` is how long the proof stays valid.
    package func firstUse(of mark: String, life: Duration) -> Bool {
        let now = uptime()
        return state.withLock { state in
            if state.seen.count >= state.sweepAt {
                state.seen = state.seen.filter { $0.value > now }
                state.sweepAt = max(4096, state.seen.count * 2)
            }
            if let end = state.seen[mark], end > now { return false }
            state.seen[mark] = now + life
            return true
        }
    }
}
