import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Polls: status, text and pace of the answers")
struct PollAnswerTests {
    @Test("RFC 6749 5.2: OAuth errors are 400, never 403 or 429 at the token endpoint")
    func statuses() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        var statuses: Set<Int> = []
        for _ in 0..<50 { statuses.insert(try await fixture.client.poll(id).status) }
        statuses.insert(try await fixture.client.poll("unknown").status)
        statuses.insert(try await InProcessClient("no-grant", via: fixture.server).poll(id).status)
        #expect(statuses == [400])
        #expect(try await InProcessClient("nobody", via: fixture.server).poll(id).status == 401)
    }

    @Test("CIBA Core 11: a rejected request is access_denied with Auth0's text")
    func denied() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        _ = try await fixture.phone.decide(id, accepted: false)
        expectError(try await fixture.client.poll(id), 400, "access_denied", deniedText)
    }

    @Test("CIBA Core 11: the answer has the user's reason, at most 256 characters, those that nobody sees as numbers")
    func deniedWithReason() async throws {
        let fixture = try await ConformanceFixture()
        let long = String(repeating: "\u{1F3F4}", count: 300)
        for (said, told) in [
            ("Trop cher \u{201E}\"\\ \u{202E}\n", "Trop cher \u{201E}\"\\ \u{2039}U+202E\u{203A}\n"),
            ("no\u{E0070}\u{FE01}", "no\u{2039}U+E0070\u{203A}\u{2039}U+FE01\u{203A}"),
            (long, String(long.prefix(256))),
            ("", nil), (" \n", nil),
        ] as [(String, String?)] {
            fixture.server.advance(.seconds(61))
            let id = try await fixture.client.started()
            _ = try await fixture.phone.decide(id, accepted: false, reason: said)
            let answer = try await fixture.client.poll(id)
            expectError(answer, 400, "access_denied", deniedText)
            #expect(answer["reason"]?.stringValue == told)
            #expect((answer.json.objectValue ?? [:]).count == (told == nil ? 2 : 3))
        }
    }

    @Test("RFC 6749 5.2: a wrong secret is 401, with a challenge only for HTTP Basic")
    func wrongBasicSecret() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        let parameters = fixture.client.pollParameters(id)
        let inHeader = parameters.filter { $0.key != "client_id" && $0.key != "client_secret" }
        let refused = await fixture.server.send(
            .form("/oauth/token", inHeader, fields: ["Authorization": basic("agent", "wrong")]))
        expectError(refused, 401, "invalid_client")
        #expect(refused.fields["WWW-Authenticate"]?.hasPrefix("Basic ") == true)
        let posted = await fixture.server.send(
            .form("/oauth/token", parameters.merging(["client_secret": "wrong"]) { $1 }))
        expectError(posted, 401, "invalid_client")
        #expect(posted.fields["WWW-Authenticate"] == nil)
    }

    @Test(
        "CIBA Core 11: an expired request is expired_token, or access_denied if the tenant follows Auth0",
        arguments: [false, true])
    func expired(asDenied: Bool) async throws {
        let fixture = try await ConformanceFixture { $0.tenant.settings.expiredAsDenied = asDenied }
        let id = try await fixture.client.started(["requested_expiry": "1"])
        fixture.server.advance(.seconds(1))
        let answer = try await fixture.client.poll(id)
        if asDenied {
            expectError(answer, 400, "access_denied", deniedText)
        } else {
            expectError(answer, 400, "expired_token")
        }
    }

    @Test("CIBA Core 11: an approved request expires unless it is redeemed in time")
    func approvedAndExpired() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started(["requested_expiry": "10"])
        #expect(try await fixture.phone.decide(id).status == 204)
        fixture.server.advance(.seconds(10))
        expectError(try await fixture.client.poll(id), 400, "expired_token")
    }

    @Test("CIBA Core 7.3: the first poll may come at once, and 1 second early is no violation")
    func tolerance() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        expectError(try await fixture.client.poll(id), 400, "authorization_pending", pendingText)
        for _ in 0..<3 {
            fixture.server.advance(.seconds(4))
            expectError(try await fixture.client.poll(id), 400, "authorization_pending", pendingText)
        }
        fixture.server.advance(.milliseconds(3999))
        expectError(try await fixture.client.poll(id), 400, "slow_down")
    }

    @Test("CIBA Core 7.3: every poll_interval is enforced", arguments: [1, 2, 3])
    func shortInterval(seconds: Int) async throws {
        let fixture = try await ConformanceFixture { $0.tenant.settings.pollInterval = seconds }
        let id = try await fixture.client.started()
        expectError(try await fixture.client.poll(id), 400, "authorization_pending")
        let inTime = Duration.milliseconds(seconds * 800)
        fixture.server.advance(inTime)
        expectError(try await fixture.client.poll(id), 400, "authorization_pending")
        fixture.server.advance(inTime - .milliseconds(1))
        expectError(try await fixture.client.poll(id), 400, "slow_down")
    }

    @Test("CIBA Core 11: one compliant wait clears the penalty, so that clients with a fixed interval do not livelock")
    func forgiving() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        for _ in 0..<3 { _ = try await fixture.client.poll(id) }
        let told = try await fixture.client.poll(id)
        #expect(told.fields["Retry-After"] == "20")
        fixture.server.advance(.seconds(20))
        expectError(try await fixture.client.poll(id), 400, "authorization_pending")
        fixture.server.advance(.seconds(5))
        expectError(try await fixture.client.poll(id), 400, "authorization_pending")
    }

    @Test("RFC 6749 5.2: a user blocked before the exchange is invalid_grant, and the request does not change")
    func blockedUser() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        _ = try await fixture.phone.decide(id)
        try await fixture.server.put(Samples.user("auth0|ann") { $0.blocked = true })
        let before = try await fixture.server.dump()
        expectError(try await fixture.client.poll(id), 400, "invalid_grant")
        #expect(try await fixture.server.dump() == before)
    }
}
