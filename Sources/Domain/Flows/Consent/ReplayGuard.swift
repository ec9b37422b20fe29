public import Primitives
import Synchronization

/// A device's proof that was accepted, as the audit log has it.
public struct UsedProof: Sendable, Equatable {
    /// Stands for the device and the proof's `jti`.
    public let mark: String
    public let at: Timestamp

    public init(mark: String, at: Timestamp) {
        self.mark = mark
        self.at = at
    }
}

/// Remembers which proofs were used, for as long as they would be valid. It is soft state of one node, which begins
/// with what was accepted before a restart: the audit log has the mark of each proof in the entry that is written
/// anyway before the device gets its answer (docs/decisions/0015).
public final class ReplayGuard: Sendable {
    private struct State {
        var seen: [String: Timestamp]
        var sweepAt = 4096
    }

    private let state: Mutex<State>

    /// `used` are those that may still be valid: `FetchConsent.longestProofLife` ago or later.
    public init(used: [UsedProof] = []) {
        let seen = used.map { ($0.mark, $0.at + FetchConsent.longestProofLife) }
        state = Mutex(State(seen: Dictionary(seen) { max($0, $1) }))
    }

    /// True the first time.
    func firstUse(of mark: String, until end: Timestamp, now: Timestamp) -> Bool {
        state.withLock { state in
            if state.seen.count >= state.sweepAt {
                state.seen = state.seen.filter { $0.value > now }
                state.sweepAt = max(4096, state.seen.count * 2)
            }
            return state.seen.updateValue(end, forKey: mark).map { $0 <= now } ?? true
        }
    }
}
