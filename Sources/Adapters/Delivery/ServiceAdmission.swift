import Primitives
import Synchronization

/// Limits messages in flight to a service to one after a try without an answer, until there is an answer, and to none
/// while the service asked for a pause.
final class ServiceAdmission<Service: Hashable & Sendable>: Sendable {
    /// Longest rest of a service. One message then asks again, so that an answer about one message stops the others
    /// for no longer.
    static var longestRest: Duration { .seconds(600) }

    enum Admission: Equatable, Sendable {
        /// The caller reports the outcome of the message.
        case admitted
        /// The service has to answer another message first.
        case silent
        case resting(Duration)
    }

    private struct Rest {
        let since: Timestamp
        let end: Timestamp
    }

    private struct State {
        // Devices name the push services, so there may be many.
        var silent = BoundedTable<Service, Void>(limit: 1000)
        var resting = BoundedTable<Service, Rest>(limit: 1000)
        var inFlight: [Service: Int] = [:]
    }

    private let state = Mutex(State())

    func admit(_ service: Service, now: Timestamp) -> Admission {
        state.withLock { state in
            if let rest = state.resting[service] {
                // Before `since`, the clock was set back.
                guard !(rest.since..<rest.end).contains(now) else { return .resting(rest.end - now) }
                state.resting[service] = nil
            }
            let count = state.inFlight[service, default: 0]
            guard count == 0 || state.silent[service] == nil else { return .silent }
            state.inFlight[service] = count + 1
            return .admitted
        }
    }

    /// `answered` is nil if nothing was sent. `rest` is the pause that the service asked for.
    func finished(_ service: Service, answered: Bool?, rest: Duration? = nil, now: Timestamp) {
        state.withLock { state in
            let count = state.inFlight[service, default: 1] - 1
            state.inFlight[service] = count == 0 ? nil : count
            if let answered { state.silent[service] = answered ? nil : () }
            guard let rest, rest > .zero else { return }
            let end = max(state.resting[service]?.end ?? now, now + min(rest, Self.longestRest))
            state.resting[service] = Rest(since: now, end: end)
            // The first message after the rest is alone.
            state.silent[service] = ()
        }
    }
}
