import AuthorizationCore
import Synchronization

/// Announces a decision on this node and to the others: the cache forgets the request, and held token requests and browsers
/// wake. A waiter subscribes, reads the store once more, and only then waits, so that it misses no decision of this node.
package final class DecisionHub: Sendable {
    private struct State {
        var subscriptions: [AuthReqIDHash: [Subscription]] = [:]
        var isReleased = false
    }
    private let state = Mutex(State())

    package let cache: PendingRequestCache
    private let link: any NodeLink

    package init(cache: PendingRequestCache? = nil, link: any NodeLink = NoOtherNodes()) {
        self.cache = cache ?? PendingRequestCache(besideOthers: link.hasOthers)
        self.link = link
    }

    /// Number of held requests.
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

    /// Ends every present and later hold. Held requests are answered with their present state. Called by a server that
    /// stops, because clients reconnect to the next one.
    package func release() {
        let held = state.withLock { state in
            state.isReleased = true
            return state.subscriptions.values.flatMap(\.self)
        }
        for subscription in held { subscription.wake() }
    }

    /// True once the server stops.
    package var isReleased: Bool { state.withLock(\.isReleased) }

    /// Call this after the decision is committed.
    package func decided(_ hash: AuthReqIDHash) {
        heard(hash)
        link.announce(.ended(hash))
    }

    /// Requests for which somebody waits.
    var held: [AuthReqIDHash] { state.withLock { Array($0.subscriptions.keys) } }

    /// A decision of another node.
    func heard(_ hash: AuthReqIDHash) {
        cache.ended(hash)
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

        /// Ends the present wait, or the next one.
        func wake() {
            let continuation = state.withLock { state in
                defer { state = .woken }
                if case .waiting(let continuation) = state { return Optional(continuation) }
                return nil
            }
            continuation?.resume()
        }

        /// Returns when woken, after `duration`, or when the task is cancelled.
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
