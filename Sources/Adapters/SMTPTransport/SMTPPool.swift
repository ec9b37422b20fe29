import Flows
import Synchronization
import Threads

/// Connections kept for the next mail to the same server with the same account.
package final class SMTPPool: Sendable {
    private struct Idle {
        let configuration: SMTPTransport.Configuration
        let connection: SMTPConnection
        let since: ContinuousClock.Instant
    }

    private struct State {
        var idle: [Idle] = []
        var isSweeping = false
    }

    private let state = Mutex(State())
    private let limit: Int
    private let lifetime: Duration

    /// Keeps at most `limit` connections, each for `lifetime` after its last mail. Servers end idle ones after minutes.
    package init(limit: Int = 16, lifetime: Duration = .seconds(30)) {
        self.limit = limit
        self.lifetime = lifetime
    }

    func run(
        _ task: SMTPTask, _ configuration: SMTPTransport.Configuration, until cancellation: SMTPCancellation
    ) -> Result<Void, MailFailure> {
        var kept = take(configuration)
        while true {
            guard let connection = kept ?? SMTPConnection() else {
                return .failure(.failed("libcurl cannot start"))
            }
            switch SMTPExchange.run(task, configuration, on: connection, isKept: kept != nil, until: cancellation) {
            case .done:
                keep(connection, configuration)
                return .success(())
            // After a refusal, the server is within a transaction. The connection ends with its handle.
            case .failed(let failure): return .failure(failure)
            case .stale: kept = nil
            }
        }
    }

    private func take(_ configuration: SMTPTransport.Configuration) -> SMTPConnection? {
        let oldest = ContinuousClock.now - lifetime
        return state.withLock { state in
            guard
                let index = state.idle.lastIndex(where: {
                    $0.since > oldest && $0.configuration.hasSameServer(as: configuration)
                })
            else { return nil }
            return state.idle.remove(at: index).connection
        }
    }

    private func keep(_ connection: SMTPConnection, _ configuration: SMTPTransport.Configuration) {
        // Ended outside of the lock, since that may block.
        let (ended, startsSweep) = state.withLock { state -> (Idle?, Bool) in
            state.idle.append(Idle(configuration: configuration, connection: connection, since: .now))
            let ended = state.idle.count > limit ? state.idle.removeFirst() : nil
            defer { state.isSweeping = true }
            return (ended, !state.isSweeping)
        }
        _ = ended
        if startsSweep { sweep() }
    }

    /// Ends connections that nobody used for their lifetime, until none is left.
    private func sweep() {
        Task { [weak self, lifetime] in
            while true {
                try? await Task.sleep(for: lifetime)
                guard let self else { return }
                let oldest = ContinuousClock.now - lifetime
                let (ended, isLast) = self.state.withLock { state in
                    let ended = state.idle.filter { $0.since <= oldest }
                    state.idle.removeAll { $0.since <= oldest }
                    state.isSweeping = !state.idle.isEmpty
                    return (ended, state.idle.isEmpty)
                }
                // Says QUIT on a thread of its own.
                try? SystemThread.detach { withExtendedLifetime(ended) {} }
                if isLast { return }
            }
        }
    }
}
