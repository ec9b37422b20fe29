import Flows
import Primitives
import Synchronization
import Threads

/// Connections kept for the next mail to the same account, and logins that rest.
package final class SMTPPool: Sendable {
    private struct Idle {
        let configuration: SMTPTransport.Configuration
        let connection: SMTPConnection
        let since: ContinuousClock.Instant
    }

    /// Sole owner of connections to end.
    private final class Parting: Sendable {
        private let idle: Mutex<[Idle]>

        init(_ idle: [Idle]) { self.idle = Mutex(idle) }

        func take() -> [Idle] {
            idle.withLock { idle in
                defer { idle = [] }
                return idle
            }
        }

        /// Says QUIT. May block.
        func run() {
            for idle in take() {
                _ = SMTPExchange.run(
                    .end, idle.configuration, on: idle.connection, isKept: true, until: SMTPCancellation())
            }
        }
    }

    private struct State {
        var idle: [Idle] = []
        var isSweeping = false
    }

    private let state = Mutex(State())
    /// Servers block clients that try a wrong password again and again.
    private let logins = CredentialBreaker<SMTPAccount>()
    private let limit: Int
    private let lifetime: Duration

    /// Keeps at most `limit` connections, each for `lifetime` after its last mail. Servers end idle ones after minutes.
    package init(limit: Int = 16, lifetime: Duration = .seconds(30)) {
        self.limit = limit
        self.lifetime = lifetime
    }

    deinit {
        let parting = state.withLock { state in
            defer { state.idle = [] }
            return Parting(state.idle)
        }
        try? SystemThread.detach { parting.run() }
    }

    /// May block.
    func send(
        _ message: [UInt8], to recipient: MailAddress, _ configuration: SMTPTransport.Configuration,
        until cancellation: SMTPCancellation, now: Timestamp
    ) -> Result<Void, MailFailure> {
        let account = configuration.account
        let admission = logins.admit(account, now: now)
        switch admission {
        case .usual, .probe: break
        case .resting(let reason), .waiting(let reason): return .failure(.resting(reason))
        }
        let outcome = exchange(.send(message, to: recipient), configuration, until: cancellation)
        let finding: CredentialBreaker<SMTPAccount>.Finding =
            switch outcome {
            case .done: .accepted
            case .failed(_, refusesLogin: true):
                .refused(reason: "the server refused the login a moment ago; it is tested again in a while")
            case .failed, .stale: .nothing
            }
        logins.report(finding, of: account, admittedAs: admission, now: now)
        return outcome.result
    }

    /// Tries logins that rest, too: an operator wants to know. May block.
    func check(
        _ configuration: SMTPTransport.Configuration, until cancellation: SMTPCancellation
    ) -> Result<Void, MailFailure> {
        exchange(.check, configuration, until: cancellation).result
    }

    private func exchange(
        _ task: SMTPTask, _ configuration: SMTPTransport.Configuration, until cancellation: SMTPCancellation
    ) -> SMTPExchange.Outcome {
        var kept = take(configuration)
        while true {
            guard let connection = kept ?? SMTPConnection() else {
                return .failed(.failed("libcurl cannot start"))
            }
            let outcome = SMTPExchange.run(
                task, configuration, on: connection, isKept: kept != nil, until: cancellation)
            switch outcome {
            case .done: keep(connection, configuration)
            // libcurl ended the connection, since after a refusal the server is within a transaction.
            case .failed: break
            case .stale:
                kept = nil
                continue
            }
            return outcome
        }
    }

    // MARK: connections

    private func take(_ configuration: SMTPTransport.Configuration) -> SMTPConnection? {
        let oldest = ContinuousClock.now - lifetime
        return state.withLock { state in
            guard
                let index = state.idle.lastIndex(where: {
                    $0.since > oldest && $0.configuration.account == configuration.account
                })
            else { return nil }
            return state.idle.remove(at: index).connection
        }
    }

    private func keep(_ connection: SMTPConnection, _ configuration: SMTPTransport.Configuration) {
        let (ended, startsSweep) = state.withLock { state -> (Parting?, Bool) in
            state.idle.append(Idle(configuration: configuration, connection: connection, since: .now))
            let ended = state.idle.count > limit ? Parting([state.idle.removeFirst()]) : nil
            defer { state.isSweeping = true }
            return (ended, !state.isSweeping)
        }
        if let ended { end(ended) }
        if startsSweep { sweep() }
    }

    /// Ends connections on a thread of their own, so that no mail waits for it. Without a thread, they stay.
    private func end(_ ended: Parting) {
        do throws(SystemThread.Failure) {
            try SystemThread.detach { ended.run() }
        } catch {
            state.withLock { $0.idle += ended.take() }
        }
    }

    /// Ends connections that were idle for `lifetime`, until none is left.
    private func sweep() {
        Task { [weak self, lifetime] in
            while true {
                try? await Task.sleep(for: lifetime)
                guard let self, self.endIdle() else { return }
            }
        }
    }

    /// False if no connection is left.
    private func endIdle() -> Bool {
        let oldest = ContinuousClock.now - lifetime
        let (ended, isLast) = state.withLock { state in
            let ended = Parting(state.idle.filter { $0.since <= oldest })
            state.idle.removeAll { $0.since <= oldest }
            state.isSweeping = !state.idle.isEmpty
            return (ended, state.idle.isEmpty)
        }
        end(ended)
        return !isLast
    }
}
