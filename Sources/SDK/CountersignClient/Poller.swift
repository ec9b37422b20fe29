import PlatformFoundation
import Primitives

/// The pace of polling. Earlier responses decide when the next request may be sent.
struct Poller: Sendable {
    /// If a request expires before the next poll, a last poll is sent this long before its end, unless the server's
    /// pace forbids it. Servers accept polls that are up to this early.
    private static let lastChance: Duration = .seconds(1)
    private static let longestBackoff: Duration = .seconds(60)
    /// Minimum time to fetch the keys for an answer that has arrived, even after its request's end.
    private static let verification: Duration = .seconds(120)

    private let client: CountersignClient
    private let pending: PendingAuthorization
    private let longPoll: Duration?
    private var deadline: Timestamp
    private var interval: Duration
    private var nextPoll: Timestamp
    /// Earliest time for the next poll at the server's pace. Not later than `nextPoll`.
    private var earliest: Timestamp
    private var failures = 0
    private var lastFailure: CountersignError?
    private var hadLastChance = false
    /// The server's token response, kept while it cannot be verified because the keys are missing.
    private var redeemed: CountersignClient.Redeemed?
    private var isOver = false

    /// The first poll waits one interval, since people need time to answer. A long poll is sent at once.
    init(_ client: CountersignClient, _ pending: PendingAuthorization, longPoll: Duration?) {
        self.client = client
        self.pending = pending
        // RFC 7240 clause 4.3: whole seconds, at least one.
        self.longPoll = longPoll.map { .seconds(max($0.components.seconds, 1)) }
        deadline = Timestamp(pending.expiresAt)
        interval = pending.pause
        let now = client.environment.clock.now
        nextPoll = longPoll == nil ? now + interval : now
        earliest = nextPoll
    }

    /// Waits until a poll is due and sends it. Nil means that the sequence has ended.
    mutating func next() async throws(CountersignError) -> AuthorizationState? {
        guard !isOver else { return nil }
        do throws(CountersignError) {
            try await waitForTurn()
            return try await poll()
        } catch {
            isOver = true
            throw error
        }
    }

    private mutating func waitForTurn() async throws(CountersignError) {
        if nextPoll > deadline - Self.lastChance {
            let lastPoll = deadline - Self.lastChance
            guard !hadLastChance, earliest <= deadline, lastPoll > client.environment.clock.now else {
                try await sleep(until: deadline)
                throw lastFailure ?? .expired
            }
            hadLastChance = true
            nextPoll = lastPoll
        }
        try await sleep(until: nextPoll)
    }

    private func sleep(until moment: Timestamp) async throws(CountersignError) {
        let clock = client.environment.clock
        do throws(CancellationError) {
            let wait = moment - clock.now
            if wait > .zero { try await clock.sleep(for: wait) }
        } catch {
            throw .cancelled
        }
        if Task.isCancelled { throw .cancelled }
    }

    private mutating func poll() async throws(CountersignError) -> AuthorizationState {
        let clock = client.environment.clock
        let began = clock.now
        do throws(CountersignError) {
            if let redeemed { return try await approved(redeemed) }
            let outcome = try await client.poll(pending, longPoll: held(from: began))
            if case .unavailable = outcome {} else { (failures, lastFailure) = (0, nil) }
            switch outcome {
            case .redeemed(let redeemed):
                self.redeemed = redeemed
                deadline = max(deadline, clock.now + Self.verification)
                return try await approved(redeemed)
            case .pending(let retryAfter, let wasHeld):
                // The time of a held request counts as waiting, because the server itself waited (CIBA Core 7.3).
                earliest = max((wasHeld ? began : clock.now) + interval, clock.now + (retryAfter ?? .zero))
                nextPoll = earliest
                return .pending(nextPoll: nextPoll - clock.now)
            case .slowDown(let wanted):
                // RFC 8628 clause 3.5: 5 seconds more, for this and all later requests.
                interval = max(interval + .seconds(5), wanted ?? .zero)
                earliest = clock.now + interval
                nextPoll = earliest
                return .slowDown(nextPoll: interval)
            case .unavailable(let error, let retryAfter): return retry(after: error, retryAfter)
            }
        } catch {
            guard case .network = error else { throw error }
            return retry(after: error, nil)
        }
    }

    private mutating func retry(after error: CountersignError, _ retryAfter: Duration?) -> AuthorizationState {
        let now = client.environment.clock.now
        let requested = max(retryAfter ?? .zero, interval)
        let pause = max(requested, backoff)
        failures += 1
        lastFailure = error
        earliest = now + requested
        nextPoll = now + pause
        return .retrying(after: error, nextPoll: pause)
    }

    private mutating func approved(
        _ redeemed: CountersignClient.Redeemed
    ) async throws(CountersignError) -> AuthorizationState {
        let tokens = try await client.tokens(in: redeemed, for: pending)
        isOver = true
        return .approved(tokens)
    }

    /// The time that the server may hold a poll: at most the request's remaining lifetime.
    private func held(from now: Timestamp) -> Duration? {
        longPoll.map { min($0, .seconds(max((deadline - now).components.seconds, 1))) }
    }

    /// A pause that doubles with each consecutive failure (RFC 8628 clause 3.5).
    private var backoff: Duration { max(interval, min(interval * (1 << min(failures, 6)), Self.longestBackoff)) }
}

/// The states of a request until it is decided, one element per poll.
public struct AuthorizationStates: AsyncSequence, Sendable {
    public typealias Element = AuthorizationState

    let poller: Poller

    public struct AsyncIterator: AsyncIteratorProtocol {
        var poller: Poller

        /// Waits until a poll is due and sends it. Throws a `CountersignError`. Nil means that the sequence has ended.
        public mutating func next() async throws -> AuthorizationState? { try await poller.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(poller: poller) }
}
