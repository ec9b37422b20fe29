import Audit
package import AuthorizationCore
package import Flows
package import Primitives
import Synchronization

/// Tells clients of the sessions that ended, as the store has them waiting: several at once, so that a client that does
/// not answer delays no other, and again with growing waits until one was told or it is given up.
package final class LogoutWorker: Sendable {
    /// How many are told at once, and of how many sessions one client is; one that could not be told of the last one
    /// is told of one at a time, so that those who are down leave room for the others.
    static let limit = 64
    static let perClient = 8
    /// How many are read at a time: more than are told, since many may be of clients that have to wait.
    static let batch = 1024
    /// How often the store is looked at without anything having been told.
    static let pause = Duration.seconds(1)
    static let attempts = 10
    static let longestDelay = Duration.seconds(600)
    /// From a failure of the store until what could not be kept is told again.
    static let storePause = Duration.seconds(60)

    private let store: any LogoutStore
    private let logout: BackchannelLogout
    private let configuration: any ConfigurationSource
    private let clock: any WallClock
    private let timer: any Timer
    private let report: @Sendable (String) -> Void
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let state = Mutex(State())

    private struct Receiver: Hashable {
        let tenant: TenantID
        let client: ClientID

        init(_ due: DueLogout) { (tenant, client) = (due.tenant, due.client) }
    }

    private struct State {
        /// Those that are being told, by their id.
        var inHand: Set<Int64> = []
        /// How many each is being told.
        var counts: [Receiver: Int] = [:]
        /// Those that could not be told of the last one.
        var failing: Set<Receiver> = []

        func room(for receiver: Receiver) -> Int {
            (failing.contains(receiver) ? 1 : LogoutWorker.perClient) - counts[receiver, default: 0]
        }

        mutating func take(_ due: DueLogout) -> Bool {
            let receiver = Receiver(due)
            guard inHand.count < LogoutWorker.limit, room(for: receiver) > 0, inHand.insert(due.id).inserted else {
                return false
            }
            counts[receiver, default: 0] += 1
            return true
        }

        /// Returns whether there is room again for so many that the store is worth a look.
        mutating func giveBack(_ due: DueLogout) -> Bool {
            let receiver = Receiver(due)
            inHand.remove(due.id)
            let count = counts[receiver, default: 1] - 1
            counts[receiver] = count == 0 ? nil : count
            return count <= LogoutWorker.perClient / 2
        }
    }

    /// `report` gets a line for the operator's log when the store fails or a client cannot be told.
    package init(
        store: any LogoutStore, logout: BackchannelLogout, configuration: any ConfigurationSource, clock: any WallClock,
        timer: any Timer, report: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.logout = logout
        self.configuration = configuration
        self.clock = clock
        self.timer = timer
        self.report = report
        (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Works until the task is cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [timer, signal] in
                while !Task.isCancelled {
                    signal.yield()
                    try? await timer.sleep(Self.pause)
                }
            }
            for await _ in signals {
                if Task.isCancelled { break }
                do {
                    for due in try await take() {
                        group.addTask {
                            await self.tell(due)
                            if self.state.withLock({ $0.giveBack(due) }) { self.signal.yield() }
                        }
                    }
                } catch {
                    report("logouts to tell of cannot be read: \(error)")
                }
            }
            group.cancelAll()
        }
    }

    /// Those that are due and that nobody has in hand yet, as far as there is room.
    private func take() async throws -> [DueLogout] {
        // As it was before the store is read: what ends meanwhile is among what is read.
        let taken = state.withLock { $0.inHand }
        guard taken.count < Self.limit else { return [] }
        let due = try await store.dueLogouts(now: clock.now, perClient: Self.perClient, limit: Self.batch)
        return state.withLock { state in due.filter { !taken.contains($0.id) && state.take($0) } }
    }

    private func tell(_ due: DueLogout) async {
        let outcome: Outcome
        do {
            if due.endedAt + DueLogout.life < clock.now {
                outcome = .failed(DueLogout.reasonForLateness(lastTry: due.reason))
            } else if let tenant = configuration.current.tenant(id: due.tenant, host: due.host),
                try await logout.tell(due, configuration: tenant, now: clock.now)
            {
                outcome = .told
            } else {
                outcome = .unasked
            }
        } catch {
            // The server stops: the next one tells.
            guard !Task.isCancelled else { return }
            let failure = error as? LogoutNotSent
            report(
                "the client \(due.client) of \(due.tenant) was not told of a logout: \(failure?.detail ?? "\(error)")")
            outcome = .failed(failure?.reason ?? "this server failed")
        }
        state.withLock { state in
            switch outcome {
            case .told, .unasked: state.failing.remove(Receiver(due))
            case .failed: state.failing.insert(Receiver(due))
            }
        }
        do {
            try await settle(due, outcome)
        } catch {
            report("what came of telling a client of a logout cannot be kept, it will be told again: \(error)")
            try? await timer.sleep(Self.storePause)
        }
    }

    private enum Outcome {
        case told
        /// The client does not ask to be told, or is gone.
        case unasked
        case failed(String)
    }

    private func settle(_ due: DueLogout, _ outcome: Outcome) async throws {
        func event(_ kind: AuditEvent.Kind, _ reason: String? = nil) -> AuditEvent {
            var details: JSONObject = ["sid": .string(due.session.rawValue)]
            if let reason { details["reason"] = .string(reason) }
            return AuditEvent(
                kind, tenant: due.tenant, at: clock.now, user: due.user, client: due.client, details: details)
        }
        switch outcome {
        case .told: try await store.removeLogout(due.id, event: event(.backchannelLogoutSent))
        case .unasked: try await store.removeLogout(due.id, event: nil)
        case .failed(let reason):
            let attempts = due.attempts + 1
            if attempts < Self.attempts, clock.now < due.endedAt + DueLogout.life {
                try await store.postponeLogout(
                    due.id, attempts: attempts, dueAt: clock.now + Self.delay(afterAttempts: attempts),
                    reason: String(reason.prefix(200)))
            } else {
                try await store.removeLogout(due.id, event: event(.backchannelLogoutFailed, reason))
            }
        }
    }

    /// 5, 10, 20, … seconds, ten minutes at most.
    static func delay(afterAttempts attempts: Int) -> Duration {
        min(.seconds(5 << min(attempts - 1, 10)), longestDelay)
    }
}
