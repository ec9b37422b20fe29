import AuthorizationCore
import Flows
import HTTPModel
import Primitives
import Synchronization

/// Forms that browsers send twice: by a double click, by reloading, or by going back and sending the page again. The
/// browser shows what the last of them leads to and drops the rest, so an error there would lose the answer.
///
/// Soft state of one node, lost at a restart with no other harm than that error.
final class RepeatedForms: Sendable {
    /// Stands for a form with all its fields, the browser that sent it and the page it went to.
    typealias Key = [UInt8]

    private struct State {
        var running: [Key: Task<Response, Never>] = [:]
        var answered: [Key: (answer: AuthorizationAnswer, end: Timestamp)] = [:]
    }

    private let state = Mutex(State())

    /// Answers a form. One that comes while the same is being answered gets that answer. A browser that sends a form
    /// again leaves the connection of the first, which ends nothing here.
    func answer(_ key: Key, _ body: @escaping @Sendable () async -> Response) async -> Response {
        let task = state.withLock { state in
            if let running = state.running[key] { return running }
            let task = Task {
                defer { self.state.withLock { $0.running[key] = nil } }
                return await body()
            }
            state.running[key] = task
            return task
        }
        return await task.value
    }

    /// Remembers that a form ended its log-in, for as long as the code lives.
    func remember(_ key: Key, _ answer: AuthorizationAnswer, now: Timestamp) {
        state.withLock { state in
            // A log-in costs far more, and what is over holds secrets for nothing.
            state.answered = state.answered.filter { $0.value.end > now }
            state.answered[key] = (answer, now + .seconds(AuthorizationCode.lifetime))
        }
    }

    /// What the same form led to a moment ago; nil where it did not end its log-in.
    func earlier(_ key: Key, now: Timestamp) -> AuthorizationAnswer? {
        state.withLock { state in state.answered[key].flatMap { $0.end > now ? $0.answer : nil } }
    }
}
