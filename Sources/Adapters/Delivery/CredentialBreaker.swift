import AuthorizationCore
import Primitives
import Synchronization

/// Stops using credentials that a push service refused, for a time that grows with each refusal. One message then tests
/// them. Changed credentials have another stamp and are used at once.
final class CredentialBreaker: Sendable {
    static let firstWait = Duration.seconds(60)
    static let longestWait = Duration.seconds(300)

    enum Admission: Equatable {
        case usual
        case probe
        /// The credentials are not used now.
        case resting(reason: String)
        /// A probe is on its way.
        case waiting(reason: String)
    }

    enum Finding {
        case accepted
        case refused(reason: String)
        /// The service did not answer, or its answer tells nothing of the credentials.
        case nothing
    }

    private struct State {
        let faults: Int
        let reason: String
        let since: Timestamp
        let end: Timestamp
        var isProbed = false
    }

    private let states = Mutex(BoundedTable<CredentialStamp, State>(limit: 1000))

    /// The caller reports the outcome of a message that is admitted.
    func admit(_ stamp: CredentialStamp, now: Timestamp) -> Admission {
        states.withLock { states in
            guard let state = states[stamp] else { return .usual }
            if state.isProbed { return .waiting(reason: state.reason) }
            // Before `since`, the clock was set back.
            guard !(state.since..<state.end).contains(now) else { return .resting(reason: state.reason) }
            states[stamp]?.isProbed = true
            return .probe
        }
    }

    /// Messages that were in flight when the credentials began to rest change nothing: their refusals are the same
    /// fault.
    func report(_ finding: Finding, of stamp: CredentialStamp, admittedAs admission: Admission, now: Timestamp) {
        states.withLock { states in
            guard admission == .probe || states[stamp] == nil else { return }
            switch finding {
            case .accepted: states[stamp] = nil
            case .nothing: states[stamp]?.isProbed = false
            case .refused(let reason):
                let faults = (states[stamp]?.faults ?? 0) + 1
                let wait = min(Self.firstWait * (1 << min(faults - 1, 3)), Self.longestWait)
                states[stamp] = State(faults: faults, reason: reason, since: now, end: now + wait)
            }
        }
    }
}
