import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport
import Testing

/// Of starting requests, at `/bc-authorize`.
extension DecisionTests {
    @Test("5: openid is required, unless authorization_details are there; then no ID token without it")
    func openid() async throws {
        let fixture = try await ConformanceFixture()
        for scope in [nil, "profile", "pay:send"] as [String?] {
            expectError(
                try await fixture.client.start(["scope": scope, "audience": Samples.api]), 400, "invalid_request",
                "openid scope must be requested")
        }
        for (scope, isThere) in [(nil, false), ("pay:send", false), ("openid", true)] as [(String?, Bool)] {
            let answer = try await fixture.tokens([
                "scope": scope, "audience": Samples.api, "authorization_details": #"[{"type":"payment"}]"#,
            ])
            #expect(answer.status == 200)
            #expect((answer["id_token"] != nil) == isThere)
            let audience = try await fixture.verified(answer["access_token"])["aud"]
            #expect(isThere ? audience?.arrayValue?.count == 2 : audience == .string(Samples.api))
        }
    }

    @Test("6: requested_expiry from 1 to 259200, and its misspelt alias, which counts for less")
    func expiry() async throws {
        let fixture = try await ConformanceFixture {
            $0.clients[0].allowsLongPush = true
            $0.tenant.settings.requestsPerMinutePerUser = 100
        }
        for (parameters, expected) in [
            (["requested_expiry": "1"], 1), (["requested_expiry": "259200"], 259_200), (["request_expiry": "60"], 60),
            (["requested_expiry": "90", "request_expiry": "60"], 90), (["requested_expiry": ""], 300), ([:], 300),
        ] as [([String: String?], Int)] {
            #expect(try await fixture.client.start(parameters)["expires_in"]?.intValue == expected)
        }
        for value in ["0", "259201", "-1", "+5", "1.5", "1e3", "x", " 5", "99999999999999999999", "٣"] {
            for name in ["requested_expiry", "request_expiry"] {
                expectError(
                    try await fixture.client.start([name: value]), 400, "invalid_request",
                    "\(name) must be a whole number of seconds from 1 to 259200")
            }
        }
    }

    @Test("6: requested_expiry may be a JSON number, which some languages write with a fraction of zero")
    func expiryAsNumber() async throws {
        let fixture = try await ConformanceFixture()
        for literal in ["120", "120.0", "1.2e2"] {
            let number = try JSONReader.parse(literal)
            let answer = await fixture.server.send(
                .json(.post, "/bc-authorize", try jsonParameters(fixture, ["requested_expiry": number])))
            #expect(answer["expires_in"]?.intValue == 120)
        }
    }

    @Test("7: push up to 300 seconds, in the words of each obstacle")
    func channels() async throws {
        let push = "No eligible notification channels were found. guardian-push: "
        let email = "email notifications are not available on this server"
        let unverified = "User does not have a verified email address"
        let long = "requested_expiry over 300 seconds is not allowed for this client"
        let notSetUp = "User does not have push notifications set up"
        for (configured, user, expiry, expected) in [
            (nil, "auth0|bob", "300", push + notSetUp),
            ([.guardianPush], "auth0|ann", "301", push + long),
            (nil, "auth0|ann", "301", push + long),
            ([.guardianPush, .email], "auth0|bob", "300", push + notSetUp + ", email: " + unverified),
            ([.guardianPush, .email], "auth0|eve", "300", push + notSetUp + ", email: " + email),
            (
                [.guardianPush, .email], "auth0|ann", "301",
                "No eligible notification channels were found. email: " + unverified
            ),
            ([.email], "auth0|eve", "300", "No eligible notification channels were found. email: " + email),
            ([.email, .guardianPush], "auth0|ann", "300", nil),
            ([.guardianPush, .email], "auth0|ann", "300", nil),
        ] as [([Client.NotificationChannel]?, String, String, String?)] {
            let fixture = try await ConformanceFixture { setup in
                setup.clients[0].notificationChannels = configured
                setup.users.append(
                    Samples.user("auth0|eve") {
                        $0.email = "eve@example.org"
                        $0.emailVerified = true
                    })
            }
            let answer = try await fixture.client.start([
                "login_hint": InProcessClient.loginHint(user), "requested_expiry": expiry,
            ])
            if let expected {
                expectError(answer, 400, "invalid_request", expected)
            } else {
                #expect(answer.status == 200, "\(answer.text)")
            }
        }
    }

    @Test("7: a client that allows long pushes gets one, and a tenant without the push factor none")
    func longPush() async throws {
        let allowing = try await ConformanceFixture { $0.clients[0].allowsLongPush = true }
        #expect(try await allowing.client.start(["requested_expiry": "259200"]).status == 200)
        let off = try await ConformanceFixture { $0.tenant.settings.pushEnabled = false }
        expectError(
            try await off.client.start(), 400, "invalid_request",
            "No eligible notification channels were found. guardian-push: push notifications not enabled on tenant")
    }

