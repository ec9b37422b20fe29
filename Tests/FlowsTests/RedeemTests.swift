import AuthorizationCore
@testable import Flows
import JOSE
import OAuthWire
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Redeeming a backchannel request")
struct RedeemTests {
    @Test("CIBA Core 11: pending until allowed, then tokens, once")
    func wholeLife() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        #expect(try await fixture.poll(id) == "authorization_pending")
        try await fixture.allow(id)
        #expect(try await fixture.poll(id) == "tokens")
        #expect(try await fixture.poll(id) == "invalid_grant")
        let log = try await fixture.made.database.auditLog("ciba_exchange_succeeded")
        #expect(log.map(\.remoteAddress) == [FlowFixture.remote])
        #expect(log.map(\.consent) == [fixture.consent(id).rawValue])
    }

    @Test("An unknown auth_req_id and another client's are invalid_grant")
    func unknown() async throws {
        let fixture = try await FlowFixture(clients: [Samples.client(), Samples.client("thief")])
        let id = try await fixture.start().authReqID
        try await fixture.allow(id)
        #expect(try await fixture.poll("nonsense") == "invalid_grant")
        #expect(try await fixture.poll(id, client: "thief") == "invalid_grant")
        #expect(try await fixture.poll(id) == "tokens", "the thief changed nothing")
    }

    @Test("Denied: access_denied with Auth0's text, at every poll")
    func denied() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        try await fixture.reject(id)
        for _ in 0..<3 {
            let error = try await oauthError { _ = try await fixture.redeem(id) }
            #expect(error.code == .accessDenied)
            #expect(
                error.description.text == "The end-user denied the authorization request or it has been expired")
        }
    }

    @Test("Expired: expired_token, or access_denied if the tenant wants that", arguments: [false, true])
    func expired(asDenied: Bool) async throws {
        let code = asDenied ? "access_denied" : "expired_token"
        let fixture = try await FlowFixture(tenant: Samples.tenant { $0.settings.expiredAsDenied = asDenied })
        let undecided = try await fixture.start(["requested_expiry": "60"]).authReqID
        let allowed = try await fixture.start(["requested_expiry": "60"]).authReqID
        try await fixture.allow(allowed)
        fixture.clock.advance(by: .milliseconds(59_999))
        #expect(try await fixture.poll(undecided) == "authorization_pending")
        fixture.clock.advance(by: .milliseconds(1))
        #expect(try await fixture.poll(undecided) == code)
        #expect(try await fixture.poll(allowed) == code, "nothing after the expiry, whatever was decided")
    }

    @Test("A request that expires between read and exchange gives no tokens", arguments: [false, true])
    func expiresMeanwhile(asDenied: Bool) async throws {
        let fixture = try await FlowFixture(tenant: Samples.tenant { $0.settings.expiredAsDenied = asDenied })
        let id = try await fixture.start(["requested_expiry": "60"]).authReqID
        try await fixture.allow(id)
        let redeemer = RedeemBackchannelRequest(
            store: SlowStore(fixture.redeemStore) { fixture.clock.advance(by: .seconds(60)) },
            issuer: fixture.issuer, receipts: fixture.receipts, vault: fixture.vault,
            clock: fixture.clock, timer: fixture.timer, cache: fixture.cache, hub: fixture.hub,
            refusals: fixture.refusals)
        let authenticated = try fixture.authenticated().with(id)
        let error = try await oauthError { _ = try await redeemer.redeem(authenticated, hold: nil) }
        #expect(error.code == (asDenied ? .accessDenied : .expiredToken))
        #expect(try await fixture.made.database.auditLog("ciba_exchange_succeeded").isEmpty)
    }

    @Test(
        "A decision that nobody took gives no tokens, on a node that does not remember the request",
        arguments: [
            "state = 1, decided_by = 'dev_one'",
            "state = 1, decided_by = 'dev_one', sealed_outcome = (SELECT sealed_outcome FROM backchannel_request "
                + "WHERE state = 1)",
            "state = 2, decided_by = 'dev_one'", "state = 2", "state = 1, decided_in = 'session'",
            "state = 1, decided_by = 'dev_one', decided_in = 'session'",
        ])
    func forgedDecision(assignment: String) async throws {
        let fixture = try await FlowFixture()
        let other = try await fixture.start().authReqID
        try await fixture.allow(other)
        let id = try await fixture.start().authReqID
        try await fixture.made.database.write { connection in
            _ = try connection.execute("UPDATE backchannel_request SET \(raw: assignment) WHERE state = 0")
        }
        let redeemer = RedeemBackchannelRequest(
            store: fixture.redeemStore, issuer: fixture.issuer, receipts: fixture.receipts, vault: fixture.vault,
            clock: fixture.clock, timer: fixture.timer, cache: PendingRequestCache(), hub: fixture.hub,
            refusals: fixture.refusals)
        let authenticated = try fixture.authenticated().with(id)
        let error = try await oauthError { _ = try await redeemer.redeem(authenticated, hold: nil) }
        #expect(error.code == .invalidGrant)
        #expect(try await fixture.made.database.auditLog("ciba_request_tampered").count == 1)
    }

    @Test("A redeemed request whose state is set back gives no second tokens")
    func setBack() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        try await fixture.allow(id)
        #expect(try await fixture.poll(id) == "tokens")
        try await fixture.made.database.write { connection in
            _ = try connection.execute("UPDATE backchannel_request SET state = 1")
        }
        #expect(try await fixture.poll(id) == "invalid_grant")
        #expect(try await fixture.made.database.auditLog("ciba_request_tampered").count == 1)
    }

    @Test("A blocked or deleted user gets no tokens, and nothing is used up")
    func blocked() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        try await fixture.allow(id)
        try await fixture.change(ann: { $0.blocked = true })
        #expect(try await fixture.poll(id) == "invalid_grant")
        try await fixture.change(ann: { $0.blocked = false })
        #expect(try await fixture.poll(id) == "tokens")
        let orphan = try await fixture.start().authReqID
        try await fixture.allow(orphan)
        try await fixture.made.database.write { _ = try $0.execute(#"DELETE FROM "user""#) }
        #expect(try await fixture.poll(orphan) == "invalid_grant")
    }

    @Test("A failed signature uses up nothing")
    func failedSignature() async throws {
        var fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        try await fixture.allow(id)
        let whole = fixture.configuration
        fixture.configuration = TenantConfiguration(
            tenant: whole.tenant, clients: [Samples.client()], resourceServers: [], roles: [],
            keys: KeyRing(current: [], published: []))
        await #expect(throws: TokenIssuer.Failure.self) { try await fixture.redeem(id) }
        fixture.configuration = whole
        #expect(try await fixture.poll(id) == "tokens")
    }

    @Test("Exactly one of simultaneous polls gets tokens")
    func racing() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        try await fixture.allow(id)
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await fixture.poll(id) } }
            return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(answers == ["tokens": 1, "invalid_grant": 49])
    }

    // MARK: pace

    @Test("The first poll may come at once; up to a second early is no violation")
    func tolerance() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        #expect(try await fixture.poll(id) == "authorization_pending")
        fixture.clock.advance(by: .seconds(4))
        #expect(try await fixture.poll(id) == "authorization_pending")
        fixture.clock.advance(by: .milliseconds(3999))
        #expect(try await fixture.poll(id) == "slow_down 10")
    }

    @Test("Each violation adds five seconds, one compliant wait forgets them")
    func growth() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        #expect(try await fixture.poll(id) == "authorization_pending")
        for interval in [10, 15, 20] {
            fixture.clock.advance(by: .seconds(1))
            let error = try await oauthError { _ = try await fixture.redeem(id) }
            #expect(error.code == .slowDown)
            #expect(error.interval == interval)
            #expect(error.retryAfter == interval)
            #expect(
                error.description.text
                    == "You are polling faster than allowed. Try again in \(interval) seconds.")
        }
        fixture.clock.advance(by: .seconds(20))
        #expect(try await fixture.poll(id) == "authorization_pending")
        fixture.clock.advance(by: .seconds(5))
        #expect(try await fixture.poll(id) == "authorization_pending", "the first interval counts again")
    }

    @Test("A client that waits Retry-After once and falls back to its interval is not locked out")
    func noLivelock() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start(["requested_expiry": "300"]).authReqID
        var answers: [String] = []
        var wait = 3
        for _ in 0..<40 {
            let answer = try await fixture.poll(id)
            answers.append(answer)
            let told = answer.split(separator: " ").last.flatMap { Int($0) }
            fixture.clock.advance(by: .seconds(told ?? wait))
            wait = 5
        }
        #expect(answers.filter { $0.hasPrefix("slow_down") } == ["slow_down 10"])
    }

    @Test("A decision is returned at once, even to early polls")
    func decisionIsNotSlowed() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        _ = try await fixture.poll(id)
        #expect(try await fixture.poll(id) == "slow_down 10")
        try await fixture.allow(id)
        #expect(try await fixture.poll(id) == "tokens")
    }
}

/// A store that lets time pass before it answers `request`.
private struct SlowStore: BackchannelRedeemStore {
    let wrapped: any BackchannelRedeemStore
    let pause: @Sendable () -> Void

    init(_ wrapped: any BackchannelRedeemStore, pause: @escaping @Sendable () -> Void) {
        self.wrapped = wrapped
        self.pause = pause
    }

    func poll(
        _ hash: AuthReqIDHash, client: ClientID, login: [UInt8]?, tenant: TenantID
    ) async throws -> PolledRequest? {
        try await wrapped.poll(hash, client: client, login: login, tenant: tenant)
    }

    func request(
        _ hash: AuthReqIDHash, tenant: TenantID
    ) async throws -> (request: SealedRequest, user: User?)? {
        pause()
        return try await wrapped.request(hash, tenant: tenant)
    }

    func redeem(_ redemption: Redemption) async throws -> Bool { try await wrapped.redeem(redemption) }
}
