import ApprovalWire
import AuthorizationCore
@testable import Flows
import GuardianWire
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Pauses after rejections")
struct RejectionPauseTests {
    private let now = Samples.start

    private func rules(before: Int = 3, pause: Int = 30, report: Int = 900) -> PauseRules {
        var settings = TenantSettings()
        settings.rejectionsBeforePause = before
        settings.rejectionPause = pause
        settings.reportPause = report
        return PauseRules(settings)
    }

    /// Seconds of the pause after each of a row of rejections, of which each comes at the end of the one before.
    private func pauses(_ rules: PauseRules, _ reports: [Bool]) -> [Int] {
        var history: RejectionHistory?
        var now = now
        return reports.map { isReport in
            let next = rules.history(after: history, isReport: isReport, now: now)
            let end = max(now, next.pausedUntil)
            let pause = end - now
            (history, now) = (next, end)
            return Int(pause.components.seconds)
        }
    }

    @Test("The third rejection pauses, and each further one twice as long, up to an hour")
    func growth() {
        #expect(
            pauses(rules(), [Bool](repeating: false, count: 12))
                == [0, 0, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600])
        #expect(pauses(rules(before: 1, pause: 3600), [false, false]) == [3600, 3600])
        #expect(pauses(rules(before: 1000, pause: 1), [Bool](repeating: false, count: 1100)).last == 3600)
    }

    @Test("A report pauses at once, and each further one twice as long, up to 24 hours")
    func reports() {
        #expect(
            pauses(rules(), [Bool](repeating: true, count: 7)) == [900, 1800, 3600, 7200, 14_400, 28_800, 57_600])
        let day = rules(report: 50_000)
        #expect(pauses(day, [true, true]) == [50_000, 86_400])
        #expect(pauses(rules(), [false, true, false, false]) == [0, 900, 30, 60], "a report is a rejection, too")
    }

    @Test("A pause of 0 seconds is none")
    func off() {
        #expect(pauses(rules(pause: 0), [Bool](repeating: false, count: 5)) == [0, 0, 0, 0, 0])
        #expect(pauses(rules(pause: 0, report: 0), [true, true, true]) == [0, 0, 0])
        #expect(pauses(rules(report: 0), [true, true, true]) == [0, 0, 30])
    }

    @Test("A rejection during a pause never shortens it, and after 24 hours the count begins anew")
    func memory() {
        let rules = rules()
        let reported = rules.history(after: nil, isReport: true, now: now)
        let soon = rules.history(after: reported, isReport: false, now: now + .seconds(1))
        #expect(soon.pausedUntil == reported.pausedUntil && soon.rejections == 2 && soon.reports == 1)
        let last = rules.history(after: soon, isReport: false, now: soon.forgottenAt - .milliseconds(1))
        #expect(last.rejections == 3)
        let fresh = rules.history(after: soon, isReport: false, now: soon.forgottenAt)
        #expect(fresh.rejections == 1 && fresh.reports == 0 && fresh.pausedUntil < soon.forgottenAt)
    }

    @Test("A rejection without a pause refuses no request that began just before it was stored")
    func noPause() {
        let history = rules().history(after: nil, isReport: false, now: now)
        #expect(history.pausedUntil < now - .seconds(60))
    }

    /// Rejects or reports a new request.
    private func reject(
        _ fixture: FlowFixture, client: String = "agent", reported: Bool = false
    ) async throws {
        let id = try await fixture.start(client: client).authReqID
        let answer = try fixture.answer(id, accepted: false) { if reported { $0["reported"] = true } }
        try await fixture.resolve(id, answer)
    }

    @Test("The client waits for the pause to end, is told for how long, and others do not wait")
    func paused() async throws {
        let fixture = try await FlowFixture(clients: [Samples.client(), Samples.client("other")])
        for _ in 0..<3 { try await reject(fixture) }
        fixture.clock.advance(by: .milliseconds(500))
        let error = try await oauthError { _ = try await fixture.start() }
        #expect(error.code == .tooManyRequests && error.retryAfter == 30)
        #expect(error.rateLimit?.remaining == 0 && error.rateLimit?.reset == fixture.clock.now.seconds + 30)
        #expect(error.description.text.contains("rejected"))
        #expect(try await fixture.made.database.auditLog("api_limit").map(\.client) == ["agent"])
        _ = try await fixture.start(client: "other")
        fixture.clock.advance(by: .milliseconds(29_499))
        #expect(try await oauthError { _ = try await fixture.start() }.retryAfter == 1)
        fixture.clock.advance(by: .milliseconds(1))
        try await reject(fixture)
        #expect(try await oauthError { _ = try await fixture.start() }.retryAfter == 60)
    }

    @Test("An allow of a later request ends the count; that of one that waited before ends no pause")
    func allowed() async throws {
        let fixture = try await FlowFixture()
        let waiting = try await fixture.start().authReqID
        fixture.clock.advance(by: .seconds(1))
        try await reject(fixture, reported: true)
        try await fixture.allow(waiting)
        #expect(try await oauthError { _ = try await fixture.start() }.retryAfter == 900)
        fixture.clock.advance(by: .seconds(900))
        try await fixture.allow(try await fixture.start().authReqID)
        for _ in 0..<2 { try await reject(fixture) }
        _ = try await fixture.start()
    }

    @Test("A wrong number counts as a rejection")
    func wrongNumber() async throws {
        let tenant = Samples.tenant {
            $0.settings.matching = .choose
            $0.settings.rejectionsBeforePause = 1
        }
        let fixture = try await FlowFixture(tenant: tenant)
        let started = try await fixture.start()
        let choices = try await fixture.stored(started.authReqID).record.display.matchingChoices
        let wrong = try #require(choices.first { $0.description != started.matchingCode })
        let failure = try await deviceFailure {
            try await fixture.resolve(
                started.authReqID,
                try fixture.answer(started.authReqID) { $0["matching_pick"] = .string(wrong.description) })
        }
        #expect(failure.code == .wrongNumber)
        #expect(try await oauthError { _ = try await fixture.start() }.retryAfter == 30)
    }

    @Test("A start that is repeated under its key gets its answer during a pause")
    func repeated() async throws {
        let fixture = try await FlowFixture()
        let first = try await fixture.start(keys: ["a"])
        try await fixture.resolve(
            first.authReqID, try fixture.answer(first.authReqID, accepted: false) { $0["reported"] = true })
        #expect(try await fixture.start(keys: ["a"]) == first)
        #expect(try await oauthError { _ = try await fixture.start(keys: ["b"]) }.code == .tooManyRequests)
    }

    @Test("A request that expires or that its client withdraws is no rejection")
    func undecided() async throws {
        let tenant = Samples.tenant { $0.settings.rejectionsBeforePause = 1 }
        let fixture = try await FlowFixture(tenant: tenant)
        _ = try await fixture.start()
        fixture.clock.advance(by: .seconds(400))
        _ = try await fixture.start()
        #expect(try await fixture.made.database.count("rejection_pause") == 0)
    }
}
