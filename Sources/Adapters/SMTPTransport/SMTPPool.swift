import Flows
import Primitives
import Synchronization
import Threads

/// Connections kept for the next mail to the same account, and logins that rest.
package final class SMTPPool: Sendable {
    private struct Idle {
        let account: SMTPAccount
        let connection: SMTPConnection
        let since: ContinuousClock.Instant
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
        Self.end(state.withLock { $0.idle.map(\.connection) })
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
            case .failed(_, refusesLogin: true, _):
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
        _ task: SMTPExchange.Task, _ configuration: SMTPTransport.Configuration, until cancellation: SMTPCancellation
    ) -> SMTPExchange.Outcome {
        let exchange = SMTPExchange(task, configuration, until: cancellation)
        var outcome = SMTPExchange.Outcome.stale
        while case .stale = outcome, let kept = take(configuration.account) { outcome = exchange.run(onKept: kept) }
        if case .stale = outcome { outcome = exchange.run() }
        switch outcome {
        case .done(let connection): keep(connection, configuration.account)
        // After a refusal the server is within a transaction.
        case .failed(_, _, let connection?): Self.end([connection])
        case .failed, .stale: break
        }
        return outcome
    }

    // MARK: connections

    private func take(_ account: SMTPAccount) -> SMTPConnection? {
        let oldest = ContinuousClock.now - lifetime
        return state.withLock { state in
            guard let index = state.idle.lastIndex(where: { $0.since > oldest && $0.account == account }) else {
                return nil
            }
            return state.idle.remove(at: index).connection
        }
    }

    private func keep(_ connection: SMTPConnection, _ account: SMTPAccount) {
        let (ended, startsSweep) = state.withLock { state in
            state.idle.append(Idle(account: account, connection: connection, since: .now))
            let ended = state.idle.count > limit ? [state.idle.removeFirst().connection] : []
            defer { state.isSweeping = true }
            return (ended, !state.isSweeping)
        }
        Self.end(ended)
        if startsSweep { sweep() }
    }

    /// Says QUIT on a thread of its own, so that no mail waits for it. Without a thread, the connections are cut.
    private static func end(_ connections: [SMTPConnection]) {
        guard !connections.isEmpty else { return }
        try? SystemThread.detach { for connection in connections { connection.end() } }
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
            let ended = state.idle.filter { $0.since <= oldest }.map(\.connection)
            state.idle.removeAll { $0.since <= oldest }
            state.isSweeping = !state.idle.isEmpty
            return (ended, state.idle.isEmpty)
        }
        Self.end(ended)
        return !isLast
    }
}