    @Test("8: binding_message is required, 1 to 64 of letters, digits, space and + - _ . , : #")
    func bindingMessage() async throws {
        let fixture = try await ConformanceFixture { $0.tenant.settings.requestsPerMinutePerUser = 1000 }
        expectError(
            try await fixture.client.start(["binding_message": nil]), 400, "invalid_request",
            "binding_message is required")
        for message in ["a", String(repeating: "Z", count: 64), "Confirm payment of 2500", "+-_.,:# 09azAZ"] {
            #expect(try await fixture.client.start(["binding_message": message]).status == 200)
        }
        for message in ["é", "a\nb", "a\tb", "€5", "<b>", "\u{202E}x", "a;b", "a\"b", "😀", " ", "   "] {
            expectError(try await fixture.client.start(["binding_message": message]), 400, "invalid_binding_message")
        }
    }

    @Test("8: a tenant may take any printable Unicode, and still nothing that hides or reorders")
    func unicodeMessage() async throws {
        let fixture = try await ConformanceFixture { $0.tenant.settings.bindingMessageAlphabet = .unicode }
        #expect(try await fixture.client.start(["binding_message": "Zahlung 5 € an Zoë 😀"]).status == 200)
        for message in ["\u{202E}x", "a\u{200B}b", "a\nb", "\u{FEFF}", "\u{2003}\u{A0}"] {
            expectError(try await fixture.client.start(["binding_message": message]), 400, "invalid_binding_message")
        }
    }

    @Test(
        "8: UTS 51 1.4.2: emoji may be joined and chosen among; invisible characters that shape nothing are refused",
        arguments: [
            ("\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", true),
            ("\u{2764}\u{FE0F}\u{200D}\u{1F525} 1\u{FE0F}\u{20E3}", true),
            ("\u{1F469}\u{1F3FD}\u{200D}\u{1F680}", true), ("\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}", true),
            ("\u{845B}\u{E0100}", true), ("a\u{200D}b", false), ("1\u{200D}2", false), ("\u{200D}\u{1F525}", false),
            ("\u{1F525}\u{200D}", false), ("\u{1F525}\u{200D}\u{200D}\u{1F525}", false), ("\u{FE0F}x", false),
            (" \u{FE0F}x", false), ("a\u{FE0F}\u{FE0F}", false), ("\u{1F525}\u{E0061}\u{E007F}", false),
            ("a\u{34F}b", false),
            ("a\u{3164}b", false), ("a\u{115F}b", false), ("\u{1F525}\u{200D}\u{202E}\u{1F525}", false),
        ])
    func joinedEmoji(message: String, isAccepted: Bool) async throws {
        let fixture = try await ConformanceFixture { $0.tenant.settings.bindingMessageAlphabet = .unicode }
        let answer = try await fixture.client.start(["binding_message": message])
        if isAccepted {
            #expect(answer.status == 200, "\(answer.text)")
        } else {
            expectError(answer, 400, "invalid_binding_message")
        }
    }

