import Primitives
import Synchronization

/// Limits messages in flight to a service to one after a try without an answer, until there is an answer.
final class ServiceAdmission<Service: Hashable & Sendable>: Sendable {
    private struct State {
        /// Devices name the push services, so there may be many.
        var silent = BoundedTable<Service, Void>(limit: 1000)
        var inFlight: [Service: Int] = [:]
    }

    private let state = Mutex(State())

    /// False if the service has to answer first. The caller reports the outcome of a message that is admitted.
    func admit(_ service: Service) -> Bool {
        state.withLock { state in
            let count = state.inFlight[service, default: 0]
            guard count == 0 || state.silent[service] == nil else { return false }
            state.inFlight[service] = count + 1
            return true
        }
    }

    /// `answered` is nil if nothing was sent.
    func finished(_ service: Service, answered: Bool?) {
        state.withLock { state in
            let count = state.inFlight[service, default: 1] - 1
            state.inFlight[service] = count == 0 ? nil : count
            if let answered { state.silent[service] = answered ? nil : () }
        }
    }
}
