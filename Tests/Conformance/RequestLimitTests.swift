import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Backchannel requests: limits")
struct RequestLimitTests {
    @Test("RFC 9396: authorization_details over a limit are refused with the limit's name")
    func detailLimits() async throws {
        let fixture = try await ConformanceFixture { $0.tenant.settings.requestsPerMinutePerUser = 100 }
        let long = String(repeating: "x", count: 256)
        let deep = String(repeating: "[", count: 6) + String(repeating: "]", count: 6)
        let members = (0..<10).map { "\"p\($0)\":1" }.joined(separator: ",")
        for (details, expected) in [
            ("{}", "must be a JSON array"), ("[]", "is an empty array"), ("[1]", "[0] must be an object"),
            (#"[{"n":1}]"#, "'type'"), (#"[{"type":7}]"#, "'type'"), ("[", "not valid JSON"),
            ("[" + [String](repeating: #"{"type":"payment"}"#, count: 6).joined(separator: ",") + "]", "6 entries"),
            ("[{\"type\":\"payment\",\(members)}]", "11 properties"),
            ("[{\"type\":\"payment\",\"\(long)\":1}]", "name"), (#"[{"type":"payment","a b":1}]"#, "name"),
            ("[{\"type\":\"payment\",\"n\":\"\(long)\"}]", "more than 255 characters"),
            ("[{\"type\":\"payment\",\"n\":\(deep)}]", "more than 5 levels"),
            (#"[{"type":"payment","n":-1e400}]"#, "range of a double"),
            ("[{\"type\":\"payment\",\"n\":\"" + String(repeating: "y", count: 5200) + "\"}]", "at most 5120"),
            (#"[{"type":"payment","n":"\u0000"}]"#, "NUL"), (#"[{"type":"payment","type":"payment"}]"#, "repeats"),
        ] {
            let answer = try await fixture.client.start(["audience": Samples.api, "authorization_details": details])
            expectError(answer, 400, "invalid_authorization_details")
            #expect(answer.message.contains(expected), "\(answer.message)")
        }
        let fitting = #"[{"type":"payment","a":{"b":{"c":{"d":1}}}}]"#
        let answer = try await fixture.client.start(["audience": Samples.api, "authorization_details": fitting])
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test("RFC 6585 4: the sixth request to a user within a minute is 429 with the seconds until a retry")
    func rateLimit() async throws {
        let fixture = try await ConformanceFixture()
        for _ in 0..<5 {
            _ = try await fixture.client.started()
            fixture.server.advance(.seconds(5))
        }
        let before = try await fixture.server.dump()
        let answer = try await fixture.client.start()
        expectError(
            answer, 429, "too_many_requests",
            "This user was sent 5 requests within a minute. Try again in 35 seconds.")
        #expect(try await fixture.server.dump() == before)
        #expect(answer.fields["Retry-After"] == "35")
        #expect(answer.fields["x-ratelimit-limit"] == "5")
        #expect(answer.fields["x-ratelimit-remaining"] == "0")
        #expect(answer.fields["x-ratelimit-reset"] == "\(fixture.server.clock.now.seconds + 35)")
        // Requests to another user, or later to the same user, are accepted.
        _ = try await InProcessPhone(UserID("auth0|bob"), identifier: "BOB", in: fixture.server)
        #expect(try await fixture.client.start(["login_hint": InProcessClient.loginHint("auth0|bob")]).status == 200)
        fixture.server.advance(.seconds(35))
        #expect(try await fixture.client.start().status == 200)
    }

    @Test("RFC 6585 4: too many pending requests of a user or tenant are 429")
    func pendingLimits() async throws {
        for change in [
            { $0.tenant.settings.pendingRequestsPerUser = 2 }, { $0.tenant.settings.pendingRequests = 2 },
        ] as [(inout InProcessServer.Setup) -> Void] {
            let fixture = try await ConformanceFixture(change)
            let first = try await fixture.client.started()
            _ = try await fixture.client.started()
            let answer = try await fixture.client.start()
            expectError(answer, 429, "too_many_requests")
            #expect(answer.fields["Retry-After"].flatMap { Int($0) } != nil)
            #expect(answer.fields["x-ratelimit-limit"] == "2")
            _ = try await fixture.phone.decide(first)
            #expect(try await fixture.client.start().status == 200)
        }
    }
}
