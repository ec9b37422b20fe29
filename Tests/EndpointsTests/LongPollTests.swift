import AuthorizationCore
import Flows
import HTTPModel
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Held token requests")
struct LongPollTests {
    /// Maximum scheduler turns until a held request is answered. A request that sleeps or waits for the clock exceeds
    /// any number of turns, because the test clock stands still.
    static let steps = 20_000

    @Test("A decision wakes the held request within a bounded number of scheduling steps, without a timer")
    func woken() async throws {
        let fixture = try await EndpointFixture()
        for _ in 0..<50 {
            let id = try await fixture.client.started()
            let answer = Box()
            let held = Task { answer.set(try await fixture.client.poll(id, wait: 60)) }
            await fixture.server.timer.awaitSleepers()
            // After a rejection, the held request only reads. Tokens would also wait for the disk.
            #expect(try await fixture.phone.decide(id, accepted: false).status == 204)
            var steps = 0
            while answer.value == nil, steps < Self.steps {
                await Task.yield()
                steps += 1
            }
            #expect(answer.value?.code == "access_denied", "not within \(steps) steps")
            try await held.value
            #expect(fixture.server.hub.waiting == 0)
        }
        // The timers ended with their requests.
        #expect(fixture.server.timer.sleepers == 0)
    }

    @Test("An approval wakes the held request although the clock stands still")
    func wokenByApproval() async throws {
        let fixture = try await EndpointFixture()
        for _ in 0..<20 {
            let id = try await fixture.client.started()
            async let answering = fixture.client.poll(id, wait: 60)
            await fixture.server.timer.awaitSleepers()
            #expect(try await fixture.phone.decide(id).status == 204)
            #expect(try await answering.status == 200)
        }
        #expect(fixture.server.hub.waiting == 0)
        #expect(fixture.server.timer.sleepers == 0)
    }

    @Test("A decision between the poll's check and its wait is not missed")
    func nothingFallsBetween() async throws {
        let fixture = try await EndpointFixture()
        for _ in 0..<200 {
            let id = try await fixture.client.started()
            async let answering = fixture.client.poll(id, wait: 60)
            async let decided = fixture.phone.decide(id)
            #expect(try await decided.status == 204)
            #expect(try await answering.status == 200)
        }
        #expect(fixture.server.hub.waiting == 0)
    }

    @Test("A decision wakes no held requests of other clients")
    func others() async throws {
        let fixture = try await EndpointFixture()
        let mine = try await fixture.client.started()
        let other = try await InProcessClient("second", via: fixture.server).started()
        async let heldMine = fixture.client.poll(mine, wait: 60)
        async let heldOther = InProcessClient("second", via: fixture.server).poll(other, wait: 60)
        await fixture.server.timer.awaitSleepers(2)
        _ = try await fixture.phone.decide(mine)
        #expect(try await heldMine.status == 200)
        #expect(fixture.server.hub.waiting == 1)
        fixture.server.advance(.seconds(60))
        #expect(try await heldOther.code == "authorization_pending")
    }

    @Test("A cancelled request ends at once and redeems nothing")
    func cancelled() async throws {
        let fixture = try await EndpointFixture()
        let id = try await fixture.client.started()
        let held = Task { try await fixture.client.poll(id, wait: 60) }
        await fixture.server.timer.awaitSleepers()
        held.cancel()
        let answer = try await held.value
        #expect(answer.status == 503)
        #expect(answer.code == "temporarily_unavailable")
        _ = try await fixture.phone.decide(id)
        #expect(try await fixture.client.poll(id).status == 200)
    }

    @Test("A client that polls too fast gets slow_down even with a wait")
    func tooFast() async throws {
        let fixture = try await EndpointFixture()
        let id = try await fixture.client.started()
        _ = try await fixture.client.poll(id)
        let answer = try await fixture.client.poll(id, wait: 60)
        #expect(answer.code == "slow_down")
        #expect(answer.fields["Retry-After"] == "10")
        #expect(answer.fields["Preference-Applied"] == nil)
    }

    private final class Box: Sendable {
        private let state = Mutex<HTTPAnswer?>(nil)

        var value: HTTPAnswer? { state.withLock { $0 } }

        func set(_ answer: HTTPAnswer) { state.withLock { $0 = answer } }
    }
}
