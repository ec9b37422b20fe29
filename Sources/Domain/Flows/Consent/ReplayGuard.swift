import Primitives
import Synchronization

/// Remembers which proofs were used, for as long as they would be valid. It is soft state of one node: a proof also
/// needs the device's key and its transaction token, and gives nothing but what its owner may read.
public final class ReplayGuard: Sendable {
    private struct State {
        var seen: [String: Timestamp] = [:]
        var sweepAt = 4096
    }

    private let state = Mutex(State())

    public init() {}

    /// True the first time. `identifier` may be of any length; long ones are refused as seen.
    func firstUse(of identifier: String, until end: Timestamp, now: Timestamp) -> Bool {
        guard identifier.utf8.count <= 256 else { return false }
        return state.withLock { state in
            if state.seen.count >= state.sweepAt {
                state.seen = state.seen.filter { $0.value > now }
                state.sweepAt = max(4096, state.seen.count * 2)
            }
            return state.seen.updateValue(end, forKey: identifier).map { $0 <= now } ?? true
        }
    }
}
