import Synchronization

/// Spreads the word of a decision on this node: what is remembered of the request is forgotten, and whoever is held for it
/// wakes: token requests, and browsers that wait for a phone. A waiter subscribes, looks at the store once more, and only then waits, so that no
/// decision falls between.
package final class DecisionHub: Sendable {
    private struct State {
        var subscriptions: [AuthReqIDHash: [Subscription]] = [:]
        var isReleased = false
    }
    private let state = Mutex(State())

    private let pace: PollPace

    package init(pace: PollPace) { self.pace = pace }

    /// How many requests are held.
    package var waiting: Int { state.withLock { $0.subscriptions.values.reduce(0) { $0 + $1.count } } }

    func subscribe(_ hash: AuthReqIDHash) -> Subscription {
        let subscription = Subscription()
        let isReleased = state.withLock { state in
            state.subscriptions[hash, default: []].append(subscription)
            return state.isReleased
        }
        if isReleased { subscription.wake() }
        return subscription
    }

    func unsubscribe(_ subscription: Subscription, from hash: AuthReqIDHash) {
        state.withLock { state in
            state.subscriptions[hash]?.removeAll { $0 === subscription }
            if state.subscriptions[hash]?.isEmpty == true { state.subscriptions[hash] = nil }
        }
    }

    /// Holds nothing from now on: what is held is answered as things stand. For a server that stops, whose clients come
    /// back to the next.
    package func release() {
        let held = state.withLock { state in
            state.isReleased = true
            return state.subscriptions.values.flatMap(\.self)
        }
        for subscription in held { subscription.wake() }
    }

    var isReleased: Bool { state.withLock(\.isReleased) }

    /// Tells that this request was decided, and that the decision is committed.
    package func decided(_ hash: AuthReqIDHash) {
        pace.forget(hash)
        let woken = state.withLock { $0.subscriptions[hash] ?? [] }
        for subscription in woken { subscription.wake() }
    }

    /// One waiter.
    final class Subscription: Sendable {
        private enum State {
            case idle
            case waiting(CheckedContinuation<Void, Never>)
            case woken
        }

        private let state = Mutex(State.idle)

        /// Ends the wait, now or the one that comes.
        func wake() {
            let continuation = state.withLock { state in
                defer { state = .woken }
                if case .waiting(let continuation) = state { return Optional(continuation) }
                return nil
            }
            continuation?.resume()
        }

        /// Returns when woken, when `timer` is over, or when the task is cancelled.
        func wait(_ duration: Duration, timer: any Timer) async {
            let alarm = Task {
                try? await timer.sleep(duration)
                wake()
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let already = state.withLock { state in
                        if case .woken = state { return true }
                        state = .waiting(continuation)
                        return false
                    }
                    if already { continuation.resume() }
                }
            } onCancel: {
                wake()
            }
            alarm.cancel()
        }
    }
}

/// Lets time pass; tests move it by hand.
package protocol Timer: Sendable {
    /// Throws `CancellationError` when the task is cancelled.
    func sleep(_ duration: Duration) async throws

    /// Counts the time that passes, from some moment on. Nobody sets it, as people set clocks.
    var uptime: Duration { get }
}
