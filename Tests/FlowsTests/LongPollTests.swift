import AuthorizationCore
@testable import Flows
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("CIBA Core 11: long polling")
struct LongPollTests {
    @Test("A held request is woken by the decision", arguments: [true, false])
    func decision(accepted: Bool) async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        async let answer = fixture.poll(id, hold: .seconds(30))
        await fixture.timer.awaitSleepers()
        #expect(fixture.hub.waiting == 1)
        try await fixture.resolve(id, try fixture.answer(id, accepted: accepted))
        #expect(try await answer == (accepted ? "tokens" : "access_denied"))
        #expect(fixture.hub.waiting == 0)
    }

    @Test("It is answered pending when its time is over, and may come again")
    func timeout() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        for _ in 0..<2 {
            async let answer = fixture.poll(id, hold: .seconds(30))
            await fixture.timer.awaitSleepers()
            fixture.timer.advance(by: .milliseconds(29_999))
            #expect(fixture.hub.waiting == 1)
            fixture.timer.advance(by: .milliseconds(1))
            #expect(try await answer == "authorization_pending")
        }
        #expect(fixture.hub.waiting == 0)
    }

    @Test("A server that stops answers what it holds as things stand, and holds nothing more")
    func released() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        async let answer = fixture.poll(id, hold: .seconds(30))
        await fixture.timer.awaitSleepers()
        fixture.hub.release()
        #expect(try await answer == "authorization_pending")
        fixture.timer.advance(by: .seconds(10))
        #expect(try await fixture.poll(id, hold: .seconds(30)) == "authorization_pending")
        try await fixture.allow(id)
        #expect(try await fixture.poll(id, hold: .seconds(30)) == "tokens")
    }

    @Test("It is not held beyond the request's expiry")
    func expiry() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start(["requested_expiry": "10"]).authReqID
        async let answer = fixture.poll(id, hold: .seconds(30))
        await fixture.timer.awaitSleepers()
        fixture.timer.advance(by: .seconds(10))
        #expect(try await answer == "expired_token")
    }

    @Test("Decided requests and slow_down are answered at once")
    func notHeld() async throws {
        let fixture = try await FlowFixture()
        let pending = try await fixture.start().authReqID
        let allowed = try await fixture.start().authReqID
        try await fixture.allow(allowed)
        #expect(try await fixture.poll(allowed, hold: .seconds(30)) == "tokens")
        _ = try await fixture.poll(pending)
        #expect(try await fixture.poll(pending, hold: .seconds(30)) == "slow_down 10")
        #expect(fixture.timer.sleepers == 0)
    }

    @Test("A client that went away burns no tokens")
    func cancellation() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        let held = Task { try await fixture.redeem(id, hold: .seconds(30)) }
        await fixture.timer.awaitSleepers()
        held.cancel()
        await #expect(throws: CancellationError.self) { try await held.value }
        #expect(fixture.hub.waiting == 0)
        try await fixture.allow(id)
        #expect(try await fixture.poll(id) == "tokens")
    }

    @Test("Cancelled while the decision comes: the tokens are given exactly once")
    func cancellationRace() async throws {
        let fixture = try await FlowFixture(
            tenant: Samples.tenant { settings in
                settings.settings.requestsPerMinutePerUser = 1000
                settings.settings.pendingRequestsPerUser = 1000
            })
        for _ in 0..<100 {
            let id = try await fixture.start().authReqID
            let held = Task { try await fixture.poll(id, hold: .seconds(30)) }
            let decision = Task { try await fixture.allow(id) }
            let cancellation = Task { held.cancel() }
            try await decision.value
            await cancellation.value
            let first = try? await held.value
            let second = try await fixture.poll(id)
            #expect([first, second].count { $0 == "tokens" } == 1, "\(first ?? "cancelled"), then \(second)")
        }
    }

    @Test("A decision that falls between two looks at the store is not missed")
    func noGap() async throws {
        let fixture = try await FlowFixture(
            tenant: Samples.tenant { settings in
                settings.settings.requestsPerMinutePerUser = 1000
                settings.settings.pendingRequestsPerUser = 1000
            })
        for _ in 0..<100 {
            let id = try await fixture.start().authReqID
            async let answer = fixture.poll(id, hold: .seconds(30))
            try await fixture.allow(id)
            #expect(try await answer == "tokens")
        }
    }

    @Test("One of two held polls for one request gets tokens")
    func twoHeld() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        async let first = fixture.poll(id, hold: .seconds(30))
        await fixture.timer.awaitSleepers(1)
        fixture.clock.advance(by: .seconds(5))
        async let second = fixture.poll(id, hold: .seconds(25))
        await fixture.timer.awaitSleepers(2)
        try await fixture.allow(id)
        #expect(try await [first, second].sorted() == ["invalid_grant", "tokens"])
    }

    // MARK: the hub

    @Test("A wake before the wait ends it at once")
    func wakeFirst() async {
        let hub = DecisionHub(pace: PollPace())
        let hash = AuthReqIDHash(of: "x", Samples.hashing)
        let subscription = hub.subscribe(hash)
        hub.decided(hash)
        hub.decided(hash)
        await subscription.wait(.seconds(30), timer: ManualTimer(ManualClock()))
        hub.unsubscribe(subscription, from: hash)
        #expect(hub.waiting == 0)
    }

    @Test("Wakes, timers and cancellations at once end every wait exactly once")
    func hubRaces() async {
        let hub = DecisionHub(pace: PollPace())
        let clock = ManualClock()
        let timer = ManualTimer(clock)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<500 {
                let hash = AuthReqIDHash(of: "\(index % 7)", Samples.hashing)
                let waiter = Task {
                    let subscription = hub.subscribe(hash)
                    await subscription.wait(.seconds(1 + index % 3), timer: timer)
                    hub.unsubscribe(subscription, from: hash)
                }
                group.addTask { await waiter.value }
                switch index % 3 {
                case 0: group.addTask { waiter.cancel() }
                case 1: group.addTask { hub.decided(hash) }
                default: group.addTask { timer.advance(by: .milliseconds(100)) }
                }
            }
            // Whoever subscribed after its wake is ended by the time.
            group.addTask {
                while !Task.isCancelled, hub.waiting > 0 {
                    timer.advance(by: .seconds(1))
                    await Task.yield()
                }
            }
            group.addTask {
                for _ in 0..<2000 {
                    timer.advance(by: .seconds(1))
                    await Task.yield()
                }
            }
            await group.waitForAll()
        }
        #expect(hub.waiting == 0)
    }

    // MARK: the pace

    @Test("Waits grow to a minute at most, and an interval beyond that is kept")
    func longestInterval() {
        let now = Samples.start
        func last(interval: Int, polls: Int) -> PollPace.Verdict {
            let pace = PollPace()
            let hash = AuthReqIDHash(of: "x", Samples.hashing)
            var verdict = PollPace.Verdict.inTime
            for _ in 0..<polls {
                verdict = poll(pace, hash, interval: interval, now: now)
            }
            return verdict
        }
        #expect(last(interval: 5, polls: 1) == .inTime)
        #expect(last(interval: 5, polls: 12) == .slowDown(interval: 60))
        #expect(last(interval: 5, polls: 1000) == .slowDown(interval: 60))
        #expect(last(interval: 60, polls: 3) == .slowDown(interval: 60))
    }

    private let owner = ClientIdentity(client: ClientID("agent"), tenant: TenantID("dev"))

    /// A poll that asks the store only where it must, as the grant does.
    private func poll(_ pace: PollPace, _ hash: AuthReqIDHash, interval: Int, now: Timestamp) -> PollPace.Verdict {
        switch pace.poll(hash, by: owner, now: now) {
        case .pending(let verdict, _): return verdict
        case .unknown(let miss):
            let polled = PolledRequest(state: .pending, expiresAt: Samples.start + .seconds(300), interval: interval)
            return pace.poll(hash, by: owner, found: polled, after: miss, now: now)
        }
    }

    private func isKnown(_ pace: PollPace, _ hash: AuthReqIDHash, by owner: ClientIdentity, now: Timestamp) -> Bool {
        if case .pending = pace.poll(hash, by: owner, now: now) { true } else { false }
    }

    @Test("A pending request is believed to be so for five minutes, for its own client, until it expires")
    func believed() {
        let pace = PollPace()
        let hash = AuthReqIDHash(of: "x", Samples.hashing)
        let now = Samples.start
        let polled = PolledRequest(state: .pending, expiresAt: now + .seconds(900), interval: 5)
        func find(at moment: Timestamp) {
            if case .unknown(let miss) = pace.poll(hash, by: owner, now: moment) {
                _ = pace.poll(hash, by: owner, found: polled, after: miss, now: moment)
            }
        }
        find(at: now)
        #expect(isKnown(pace, hash, by: owner, now: now + .seconds(299)))
        #expect(!isKnown(pace, hash, by: owner, now: now + .seconds(300)))
        let other = ClientIdentity(client: ClientID("other"), tenant: TenantID("dev"))
        #expect(!isKnown(pace, hash, by: other, now: now + .seconds(5)))
        find(at: now + .seconds(850))
        #expect(isKnown(pace, hash, by: owner, now: now + .seconds(899)))
        #expect(!isKnown(pace, hash, by: owner, now: now + .seconds(900)))
    }

    @Test("A request that was just stored is known, and its first poll may come at once")
    func started() {
        let pace = PollPace()
        let request = Samples.request().request
        let hash = AuthReqIDHash(of: "x", Samples.hashing)
        pace.started(hash, request, by: owner, after: pace.beforeStart(of: hash))
        guard case .pending(.inTime, let expiresAt) = pace.poll(hash, by: owner, now: request.createdAt) else {
            Issue.record("the request is not known, or its first poll is too early")
            return
        }
        #expect(expiresAt == request.expiresAt)

        let decided = AuthReqIDHash(of: "y", Samples.hashing)
        let miss = pace.beforeStart(of: decided)
        pace.forget(decided)
        pace.started(decided, request, by: owner, after: miss)
        #expect(!isKnown(pace, decided, by: owner, now: request.createdAt))
    }

    @Test("A decision told while a poll reads the store is not overlooked afterwards")
    func decisionBetween() throws {
        let pace = PollPace()
        let hash = AuthReqIDHash(of: "x", Samples.hashing)
        let now = Samples.start
        guard case .unknown(let miss) = pace.poll(hash, by: owner, now: now) else {
            Issue.record("nothing was polled yet")
            return
        }
        DecisionHub(pace: pace).decided(hash)
        let stale = PolledRequest(state: .pending, expiresAt: now + .seconds(300), interval: 5)
        #expect(pace.poll(hash, by: owner, found: stale, after: miss, now: now) == .inTime)
        #expect(!isKnown(pace, hash, by: owner, now: now + .seconds(5)))
    }

    @Test("Requests are apart, and a forgotten one begins anew")
    func apart() {
        let pace = PollPace()
        let now = Samples.start
        func poll(_ name: String) -> PollPace.Verdict {
            self.poll(pace, AuthReqIDHash(of: name, Samples.hashing), interval: 5, now: now)
        }
        #expect(poll("a") == .inTime)
        #expect(poll("b") == .inTime)
        #expect(poll("a") == .slowDown(interval: 10))
        pace.forget(AuthReqIDHash(of: "a", Samples.hashing))
        #expect(poll("a") == .inTime)
        #expect(poll("b") == .slowDown(interval: 10))
    }
}
