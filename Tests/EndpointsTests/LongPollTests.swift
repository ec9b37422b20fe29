import AuthorizationCore
import Flows
import HTTPModel
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Held token requests")
struct LongPollTests {
    /// Turns of the scheduler in which a held request must have been answered. A sleep or a look at the clock in
    /// between would take more than any number of turns, as the clock here stands still.
    static let steps = 20_000

    @Test("A decision wakes the held request within a bounded number of scheduling steps, and without a timer")
    func woken() async throws {
        let fixture = try await EndpointFixture()
        for _ in 0..<50 {
            let id = try await fixture.client.started()
            let answer = Box()
            let held = Task { answer.set(try await fixture.client.poll(id, wait: 60)) }
            await fixture.server.timer.awaitSleepers()
            // Told of a rejection, the held request only reads; tokens would wait for the disk besides.
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
        // The alarms that were set went with what they were for.
        #expect(fixture.server.timer.sleepers == 0)
    }

    @Test("An approval wakes the held request although the time stands still")
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

    @Test("A decision between the poll and its holding is not missed")
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

    @Test("Held requests of other clients and tenants sleep on")
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

    @Test("A cancelled request is over at once, and burns nothing")
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

    @Test("A wait does not help who polls too fast")
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
