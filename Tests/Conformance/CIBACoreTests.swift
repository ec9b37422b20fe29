import AuthorizationCore
import Flows
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("CIBA Core 1.0")
struct CIBACoreTests {
    // MARK: 7.1 Authentication request

    @Test("7.1: the request must be a POST", arguments: ["GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])
    func startMethod(method: String) async throws {
        let fixture = try await ConformanceFixture()
        var request = Request.form("/bc-authorize", fixture.client.startParameters())
        request.method = HTTPMethod(method)
        let answer = await fixture.server.send(request)
        expectError(answer, 405, "method_not_allowed", "Use POST here")
        #expect(answer.fields["Allow"] == "POST")
    }

    @Test("7.1: an unauthenticated client starts nothing")
    func startAuthentication() async throws {
        let fixture = try await ConformanceFixture()
        let before = try await fixture.server.dump()
        expectError(try await fixture.client.start(["client_secret": nil]), 401, "invalid_client")
        expectError(try await fixture.client.start(["client_secret": "wrong"]), 401, "invalid_client")
        expectError(try await fixture.client.start(["client_id": nil, "client_secret": nil]), 401, "invalid_client")
        #expect(try await fixture.server.dump() == before)
    }

    @Test(
        "7.1: hints other than login_hint, user codes, signed requests and notification tokens are refused by name",
        arguments: [
            ("request", "send the parameters themselves in the body, not as a signed request"),
            ("id_token_hint", "name the user with login_hint"), ("login_hint_token", "name the user with login_hint"),
            ("user_code", "leave it out: users prove themselves on their phones"),
            ("client_notification_token", "leave it out and poll the token endpoint: nobody is notified"),
        ])
    func otherHints(name: String, advice: String) async throws {
        let fixture = try await ConformanceFixture()
        expectError(
            try await fixture.client.start([name: "x"]), 400, "invalid_request",
            "\(name) is not supported; \(advice)")
    }

    @Test("7.1: a request without a hint is refused")
    func noHint() async throws {
        let fixture = try await ConformanceFixture()
        expectError(
            try await fixture.client.start(["login_hint": nil]), 400, "invalid_request",
            "Missing required parameter: login_hint")
    }

    @Test("7.1: acr_values and unknown parameters are ignored")
    func unknownParameters() async throws {
        let fixture = try await ConformanceFixture()
        let answer = try await fixture.client.start([
            "acr_values": "urn:x", "subjectIssuerContext": "y", "organization": "z",
        ])
        #expect(answer.status == 200)
    }

    // MARK: 7.3 Acknowledgement

    @Test(
        "7.3: the answer is not cacheable and has auth_req_id of 64 characters, and expires_in and interval as numbers")
    func acknowledgement() async throws {
        let fixture = try await ConformanceFixture()
        let answer = try await fixture.client.start()
        #expect(answer.status == 200)
        #expect(answer.fields["Content-Type"] == "application/json")
        #expect(answer.fields["Cache-Control"] == "no-store")
        let id = try (answer["auth_req_id"]?.stringValue).orThrow("no auth_req_id")
        #expect(id.utf8.count == 64)
        #expect(Base64URL.decode(id)?.count == 48)
        #expect(answer["expires_in"]?.intValue == 300)
        #expect(answer["interval"]?.intValue == 5)
        #expect(answer["approval_uri"]?.stringValue?.hasPrefix("https://") == true)
        #expect(answer.json.objectValue?.count == 4)
        let second = try await fixture.client.started()
        #expect(second != id)
    }

    @Test("7.3: the server stores a hash of the auth_req_id and its time, never the id")
    func hashed() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        let bytes = try Base64URL.decode(id).orThrow("not base64url")
        let rows = try await fixture.server.dump().joined()
        #expect(!rows.contains(id))
        #expect(!rows.contains(Hex.encode(bytes.dropFirst(6)).uppercased()))
        let hash = bytes.prefix(6) + Samples.hashing.sha256(Array(id.utf8)).dropFirst(6)
        #expect(rows.contains("X'\(Hex.encode(hash).uppercased())'"))
    }

    // MARK: 10.1 Token request

    @Test("10.1: an approved request gives tokens exactly once")
    func once() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        #expect(try await fixture.phone.decide(id).status == 204)
        let answer = try await fixture.client.poll(id)
        #expect(answer.status == 200)
        for _ in 0..<3 {
            expectError(
                try await fixture.client.poll(id), 400, "invalid_grant", "Invalid or expired auth_req_id")
        }
    }

