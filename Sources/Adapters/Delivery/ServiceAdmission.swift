import Synchronization

/// Limits the messages in flight to each service, so that one leaves room for others: to a limit, and to one message at a
/// time after a try without an answer.
final class ServiceAdmission<Service: Hashable & Sendable>: Sendable {
    private struct State {
        var silent: Set<Service> = []
        var inFlight: [Service: Int] = [:]
    }

    /// Silent services remembered. A full set is emptied: devices name the push services, so there may be many.
    private static var remembered: Int { 1000 }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    enum Answer {
        case admitted
        /// The service has to answer first.
        case silent
        /// As many messages as allowed are in flight.
        case full
    }

    func admit(_ service: Service) -> Answer {
        state.withLock { state in
            let count = state.inFlight[service, default: 0]
            guard count == 0 || !state.silent.contains(service) else { return .silent }
            guard count < limit else { return .full }
            state.inFlight[service] = count + 1
            return .admitted
        }
    }

    /// `answered` is nil if nothing was sent.
    func finished(_ service: Service, answered: Bool?) {
        state.withLock { state in
            let count = state.inFlight[service, default: 1] - 1
            state.inFlight[service] = count == 0 ? nil : count
            switch answered {
            case nil: break
            case true?: state.silent.remove(service)
            case false?:
                if state.silent.count >= Self.remembered { state.silent = [] }
                state.silent.insert(service)
            }
        }
    }
}
