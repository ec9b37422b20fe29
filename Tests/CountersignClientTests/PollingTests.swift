import CountersignClient
import Foundation
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import Testing

private struct Payment: AuthorizationDetail, Equatable {
    static let type = "payment"
    var amount: Int
}

@Suite("Polling for tokens")
struct PollingTests {
    /// Times of the token requests, in seconds after the start.
    private func polls(_ fixture: ClientFixture) -> [Double] { fixture.transport.sent("/oauth/token").map(\.time) }

    @Test("CIBA Core 10.1: polls keep the interval until approval, and the tokens are typed")
    func approved() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.refuse("authorization_pending")
        fixture.transport.refuse("authorization_pending")
        fixture.transport.answer(
            "/oauth/token", 200,
            try fixture.tokenResponse([
                "refresh_token": "refresh-1", "scope": "openid offline_access",
                "authorization_details": [["type": "payment", "amount": 12], ["type": "other"]],
            ]))
        let tokens = try await client.tokens(for: pending)
        #expect(polls(fixture) == [5, 10, 15])
        #expect(tokens.accessToken == "access-1")
        #expect(tokens.refreshToken == "refresh-1")
        #expect(tokens.tokenType == "Bearer")
        #expect(tokens.scope == ["openid", "offline_access"])
        #expect(tokens.idToken?.subject == ClientFixture.user)
        #expect(tokens.expiresAt == Date(timeIntervalSince1970: Double(fixture.clock.now.seconds + 86_400)))
        #expect(try tokens.authorizationDetails.filter(byType: Payment.self) == [Payment(amount: 12)])
        #expect(!"\(tokens)".contains("access-1"))
        let form = try #require(fixture.transport.sent("/oauth/token").last).form
        #expect(form["grant_type"] == "urn:openid:params:grant-type:ciba")
        #expect(form["auth_req_id"] == "req-1")
        #expect(form["client_secret"] == "s3cret")
    }

    @Test("Tokens for a user named by address or number are about the user that the server found; by id, about that id")
    func subjects() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        for (user, isAccepted) in [
            ("ann@shop.example", true), ("+41791234567", true), (ClientFixture.user, true), ("auth0|other", false),
            ("waad|ann@shop.example", false),
        ] {
            fixture.transport.answer("/bc-authorize", 200, ["auth_req_id": "req-1", "expires_in": 300])
            let pending = try await client.start(BackchannelRequest(user: user, bindingMessage: "ok"))
            #expect(pending.user == user)
            fixture.transport.answer("/oauth/token", 200, try fixture.tokenResponse())
            if isAccepted {
                #expect(try await client.tokens(for: pending).idToken?.subject == ClientFixture.user)
            } else {
                #expect(await refusal { _ = try await client.tokens(for: pending) } == .subject, "\(user)")
            }
        }
    }

    @Test("RFC 8628 3.5: each slow_down adds 5 seconds permanently; a larger interval from the server wins")
    func slowDown() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.refuse("slow_down")  // at 5: interval 10
        fixture.transport.refuse("slow_down", ["interval": 12])  // at 15: 15 is larger
        fixture.transport.refuse("slow_down", ["interval": 30])  // at 30: 30
        fixture.transport.refuse("slow_down", ["interval": 31], ["Retry-After": "40"])  // at 60: 40
        fixture.transport.refuse("authorization_pending")  // at 100: still 40
        fixture.transport.answer("/oauth/token", 200, try fixture.tokenResponse())
        _ = try await client.tokens(for: pending)
        #expect(polls(fixture) == [5, 15, 30, 60, 100, 140])
    }

    @Test("RFC 9110 10.2.3: a longer Retry-After delays only the next poll")
    func retryAfter() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.refuse("authorization_pending", [:], ["Retry-After": "20"])
        fixture.transport.refuse("authorization_pending", [:], ["Retry-After": "soon"])
        fixture.transport.answer("/oauth/token", 200, try fixture.tokenResponse())
        _ = try await client.tokens(for: pending)
        #expect(polls(fixture) == [5, 25, 30])
    }

    @Test(
        "A final refusal ends the wait",
        arguments: [
            (400, "access_denied", CountersignError.denied(reason: nil)), (403, "access_denied", .denied(reason: nil)),
            (400, "expired_token", .expired), (400, "invalid_grant", .invalidRequest("about invalid_grant")),
            (400, "transaction_failed", .undelivered(description: "about transaction_failed")),
            (401, "invalid_client", .clientRejected("about invalid_client")),
            (401, "access_denied", .clientRejected("about access_denied")),
        ])
    func refused(_ status: Int, _ code: String, _ expected: CountersignError) async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.refuse(code, status: status)
        await #expect(throws: expected) { try await client.tokens(for: pending) }
        #expect(polls(fixture) == [5])
    }

    @Test("A rejection has the user's reason if the server sends one")
    func reason() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.refuse("access_denied", ["reason": "too much"])
        let error = await #expect(throws: CountersignError.self) { try await client.tokens(for: pending) }
        #expect(error == .denied(reason: "too much"))
        #expect(error?.errorDescription == "The request was rejected: too much.")
    }

    @Test(
        "No poll follows the expiry; the last one may be at most 1 second early",
        arguments: [(12, [5, 10], [5, 5, 2]), (15, [5, 10, 14], [5, 5, 4, 1])] as [(Int, [Double], [Double])])
    func expiry(_ life: Int, _ expected: [Double], _ sleeps: [Double]) async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client, expiresIn: life)
        for _ in 0..<3 { fixture.transport.refuse("authorization_pending") }
        await #expect(throws: CountersignError.expired) { try await client.tokens(for: pending) }
        #expect(polls(fixture) == expected)
        #expect(fixture.clock.sleeps == sleeps)
    }

    @Test("After growing pauses a last poll comes before the expiry, unless Retry-After forbids it")
    func lastPollAfterFailures() async throws {
        for (fields, expected) in [([:], [5, 10, 20, 39]), (["Retry-After": "30"], [5, 10, 20])]
            as [(HTTPFields, [Double])]
        {
            let fixture = try ClientFixture()
            let client = try fixture.client()
            let pending = try await fixture.start(client, expiresIn: 40)
            for fields in [[:], [:], fields, [:]] { fixture.transport.answer("/oauth/token", 503, [:], fields) }
            _ = await failure { try await client.tokens(for: pending) }
            #expect(polls(fixture) == expected)
        }
    }

    @Test("RFC 9110 15.5.9, RFC 8470 5.2: 408 and 425 are retried", arguments: [408, 425])
    func passing(_ status: Int) async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.answer("/oauth/token", status, [:])
        fixture.transport.answer("/oauth/token", 200, try fixture.tokenResponse())
        #expect(try await client.tokens(for: pending).accessToken == "access-1")
    }

    @Test("Network failures are retried with growing pauses")
    func backoff() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.answer("/oauth/token", failing: .cannotConnect("refused"))
        fixture.transport.answer("/oauth/token", failing: .timedOut)
        fixture.transport.answer("/oauth/token", 503, [:], ["Retry-After": "1"])
        fixture.transport.refuse("too_many_requests", status: 429, [:], ["Retry-After": "50"])
        fixture.transport.refuse("authorization_pending")
        fixture.transport.answer("/oauth/token", 200, try fixture.tokenResponse())
        _ = try await client.tokens(for: pending)
        #expect(polls(fixture) == [5, 10, 20, 40, 90, 95])
    }

    @Test("RFC 9110 10.2.3: a failing server's Retry-After is honoured if it is later")
    func retryAfterFailure() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.answer("/oauth/token", 503, [:], ["Retry-After": "90"])
        fixture.transport.refuse("temporarily_unavailable", status: 503, [:], ["Retry-After": "7"])
        fixture.transport.answer("/oauth/token", 200, try fixture.tokenResponse())
        _ = try await client.tokens(for: pending)
        #expect(polls(fixture) == [5, 95, 105])
    }

    @Test("A network failure that lasts until the expiry is the reported error")
    func networkToTheEnd() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client, expiresIn: 8)
        fixture.transport.answer("/oauth/token", failing: .cannotConnect("refused"))
        fixture.transport.answer("/oauth/token", failing: .cannotConnect("refused"))
        await #expect(throws: CountersignError.network("refused")) { try await client.tokens(for: pending) }
    }

    @Test("CIBA Core 10.1.1: tokens are issued once, so polls begin only when the keys are available")
    func keysBeforeTokens() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.fail(.timedOut)
        fixture.transport.answer("/oauth/token", 200, try fixture.tokenResponse())
        var seen: [String] = []
        for try await state in client.states(of: pending) {
            switch state {
            case .retrying(.network, _):
                seen.append("retrying")
                fixture.transport.fail(nil)
            case .approved(let tokens): seen.append(tokens.accessToken)
            default: seen.append("other")
            }
        }
        #expect(seen == ["retrying", "access-1"])
        #expect(polls(fixture) == [10])
    }

    @Test("Received tokens are kept while their keys are unavailable, even beyond the request's expiry")
    func keysAfterTokens() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client, expiresIn: 12)
        let rotated = try OpenSSLSigner.generate(algorithm: .es256, keyID: "key-2")
        fixture.transport.refuse("authorization_pending")
        let body = try fixture.tokenResponse([
            "id_token": .string(try fixture.sign(fixture.idTokenClaims, with: rotated))
        ])
        fixture.transport.answer("/oauth/token", 200, body)
        var retries = 0
        for try await state in client.states(of: pending) {
            switch state {
            case .pending: fixture.transport.fail(.timedOut)
            case .retrying:
                retries += 1
                if retries == 2 { fixture.transport.fail(nil) }
                fixture.transport.publish([fixture.key.publicKey, rotated.publicKey])
            case .approved(let tokens):
                #expect(tokens.idToken?.subject == ClientFixture.user)
                #expect(tokens.expiresAt == Date(timeIntervalSince1970: 1_800_000_010 + 86_400))
            case .slowDown: Issue.record("nobody said so")
            }
        }
        #expect(retries >= 2)
        #expect(polls(fixture) == [5, 10])
    }

    @Test("An untrusted certificate is not retried")
    func tls() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.answer("/oauth/token", failing: .untrusted("untrusted"))
        await #expect(throws: CountersignError.tls("untrusted")) { try await client.tokens(for: pending) }
    }

    @Test("A connection lost during the TLS handshake is retried")
    func handshake() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.answer("/oauth/token", failing: .tls("connection reset"))
        fixture.transport.answer("/oauth/token", 200, try fixture.tokenResponse())
        #expect(try await client.tokens(for: pending).accessToken == "access-1")
    }

    @Test("RFC 7240: a long poll is sent at once, and another may directly follow a held answer")
    func longPoll() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        let body = JSONWriter.bytes(["error": "authorization_pending"])
        fixture.transport.answer("/oauth/token") { [clock = fixture.clock] _ in
            clock.advance(.seconds(20))
            return ClientResponse(status: 400, fields: ["Preference-Applied": "wait=20"], body: body)
        }
        fixture.transport.refuse("authorization_pending")  // a server that did not hold it
        fixture.transport.answer("/oauth/token", 200, try fixture.tokenResponse())
        _ = try await client.tokens(for: pending, longPoll: .seconds(20))
        #expect(polls(fixture) == [0, 20, 25])
        #expect(fixture.transport.sent("/oauth/token").allSatisfy { $0.fields["Prefer"] == "wait=20" })
    }

    @Test("A long poll waits no longer than the request's lifetime")
    func longPollAtTheEnd() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client, expiresIn: 10)
        fixture.transport.refuse("access_denied")
        await #expect(throws: CountersignError.denied(reason: nil)) {
            try await client.tokens(for: pending, longPoll: .seconds(60))
        }
        #expect(fixture.transport.sent("/oauth/token").first?.fields["Prefer"] == "wait=10")
    }

    @Test("The sequence of states ends after the approval")
    func states() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.refuse("authorization_pending")
        fixture.transport.refuse("slow_down")
        fixture.transport.answer("/oauth/token", failing: .timedOut)
        fixture.transport.answer("/oauth/token", 200, try fixture.tokenResponse())
        var seen: [String] = []
        for try await state in client.states(of: pending) {
            switch state {
            case .pending(let next): seen.append("pending \(next.components.seconds)")
            case .slowDown(let next): seen.append("slow down \(next.components.seconds)")
            case .retrying(_, let next): seen.append("retrying \(next.components.seconds)")
            case .approved(let tokens): seen.append(tokens.accessToken)
            }
        }
        #expect(seen == ["pending 5", "slow down 10", "retrying 10", "access-1"])
    }

    @Test("A single redemption sends one request")
    func redeem() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.refuse("slow_down", ["interval": 12])
        guard case .slowDown(let next) = try await client.redeem(pending) else {
            Issue.record("not told to slow down")
            return
        }
        #expect(next == .seconds(12))
        #expect(fixture.clock.sleeps.isEmpty)
    }

    @Test("A pending request survives encoding and decoding")
    func persistence() async throws {
        let fixture = try ClientFixture()
        let pending = try await fixture.start(try fixture.client())
        let stored = try JSONEncoder().encode(pending)
        #expect(try JSONDecoder().decode(PendingAuthorization.self, from: stored) == pending)
    }

    @Test(
        "Huge numbers in answers do not trap",
        arguments: ["9223372036854775807", "1e300", "-9223372036854775808"])
    func hugeNumbers(_ literal: String) async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let number = try JSONReader.parse(literal)
        for life in [number, 300] {
            fixture.transport.answer(
                "/bc-authorize", 200, ["auth_req_id": "req-1", "expires_in": life, "interval": number])
        }
        let request = BackchannelRequest(user: ClientFixture.user, bindingMessage: "Order 4711")
        for _ in 0..<2 {
            guard let pending = try? await client.start(request) else { continue }
            fixture.transport.refuse("authorization_pending")
            fixture.transport.refuse("slow_down", ["interval": number], ["Retry-After": literal])
            fixture.transport.answer("/oauth/token", 200, try fixture.tokenResponse(["expires_in": number]))
            if let tokens = try? await client.tokens(for: pending) { #expect(Tokens(json: tokens.json) != nil) }
        }
    }

    @Test("A stored request with huge numbers is still polled", arguments: [1e300, -1e300])
    func hugeStoredNumbers(_ end: Double) async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let json = """
            {"authReqID":"req-1","expiresIn":\(Int.max),"interval":\(Int.max),"expiresAt":\(end),
             "user":"\(ClientFixture.user)","scope":["openid"]}
            """
        let pending = try JSONDecoder().decode(PendingAuthorization.self, from: Data(json.utf8))
        var claims = fixture.idTokenClaims
        claims["exp"] = JSONValue(fixture.clock.now.seconds + 300_000)
        let idToken = try fixture.sign(claims)
        if end > 0 {
            fixture.transport.answer("/oauth/token", 200, try fixture.tokenResponse(["id_token": .string(idToken)]))
            #expect(try await client.tokens(for: pending).accessToken == "access-1")
            #expect(polls(fixture) == [259_200])
        } else {
            await #expect(throws: CountersignError.expired) { try await client.tokens(for: pending) }
        }
        fixture.transport.refuse("slow_down")
        _ = try await client.redeem(pending)
    }

    @Test(
        "A malformed token response is refused",
        arguments: [
            ["access_token": nil], ["token_type": "mac"], ["id_token": nil], ["access_token": ""],
        ] as [JSONObject])
    func protocolViolation(_ changes: JSONObject) async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.answer("/oauth/token", 200, try fixture.tokenResponse(changes))
        let failure = await #expect(throws: CountersignError.self) { try await client.tokens(for: pending) }
        guard case .protocolViolation = failure else {
            Issue.record("unexpected: \(String(describing: failure))")
            return
        }
    }
}
