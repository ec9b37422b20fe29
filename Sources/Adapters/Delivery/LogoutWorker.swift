public import AuthorizationCore
public import Flows
public import Primitives
import Synchronization

/// Tells clients of the sessions that ended, as the store has them waiting: several at once, so that a client that does
/// not answer delays no other, and again with growing waits until one was told or it is given up.
public final class LogoutWorker: Sendable {
    /// How many are told at once, and of how many sessions one client is.
    static let limit = 64
    static let perClient = 8
    /// How often the store is looked at without anything having been told.
    static let pause = Duration.seconds(1)
    /// The last one is half an hour after the first.
    static let attempts = 10
    static let longestDelay = Duration.seconds(600)

    private let store: any LogoutStore
    private let logout: BackchannelLogout
    private let directory: any DirectorySource
    private let clock: any WallClock
    private let timer: any Timer
    private let report: @Sendable (String) -> Void
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    /// Those that are being told, by their id.
    private let inHand = Mutex<Set<Int64>>([])

    /// `report` gets a line for the log when the store fails.
    public init(
        store: any LogoutStore, logout: BackchannelLogout, directory: any DirectorySource, clock: any WallClock,
        timer: any Timer, report: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.logout = logout
        self.directory = directory
        self.clock = clock
        self.timer = timer
        self.report = report
        (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Works until the task is cancelled.
    public func run() async {
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
                            self.inHand.withLock { _ = $0.remove(due.id) }
                            self.signal.yield()
                        }
                    }
                } catch {
                    report("log-outs to tell of cannot be read: \(error)")
                }
            }
            group.cancelAll()
        }
    }

    /// Those that are due and that nobody has in hand yet, as far as there is room.
    private func take() async throws -> [DueLogout] {
        // As it was before the store is read: what ends meanwhile is among what is read.
        let taken = inHand.withLock { $0 }
        guard taken.count < Self.limit else { return [] }
        let due = try await store.dueLogouts(now: clock.now, perClient: Self.perClient, limit: Self.limit)
        let free = Array(due.filter { !taken.contains($0.id) }.prefix(Self.limit - taken.count))
        inHand.withLock { $0.formUnion(free.map(\.id)) }
        return free
    }

    private func tell(_ due: DueLogout) async {
        let outcome: Outcome
        do {
            if let tenant = directory.current.tenant(id: due.tenant),
                try await logout.tell(due, directory: tenant, now: clock.now)
            {
                outcome = .told
            } else {
                outcome = .unasked
            }
        } catch {
            // The server stops: the next one tells.
            guard !Task.isCancelled else { return }
            outcome = .failed("\(error)")
        }
        do {
            try await settle(due, outcome)
        } catch {
            report("what came of telling a client of a log-out cannot be kept, it will be told again: \(error)")
            try? await timer.sleep(Self.pause)
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
            if attempts < Self.attempts {
                try await store.postponeLogout(
                    due.id, attempts: attempts, dueAt: clock.now + Self.delay(afterAttempts: attempts))
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
