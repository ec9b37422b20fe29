import AuthorizationCore
@testable import Flows
import GuardianWire
import Localization
import Primitives
import TestSupport
import Testing

@Suite("A login that waits for the phone")
struct LoginPushTests {
    @Test("A push that was not answered expires and can be sent again; one that waits is not sent twice")
    func expired() async throws {
        let fixture = try await LoginFixture(tenant: LoginFixture.tenant(demanding: .always), phone: true)
        let visitor = Visitor()
        let page = try await fixture.pending(visitor)
        let sent = try await fixture.push.send(page, language: .english)
        let same = try await fixture.push.send(sent, language: .english)
        #expect(same.pushNumber == sent.pushNumber)
        #expect(try await fixture.log("gd_start_auth").count == 1)
        fixture.fixture.clock.advance(by: .seconds(120))
        guard case .expired = try await fixture.push.check(fixture.now(sent)) else {
            Issue.record("it expired")
            return
        }
        _ = try await fixture.push.send(fixture.now(sent), language: .english)
        #expect(try await fixture.log("gd_start_auth").count == 2)
    }

    @Test("A browser that waits for the phone gets the decision at once, and may leave before without loss")
    func awaited() async throws {
        for accept in [true, false] {
            let fixture = try await LoginFixture(tenant: LoginFixture.tenant(demanding: .always), phone: true)
            let visitor = Visitor()
            let page = try await fixture.pending(visitor)
            let sent = try await fixture.push.send(page, language: .english)
            let left = Task { try await fixture.push.awaitDecision(sent) }
            await fixture.fixture.timer.awaitSleepers()
            left.cancel()
            _ = await left.result
            let waiting = Task { try await fixture.push.awaitDecision(sent) }
            await fixture.fixture.timer.awaitSleepers()
            _ = try await fixture.decide(accept: accept)
            #expect(try await waiting.value == false)
            // An earlier decision needs no wait.
            #expect(try await fixture.push.awaitDecision(sent) == false)
            guard case .decided = try await fixture.push.check(sent) else {
                Issue.record("it was decided")
                return
            }
            #expect(fixture.fixture.hub.waiting == 0)
        }
    }

    @Test(
        "A browser waits at most fifty seconds, and no longer than the request on the phone lives; a stop ends the wait"
    )
    func longestWait() async throws {
        let fixture = try await LoginFixture(tenant: LoginFixture.tenant(demanding: .always), phone: true)
        let page = try await fixture.pending(Visitor())
        let sent = try await fixture.push.send(page, language: .english)
        for (seconds, goesOn) in [(50, true), (50, true), (20, false)] {
            let waiting = Task { try await fixture.push.awaitDecision(fixture.now(sent)) }
            await fixture.fixture.timer.awaitSleepers()
            fixture.fixture.timer.advance(by: .seconds(seconds))
            #expect(try await waiting.value == goesOn)
        }
        #expect(try await fixture.push.awaitDecision(fixture.now(sent)) == false)
        guard case .expired = try await fixture.push.check(fixture.now(sent)) else {
            Issue.record("it expired")
            return
        }
        let again = try await fixture.push.send(fixture.now(sent), language: .english)
        let waiting = Task { try await fixture.push.awaitDecision(again) }
        await fixture.fixture.timer.awaitSleepers()
        fixture.fixture.hub.release()
        #expect(try await waiting.value == false)
        #expect(try await fixture.push.awaitDecision(again) == false)
        #expect(fixture.fixture.hub.waiting == 0)
    }

    @Test("The wait is shorter if exchanges end sooner")
    func shorterWait() async throws {
        let fixture = try await LoginFixture(tenant: LoginFixture.tenant(demanding: .always), phone: true)
        let push = PushFactor(
            store: fixture.store, transactions: fixture.transactions, vault: fixture.fixture.vault,
            secrets: fixture.fixture.secrets, random: fixture.fixture.random, places: nil,
            decisions: fixture.fixture.hub, timer: fixture.fixture.timer, hold: .seconds(8))
        let sent = try await push.send(
            try await fixture.pending(Visitor()), language: .english)
        let waiting = Task { try await push.awaitDecision(sent) }
        await fixture.fixture.timer.awaitSleepers()
        fixture.fixture.timer.advance(by: .seconds(8))
        #expect(try await waiting.value)
    }
}
