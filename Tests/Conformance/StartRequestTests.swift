import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Backchannel requests: parameters")
struct StartRequestTests {
    @Test("CIBA Core 7.1: openid is required unless authorization_details are present; without it there is no ID token")
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

    @Test("CIBA Core 7.1: requested_expiry is 1...259200; the alias request_expiry counts only without it")
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

    @Test("Push is for 1...300 seconds, and the error names each channel's obstacle")
    func channels() async throws {
        let push = "No eligible notification channels were found. guardian-push: "
        let unverified = "User does not have a verified email address"
        let long = "requested_expiry over 300 seconds is not allowed for this client"
        let notSetUp = "User does not have push notifications set up"
        for (configured, user, expiry, expected) in [
            (nil, "auth0|bob", "300", push + notSetUp),
            ([.guardianPush], "auth0|ann", "301", push + long),
            (nil, "auth0|ann", "301", push + long),
            ([.guardianPush, .email], "auth0|bob", "300", push + notSetUp + ", email: " + unverified),
            ([.guardianPush, .email], "auth0|eve", "300", nil),
            (
                [.guardianPush, .email], "auth0|ann", "301",
                "No eligible notification channels were found. email: " + unverified
            ),
            ([.email], "auth0|eve", "259200", nil),
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

    @Test("A client that allows long pushes can use them; a tenant without the push factor has no push")
    func longPush() async throws {
        let allowing = try await ConformanceFixture { $0.clients[0].allowsLongPush = true }
        #expect(try await allowing.client.start(["requested_expiry": "259200"]).status == 200)
        let off = try await ConformanceFixture { $0.tenant.settings.pushEnabled = false }
        expectError(
            try await off.client.start(), 400, "invalid_request",
            "No eligible notification channels were found. guardian-push: push notifications not enabled on tenant")
    }

    @Test("CIBA Core 7.1: binding_message is required: 1...64 letters, digits, spaces and + - _ . , : #")
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

    @Test("UTS 39: a tenant may allow printable Unicode, but no invisible or reordering characters")
    func unicodeMessage() async throws {
        let fixture = try await ConformanceFixture { $0.tenant.settings.bindingMessageAlphabet = .unicode }
        #expect(try await fixture.client.start(["binding_message": "Zahlung 5 € an Zoë 😀"]).status == 200)
        for message in ["\u{202E}x", "a\u{200B}b", "a\nb", "\u{FEFF}", "\u{2003}\u{A0}"] {
            expectError(try await fixture.client.start(["binding_message": message]), 400, "invalid_binding_message")
        }
    }

    @Test(
        "UTS 51 1.4.2: joiners and selectors are allowed within emoji and refused elsewhere",
        arguments: [
            ("\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", true),
            ("\u{2764}\u{FE0F}\u{200D}\u{1F525} 1\u{FE0F}\u{20E3}", true),
            ("\u{1F469}\u{1F3FD}\u{200D}\u{1F680}", true), ("\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}", true),
            ("\u{845B}\u{E0100}", false), ("a\u{200D}b", false), ("1\u{200D}2", false), ("\u{200D}\u{1F525}", false),
            ("\u{1F525}\u{200D}", false), ("\u{1F525}\u{200D}\u{200D}\u{1F525}", false), ("\u{FE0F}x", false),
            (" \u{FE0F}x", false), ("a\u{FE0F}\u{FE0F}", false), ("\u{1F525}\u{E0061}\u{E007F}", false),
            ("a\u{34F}b", false), ("\u{FE01}", false), ("a\u{FE01}", false), ("a\u{FE0F}", false),
            ("a\u{E0100}", false),
            ("a\u{E0070}\u{E0061}\u{E0079}\u{E007F}", false),
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

    @Test("CIBA Core 7.1: login_hint takes members in any order, blanks, an optional slash and custom domains")
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

    @Test("CIBA Core 7.1: a malformed login_hint is refused with the fault")
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
}
