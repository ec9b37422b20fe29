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
    /// When the token requests went out, in seconds after the start.
    private func polls(_ fixture: ClientFixture) -> [Double] { fixture.transport.sent("/oauth/token").map(\.time) }

    @Test("Pending, pending, approved: one request an interval, and typed tokens at the end")
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

    @Test("RFC 8628 3.5: each slow_down adds five seconds, for good; a larger wish of the server's wins")
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

    @Test("RFC 9110 10.2.3: a longer Retry-After holds back the next poll only")
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

    @Test("A rejection has the person's reason, where the server tells one")
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
        "Nobody polls after the end; one last poll may be a second earlier than the server's pace, and no more",
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

    @Test("After failures that pauses grew with, the last poll comes before the end; not where Retry-After forbids it")
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

    @Test("RFC 9110 15.5.9, RFC 8470 5.2: what comes too late or too early is tried again", arguments: [408, 425])
    func passing(_ status: Int) async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.answer("/oauth/token", status, [:])
        fixture.transport.answer("/oauth/token", 200, try fixture.tokenResponse())
        #expect(try await client.tokens(for: pending).accessToken == "access-1")
    }

    @Test("A failing network is tried again with growing pauses")
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

    @Test("RFC 9110 10.2.3: a server that fails says in Retry-After when to come back, if that is later")
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

    @Test("A network that stays away until the end is the reason given")
    func networkToTheEnd() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client, expiresIn: 8)
        fixture.transport.answer("/oauth/token", failing: .cannotConnect("refused"))
        fixture.transport.answer("/oauth/token", failing: .cannotConnect("refused"))
        await #expect(throws: CountersignError.network("refused")) { try await client.tokens(for: pending) }
    }

    @Test("CIBA Core 10.1.1: tokens come once, so no auth_req_id is redeemed before the keys are at hand")
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

    @Test("Tokens that came are kept while the keys they are signed with cannot be had, beyond the request's end too")
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

    @Test("A certificate that is not trusted is not tried again")
    func tls() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.answer("/oauth/token", failing: .untrusted("untrusted"))
        await #expect(throws: CountersignError.tls("untrusted")) { try await client.tokens(for: pending) }
    }

    @Test("A connection that is lost during its TLS handshake is tried again")
    func handshake() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.answer("/oauth/token", failing: .tls("connection reset"))
        fixture.transport.answer("/oauth/token", 200, try fixture.tokenResponse())
        #expect(try await client.tokens(for: pending).accessToken == "access-1")
    }

    @Test("RFC 7240: a long poll goes out at once, and after a held answer the next may follow directly")
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

    @Test("A long poll asks for no more time than the request has")
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

    @Test("Cancelling the task ends the wait")
    func cancelledWaiting() async throws {
        let fixture = try ClientFixture()
        let sleeping = AsyncStream.makeStream(of: Void.self)
        let client = try fixture.client(
            clock: EndlessClock(start: fixture.clock.now, sleeping: sleeping.continuation))
        let pending = try await fixture.start(client)
        fixture.transport.answer("/oauth/revoke") { _ in ClientResponse(status: 200, fields: [:], body: []) }
        let task = Task { try await client.tokens(for: pending) }
        var began = sleeping.stream.makeAsyncIterator()
        await began.next()
        task.cancel()
        await #expect(throws: CountersignError.cancelled) { try await task.value }
        #expect(polls(fixture).isEmpty)
        let withdrawn = try #require(fixture.transport.sent("/oauth/revoke").first?.form)
        #expect(withdrawn["token"] == "req-1" && withdrawn["token_type_hint"] == "auth_req_id")
    }

    @Test("Cancelling the task ends the wait for a published document too", .timeLimit(.minutes(1)))
    func cancelledDiscovery() async throws {
        let sending = AsyncStream.makeStream(of: Void.self)
        var environment = try ClientFixture().environment
        environment.transport = SilentTransport(sending: sending.continuation)
        let client = try CountersignClient(
            issuer: try #require(URL(string: ClientFixture.issuer)), clientID: "agent", authentication: .publicClient,
            environment: environment)
        let task = Task {
            try await client.start(BackchannelRequest(user: ClientFixture.user, bindingMessage: "Order 4711"))
        }
        var began = sending.stream.makeAsyncIterator()
        await began.next()
        task.cancel()
        await #expect(throws: CountersignError.cancelled) { try await task.value }
    }

    @Test("A request that was cancelled is not taken for a network failure")
    func cancelledRequest() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.answer("/oauth/token", failing: .cancelled)
        await #expect(throws: CountersignError.cancelled) { try await client.tokens(for: pending) }
    }

    @Test("The states can be watched, and end after approval")
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

    @Test("One look asks once")
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

    @Test("A pending request survives a restart")
    func persistence() async throws {
        let fixture = try ClientFixture()
        let pending = try await fixture.start(try fixture.client())
        let stored = try JSONEncoder().encode(pending)
        #expect(try JSONDecoder().decode(PendingAuthorization.self, from: stored) == pending)
    }

    @Test(
        "Numbers beyond all measure do no harm",
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

    @Test("A stored request whose numbers are beyond all measure is still polled for", arguments: [1e300, -1e300])
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
        "A token response that breaks the rules is not used",
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

/// A clock whose sleeps end only with their task.
private struct EndlessClock: PollingClock {
    let start: Timestamp
    let sleeping: AsyncStream<Void>.Continuation

    var now: Timestamp { start }

    func sleep(for duration: Duration) async throws(CancellationError) {
        sleeping.yield()
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        continuation.finish()
        throw CancellationError()
    }
}

/// A server that never answers.
private struct SilentTransport: HTTPClient {
    let sending: AsyncStream<Void>.Continuation

    func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        sending.yield()
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        continuation.finish()
        throw .cancelled
    }

    func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse { throw .cancelled }
}
