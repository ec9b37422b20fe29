package import Primitives
import Synchronization

/// Stops using credentials that a service refused, for a time that grows with each refusal. One message then tests
/// them. Changed credentials are others, and are used at once.
package final class CredentialBreaker<Credentials: Hashable & Sendable>: Sendable {
    package enum Admission: Equatable, Sendable {
        case usual
        case probe
        /// The credentials are not used now.
        case resting(reason: String)
        /// A probe is on its way.
        case waiting(reason: String)
    }

    package enum Finding: Sendable {
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

    private let states = Mutex(BoundedTable<Credentials, State>(limit: 1000))

    package init() {}

    /// The caller reports the outcome of a message that is admitted.
    package func admit(_ credentials: Credentials, now: Timestamp) -> Admission {
        states.withLock { states in
            guard let state = states[credentials] else { return .usual }
            if state.isProbed { return .waiting(reason: state.reason) }
            // Before `since`, the clock was set back.
            guard !(state.since..<state.end).contains(now) else { return .resting(reason: state.reason) }
            states[credentials]?.isProbed = true
            return .probe
        }
    }

    /// Messages that were in flight when the credentials began to rest change nothing: their refusals are the same
    /// fault.
    package func report(
        _ finding: Finding, of credentials: Credentials, admittedAs admission: Admission, now: Timestamp
    ) {
        states.withLock { states in
            guard admission == .probe || states[credentials] == nil else { return }
            switch finding {
            case .accepted: states[credentials] = nil
            case .nothing: states[credentials]?.isProbed = false
            case .refused(let reason):
                let faults = (states[credentials]?.faults ?? 0) + 1
                // 60, 120, 240 and then 300 seconds.
                let wait = min(Duration.seconds(60) * (1 << min(faults - 1, 3)), .seconds(300))
                states[credentials] = State(faults: faults, reason: reason, since: now, end: now + wait)
            }
        }
    }
}
