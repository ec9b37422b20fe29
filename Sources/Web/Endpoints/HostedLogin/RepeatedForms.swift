import AuthorizationCore
import Flows
import HTTPModel
import Primitives
import Synchronization

/// Remembers forms that browsers send twice, by a double click, by reloading or by going back. The browser shows only
/// the last answer, so an error there would hide the first answer. Also remembers ended logins, for browsers that go
/// back to one of their pages.
///
/// Soft state of one node, lost at a restart with no other harm than that error.
final class RepeatedForms: Sendable {
    /// Identifies a form with all its fields or a login, with its browser and page.
    typealias Key = [UInt8]

    /// Outcome of a form that works once.
    enum Outcome: Sendable {
        /// The end of a login. `sender` identifies the cookies of the request that led to it.
        case answer(RepeatableAnswer, sender: Key)
        /// The work of a link is done. The closure shows that.
        case done(@Sendable (PageRequest) -> Response)
    }

    private struct Turn: Sendable {
        let number: UInt64
        /// Requests that wait or run.
        var count: Int
        let end: Task<Void, Never>
    }

    private struct State {
        /// The last request of each login that takes turns.
        var turns: [Key: Turn] = [:]
        var lastTurn: UInt64 = 0
        var running: [Key: Task<Response, Never>] = [:]
        var answered: [Key: (outcome: Outcome, end: Timestamp)] = [:]
        var nextSweep = Timestamp(milliseconds: 0)
    }

    /// Maximum of each kind. Forms beyond it are answered as if there were no others.
    private static let limit = 8_192
    /// Maximum requests of one login that take turns.
    private static let turnLimit = 32
    /// Time between two sweeps of expired outcomes, which hold secrets.
    private static let pause = Duration.seconds(10)

    private let state = Mutex(State())

    /// Answers a form. A repetition during processing gets the same answer. The browser closes the first connection
    /// then, which ends nothing here.
    func answer(_ key: Key, _ body: @escaping @Sendable () async -> Response) async -> Response {
        let task = state.withLock { state -> Task<Response, Never>? in
            if let running = state.running[key] { return running }
            guard state.running.count < Self.limit else { return nil }
            let task = Task {
                defer { self.state.withLock { $0.running[key] = nil } }
                return await body()
            }
            state.running[key] = task
            return task
        }
        guard let task else { return await body() }
        return await task.value
    }

    /// Runs the requests of one login one after the other on this node, if there are few. The browser may leave meanwhile.
    func inTurn<Result: Sendable>(
        _ key: Key, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = state.withLock { state -> Task<Result, any Error>? in
            let before = state.turns[key]
            guard before.map({ $0.count < Self.turnLimit }) ?? (state.turns.count < Self.limit) else { return nil }
            state.lastTurn += 1
            let number = state.lastTurn
            let task = Task {
                await before?.end.value
                defer { self.endTurn(key, number) }
                return try await body()
            }
            state.turns[key] = Turn(
                number: number, count: (before?.count ?? 0) + 1, end: Task { _ = await task.result })
            return task
        }
        guard let task else { return try await body() }
        return try await task.value
    }

    private func endTurn(_ key: Key, _ number: UInt64) {
        state.withLock { state in
            guard let last = state.turns[key] else { return }
            if last.number == number { state.turns[key] = nil } else { state.turns[key]?.count -= 1 }
        }
    }

    /// Remembers the outcome of a form or a login, for as long as a code lives.
    func remember(_ key: Key, _ outcome: Outcome, now: Timestamp) {
        state.withLock { state in
            if now >= state.nextSweep {
                state.answered = state.answered.filter { $0.value.end > now }
                state.nextSweep = now + Self.pause
            }
            guard state.answered.count < Self.limit else { return }
            state.answered[key] = (outcome, now + .seconds(AuthorizationCode.lifetime))
        }
    }

    /// The outcome of the same form or login a moment ago. Nil if there is none.
    func earlier(_ key: Key, now: Timestamp) -> Outcome? {
        state.withLock { state in state.answered[key].flatMap { $0.end > now ? $0.outcome : nil } }
    }
}