    @Test("9: login_hint in any order, with blanks, with and without the slash, by custom domain")
    func loginHint() async throws {
        let fixture = try await ConformanceFixture { $0.tenant.settings.requestsPerMinutePerUser = 1000 }
        for hint in [
            #"{"sub":"auth0|ann","iss":"https://dev.example/","format":"iss_sub"}"#,
            #"{ "format" : "iss_sub", "iss" : "https://dev.example", "sub" : "auth0|ann" }"#,
            "{\n\"format\":\"iss_sub\",\t\"iss\":\"https://login.dev.example/\",\"sub\":\"auth0|ann\"}",
            #"{"format":"iss_sub","iss":"https://DEV.example:443/","sub":"auth0\u007cann"}"#,
            #"{"format":"iss_sub","iss":"https://dev.example/","sub":"auth0|ann","more":1}"#,
        ] { #expect(try await fixture.client.start(["login_hint": hint]).status == 200, "\(hint)") }
    }

    @Test("9: a login_hint of another form says what is wrong with it")
    func badLoginHint() async throws {
        let fixture = try await ConformanceFixture()
        let prefix = "login_hint parameter validation failed: "
        for (hint, expected) in [
            (
                "ann",
                "it must be an e-mail address or a JSON object with a format of RFC 9493, such as iss_sub with iss and sub"
            ),
            (
                "[]",
                "it must be an e-mail address or a JSON object with a format of RFC 9493, such as iss_sub with iss and sub"
            ),
            (#"{"sub":"x"}"#, "format must be one of iss_sub, email, phone_number and opaque"),
            (#"{"format":"email","email":"a@b"}"#, "it holds no e-mail address"),
            (#"{"format":"iss_sub","iss":5,"sub":"x"}"#, "'iss' must be a text that is not empty"),
            (#"{"format":"iss_sub","iss":"","sub":"x"}"#, "'iss' must be a text that is not empty"),
            (#"{"format":"iss_sub","iss":"a","iss":"b"}"#, #"it repeats the member iss; send it once"#),
            (
                String(repeating: " ", count: 2000) + #"{"format":"iss_sub","iss":"https://dev.example/","sub":"x"}"#,
                "it must have at most 2048 bytes, not 2059"
            ),
            (#"{"format":"iss_sub","sub":"x"}"#, "'iss' is required"),
            (#"{"format":"iss_sub","iss":"https://dev.example/"}"#, "'sub' is required"),
            (#"{"format":"iss_sub","iss":"https://dev.example/","sub":7}"#, "'sub' must be a text that is not empty"),
            (
                #"{"format":"iss_sub","iss":"https://dev.example/","sub":"é"}"#,
                "'sub' contains unsupported format: a user id has at most 255 ASCII characters"
            ),
        ] {
            expectError(
                try await fixture.client.start(["login_hint": hint]), 400, "invalid_request", prefix + expected)
        }
        let cut = try await fixture.client.start(["login_hint": #"{"format":"iss_sub","iss":"https://dev.example/"#])
        expectError(cut, 400, "invalid_request")
        #expect(cut.message.hasPrefix(prefix + "it is not valid JSON at byte "), "\(cut.message)")
        for issuer in ["https://other.example/", "http://dev.example/", "https://dev.example/x", "dev.example"] {
            expectError(
                try await fixture.client.start(["login_hint": InProcessClient.loginHint(issuer: issuer)]), 400,
                "invalid_request", "iss within login_hint must be this tenant's issuer, https://dev.example/")
        }
    }

    @Test("14: JSON bodies count as forms do, also under a form's type, with null as absent")
    func jsonBodies() async throws {
        let fixture = try await ConformanceFixture()
        let body = try jsonParameters(fixture, ["audience": nil, "unknown": ["a": [1, 2]], "login_hint_token": ""])
        for type in [
            "application/json", "application/json; charset=utf-8", "APPLICATION/JSON",
            "application/x-www-form-urlencoded",
        ] {
            let request = Request.json(.post, "/bc-authorize", body).with("Content-Type", type)
            #expect(await fixture.server.send(request).status == 200, "\(type)")
        }
        let id = try await fixture.client.started()
        var poll = JSONObject()
        for (name, value) in fixture.client.pollParameters(id) { poll[name] = value.map(JSONValue.string) }
        expectError(
            await fixture.server.send(.json(.post, "/oauth/token", .object(poll))), 400, "authorization_pending")
    }

    @Test("14: details and hints may be JSON within JSON")
    func nestedJSON() async throws {
        let fixture = try await ConformanceFixture()
        let body = try jsonParameters(
            fixture,
            [
                "audience": .string(Samples.api), "authorization_details": [["type": "payment", "n": 1]],
                "login_hint": ["format": "iss_sub", "iss": "https://dev.example/", "sub": "auth0|ann"],
            ])
        #expect(await fixture.server.send(.json(.post, "/bc-authorize", body)).status == 200)
    }

    @Test("14: JSON that repeats a member or is no object is refused")
    func badJSON() async throws {
        let fixture = try await ConformanceFixture()
        for (body, expected) in [
            (#"{"client_id":"a","client_id":"b"}"#, "The body repeats the member client_id; send it once"),
            ("[]", "The JSON body must be an object"), ("null", "The JSON body must be an object"),
            (#"{"client_id":"a\u0000"}"#, "The member client_id contains a NUL character"),
        ] {
            var request = Request.json(.post, "/oauth/token", [:])
            request.body = Array(body.utf8)
            expectError(await fixture.server.send(request), 400, "invalid_request", expected)
        }
    }

    @Test("16: every limit of authorization_details is refused by name")
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

    @Test("17: the sixth request to a user within a minute is 429 with integers that say when")
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
        // Another user, and the same one later, may be asked.
        _ = try await InProcessPhone(UserID("auth0|bob"), identifier: "BOB", in: fixture.server)
        #expect(try await fixture.client.start(["login_hint": InProcessClient.loginHint("auth0|bob")]).status == 200)
        fixture.server.advance(.seconds(35))
        #expect(try await fixture.client.start().status == 200)
    }

    @Test("17: limits of undecided requests, of a user and of the tenant, are 429 as well")
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

    /// The parameters of a good request to start as a JSON object, with members set.
    private func jsonParameters(_ fixture: ConformanceFixture, _ changes: JSONObject) throws -> JSONValue {
        var object = JSONObject()
        for (name, value) in fixture.client.startParameters() { object[name] = value.map(JSONValue.string) }
        for (name, value) in changes { object[name] = value }
        return .object(object)
    }
}
