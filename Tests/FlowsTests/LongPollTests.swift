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

    @Test("A held request is answered pending when its time is over, and may be repeated")
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

    @Test("A server that stops answers held requests with their present state, and holds no more")
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

    @Test("A poll is not held beyond the request's expiry")
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

    @Test("A client that left uses up no tokens")
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

    @Test("A poll cancelled during the decision: tokens are issued exactly once")
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

    @Test("A decision between two reads of the store is not missed")
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
        let hub = DecisionHub(cache: PendingRequestCache())
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
        let hub = DecisionHub(cache: PendingRequestCache())
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
            // Time ends a wait that was subscribed after its wake.
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
}