    @Test("10.1: an auth_req_id is valid only for its client")
    func otherClient() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        _ = try await fixture.phone.decide(id)
        let before = try await fixture.server.dump()
        expectError(
            try await InProcessClient("second", via: fixture.server).poll(id), 400, "invalid_grant",
            "Invalid or expired auth_req_id")
        #expect(try await fixture.server.dump() == before)
        #expect(try await fixture.client.poll(id).status == 200)
    }

    @Test("10.1: auth_req_id is required")
    func missingID() async throws {
        let fixture = try await ConformanceFixture()
        let answer = await fixture.server.send(
            .form("/oauth/token", fixture.client.pollParameters("").filter { $0.key != "auth_req_id" }))
        expectError(answer, 400, "invalid_request", "Missing required parameter: auth_req_id")
    }

    @Test("10.1.1: the token response has type Bearer, scope and lifetime, and is not cacheable")
    func tokenResponse() async throws {
        let answer = try await ConformanceFixture().tokens()
        #expect(answer.status == 200)
        #expect(answer.fields["Cache-Control"] == "no-store")
        #expect(answer.fields["Pragma"] == "no-cache")
        #expect(answer.fields["WWW-Authenticate"] == nil)
        #expect(answer["token_type"]?.stringValue == "Bearer")
        #expect(answer["expires_in"]?.intValue == 86_400)
        #expect(answer["scope"]?.stringValue == "openid")
        #expect(answer["refresh_token"] == nil)
        #expect(answer["authorization_details"] == nil)
    }

    // MARK: 11 Token error response

    @Test("11: an undecided request is authorization_pending, without a challenge that would hide the body")
    func pending() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        let answer = try await fixture.client.poll(id)
        expectError(answer, 400, "authorization_pending", pendingText)
        #expect(answer.fields["WWW-Authenticate"] == nil)
        #expect(answer.fields["Retry-After"] == nil)
    }

    @Test("11: slow_down adds 5 seconds for each early poll")
    func slowDown() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        expectError(try await fixture.client.poll(id), 400, "authorization_pending")
        for interval in [10, 15, 20] {
            let answer = try await fixture.client.poll(id)
            expectError(
                answer, 400, "slow_down", "You are polling faster than allowed. Try again in \(interval) seconds.")
            #expect(answer["interval"]?.intValue == interval)
            #expect(answer.fields["Retry-After"] == "\(interval)")
            #expect(answer.fields["WWW-Authenticate"] == nil)
        }
    }

    @Test("11: expired_token from the second of expiry on")
    func expired() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started(["requested_expiry": "30"])
        fixture.server.advance(.seconds(30) - .milliseconds(1))
        expectError(try await fixture.client.poll(id), 400, "authorization_pending")
        fixture.server.advance(.milliseconds(1))
        expectError(try await fixture.client.poll(id), 400, "expired_token")
    }

    @Test("11: every poll of a rejected request is access_denied")
    func denied() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        #expect(try await fixture.phone.decide(id, accepted: false, reason: "not me").status == 204)
        for _ in 0..<2 {
            expectError(try await fixture.client.poll(id), 400, "access_denied", deniedText)
        }
    }

    @Test("11: an unknown auth_req_id is invalid_grant")
    func unknown() async throws {
        let fixture = try await ConformanceFixture()
        for id in ["x", String(repeating: "A", count: 64), String(repeating: "A", count: 20_000)] {
            expectError(
                try await fixture.client.poll(id), 400, "invalid_grant", "Invalid or expired auth_req_id")
        }
    }

    @Test("11: a client without the grant is unauthorized_client")
    func noGrant() async throws {
        let fixture = try await ConformanceFixture()
        let client = InProcessClient("no-grant", via: fixture.server)
        let text = "Grant type 'urn:openid:params:grant-type:ciba' not allowed for the client."
        expectError(try await client.poll("x"), 400, "unauthorized_client", text)
    }

    // MARK: 13 Authentication error response

    @Test("13: unauthorized_client for third parties and clients without the grant, before any user is disturbed")
    func unauthorized() async throws {
        let fixture = try await ConformanceFixture()
        let before = try await fixture.server.dump()
        let text = "Grant type 'urn:openid:params:grant-type:ciba' not allowed for the client."
        expectError(
            try await InProcessClient("no-grant", via: fixture.server).start(), 400, "unauthorized_client", text)
        expectError(
            try await InProcessClient("third-party", via: fixture.server).start(), 400, "unauthorized_client")
        #expect(try await fixture.server.dump() == before)
    }

    @Test("13: unknown, blocked and foreign users are unknown_user_id with the same text")
    func unknownUser() async throws {
        let fixture = try await ConformanceFixture {
            $0.users.append(Samples.user("auth0|blocked") { $0.blocked = true })
        }
        for user in ["auth0|nobody", "auth0|blocked", "auth0|zoe"] {
            expectError(
                try await fixture.client.start(["login_hint": InProcessClient.loginHint(user)]), 400,
                "unknown_user_id", "User ID is malformed or unknown")
        }
    }

    @Test("13: invalid_binding_message names the wrong character or length, and the setting of the alphabet")
    func bindingMessage() async throws {
        let fixture = try await ConformanceFixture()
        let advice =
            "use letters, digits, spaces and + - _ . , : #, or let the tenant's setting binding_message_alphabet be unicode"
        expectError(
            try await fixture.client.start(["binding_message": "a/b"]), 400, "invalid_binding_message",
            "binding_message must not contain '/'; \(advice)")
        expectError(
            try await fixture.client.start(["binding_message": String(repeating: "a", count: 65)]), 400,
            "invalid_binding_message", "binding_message must have 1 to 64 characters, not 65")
        expectError(
            try await fixture.client.start(["binding_message": "a\nb"]), 400, "invalid_binding_message",
            "binding_message must not contain U+000A; \(advice)")
    }

    @Test("13: a tenant that allows Unicode does not advise ASCII")
    func unicodeBindingMessage() async throws {
        let fixture = try await ConformanceFixture { $0.tenant.settings.bindingMessageAlphabet = .unicode }
        #expect(try await fixture.client.start(["binding_message": "Zahlung über 2500 €"]).status == 200)
        let advice = "leave out line breaks, control and formatting characters, and what Unicode has not assigned"
        for (message, shown) in [("a\u{202E}b", "U+202E"), ("a\u{1}b", "U+0001"), ("a\u{10FFFF}", "U+10FFFF")] {
            expectError(
                try await fixture.client.start(["binding_message": message]), 400, "invalid_binding_message",
                "binding_message must not contain \(shown); \(advice)")
        }
    }

    @Test("RFC 9396: authorization_details that are empty or not an array are refused with advice")
    func emptyDetails() async throws {
        let fixture = try await ConformanceFixture()
        for (details, text) in [
            ("[]", "is an empty array; name at least one object, or leave the parameter out"),
            (#"{"type":"payment"}"#, "must be a JSON array of objects; put brackets around the one object"),
            (#""payment""#, "must be a JSON array of objects"),
        ] {
            expectError(
                try await fixture.client.start(["authorization_details": details]), 400,
                "invalid_authorization_details",
                "authorization_details \(text)")
        }
    }

    @Test("13: invalid_scope for characters that a scope token cannot have (RFC 6749 3.3)")
    func scopeCharacters() async throws {
        let fixture = try await ConformanceFixture()
        expectError(try await fixture.client.start(["scope": "openid \"x\""]), 400, "invalid_scope")
        expectError(try await fixture.client.start(["scope": "openid é"]), 400, "invalid_scope")
    }

    @Test("13: invalid_client is 401")
    func invalidClient() async throws {
        let fixture = try await ConformanceFixture()
        let text = "Client authentication failed: check client_id and client_secret"
        expectError(try await fixture.client.start(["client_secret": "wrong"]), 401, "invalid_client", text)
        expectError(try await fixture.client.start(["client_id": "nobody"]), 401, "invalid_client", text)
        expectError(try await fixture.client.start(["client_id": "stranger"]), 401, "invalid_client", text)
    }

    // MARK: 11 Long polling

    @Test("11: a held poll is answered when the user decides, and not before", arguments: [true, false])
    func held(accepted: Bool) async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        async let answering = fixture.client.poll(id, wait: 30)
        await fixture.server.timer.awaitSleepers()
        #expect(fixture.server.hub.waiting == 1)
        _ = try await fixture.phone.decide(id, accepted: accepted)
        let answer = try await answering
        if accepted {
            #expect(answer.status == 200)
        } else {
            expectError(answer, 400, "access_denied", deniedText)
        }
        #expect(answer.fields["Preference-Applied"] == "wait=30")
        #expect(fixture.server.hub.waiting == 0)
    }

    @Test("11: a held poll is answered authorization_pending when the wait ends")
    func heldInVain() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        async let answering = fixture.client.poll(id, wait: 30)
        await fixture.server.timer.awaitSleepers()
        fixture.server.advance(.seconds(30))
        let answer = try await answering
        expectError(answer, 400, "authorization_pending", pendingText)
        #expect(answer.fields["Preference-Applied"] == "wait=30")
        // The wait exceeded the interval, so the next poll may follow at once.
        async let again = fixture.client.poll(id, wait: 5)
        await fixture.server.timer.awaitSleepers()
        fixture.server.advance(.seconds(5))
        expectError(try await again, 400, "authorization_pending")
    }

    @Test("11: a poll is not held beyond the request's expiry")
    func heldUntilExpiry() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started(["requested_expiry": "10"])
        async let answering = fixture.client.poll(id, wait: 60)
        await fixture.server.timer.awaitSleepers()
        fixture.server.advance(.seconds(10))
        expectError(try await answering, 400, "expired_token")
    }
}
