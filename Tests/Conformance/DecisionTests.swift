import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import JOSE
import OAuthWire
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

@Suite("Where the sources disagree: what is done here")
struct DecisionTests {
    @Test("1: OAuth errors are 400, and never 403 or 429 from the token endpoint")
    func statuses() async throws {
        let world = try await World()
        let id = try await world.client.started()
        var statuses: Set<Int> = []
        for _ in 0..<50 { statuses.insert(try await world.client.poll(id).status) }
        statuses.insert(try await world.client.poll("unknown").status)
        statuses.insert(try await InProcessClient("no-grant", via: world.server).poll(id).status)
        #expect(statuses == [400])
        #expect(try await InProcessClient("nobody", via: world.server).poll(id).status == 401)
    }

    @Test("2: denied is access_denied with Auth0's text")
    func denied() async throws {
        let world = try await World()
        let id = try await world.client.started()
        _ = try await world.phone.decide(id, accepted: false)
        expectError(try await world.client.poll(id), 400, "access_denied", deniedText)
    }

    @Test(
        "3: expired is expired_token, or access_denied where the tenant wants it as Auth0 has it",
        arguments: [false, true])
    func expired(asDenied: Bool) async throws {
        let world = try await World { $0.tenant.settings.expiredAsDenied = asDenied }
        let id = try await world.client.started(["requested_expiry": "1"])
        world.server.advance(.seconds(1))
        let answer = try await world.client.poll(id)
        if asDenied {
            expectError(answer, 400, "access_denied", deniedText)
        } else {
            expectError(answer, 400, "expired_token")
        }
    }

    @Test("3: an approved request that nobody fetched is expired as well")
    func approvedAndExpired() async throws {
        let world = try await World()
        let id = try await world.client.started(["requested_expiry": "10"])
        #expect(try await world.phone.decide(id).status == 204)
        world.server.advance(.seconds(10))
        expectError(try await world.client.poll(id), 400, "expired_token")
    }

    @Test("4: the first poll may come at once, and a second early is no violation")
    func tolerance() async throws {
        let world = try await World()
        let id = try await world.client.started()
        expectError(try await world.client.poll(id), 400, "authorization_pending", pendingText)
        for _ in 0..<3 {
            world.server.advance(.seconds(4))
            expectError(try await world.client.poll(id), 400, "authorization_pending", pendingText)
        }
        world.server.advance(.milliseconds(3999))
        expectError(try await world.client.poll(id), 400, "slow_down")
    }

    @Test("4: one compliant wait forgets the penalty, so that clients with a fixed interval do not livelock")
    func forgiving() async throws {
        let world = try await World()
        let id = try await world.client.started()
        for _ in 0..<3 { _ = try await world.client.poll(id) }
        let told = try await world.client.poll(id)
        #expect(told.fields["Retry-After"] == "20")
        world.server.advance(.seconds(20))
        expectError(try await world.client.poll(id), 400, "authorization_pending")
        world.server.advance(.seconds(5))
        expectError(try await world.client.poll(id), 400, "authorization_pending")
    }

    @Test("5: openid is required, unless authorization_details are there; then no ID token without it")
    func openid() async throws {
        let world = try await World()
        for scope in [nil, "profile", "pay:send"] as [String?] {
            expectError(
                try await world.client.start(["scope": scope, "audience": Samples.api]), 400, "invalid_request",
                "openid scope must be requested")
        }
        for (scope, isThere) in [(nil, false), ("pay:send", false), ("openid", true)] as [(String?, Bool)] {
            let answer = try await world.tokens([
                "scope": scope, "audience": Samples.api, "authorization_details": #"[{"type":"payment"}]"#,
            ])
            #expect(answer.status == 200)
            #expect((answer["id_token"] != nil) == isThere)
            let audience = try await world.verified(answer["access_token"])["aud"]
            #expect(isThere ? audience?.arrayValue?.count == 2 : audience == .string(Samples.api))
        }
    }

    @Test("6: requested_expiry from 1 to 259200, and its misspelt alias, which counts for less")
    func expiry() async throws {
        let world = try await World {
            $0.clients[0].allowsLongPush = true
            $0.tenant.settings.requestsPerMinutePerUser = 100
        }
        for (parameters, expected) in [
            (["requested_expiry": "1"], 1), (["requested_expiry": "259200"], 259_200), (["request_expiry": "60"], 60),
            (["requested_expiry": "90", "request_expiry": "60"], 90), (["requested_expiry": ""], 300), ([:], 300),
        ] as [([String: String?], Int)] {
            #expect(try await world.client.start(parameters)["expires_in"]?.intValue == expected)
        }
        for value in ["0", "259201", "-1", "+5", "1.5", "1e3", "x", " 5", "99999999999999999999", "٣"] {
            for name in ["requested_expiry", "request_expiry"] {
                expectError(
                    try await world.client.start([name: value]), 400, "invalid_request",
                    "requested_expiry must be a whole number of seconds from 1 to 259200")
            }
        }
    }

    @Test("6: requested_expiry may be a JSON number")
    func expiryAsNumber() async throws {
        let world = try await World()
        let answer = await world.server.send(
            .json(.post, "/bc-authorize", try jsonParameters(world, ["requested_expiry": 120])))
        #expect(answer["expires_in"]?.intValue == 120)
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
            let world = try await World { setup in
                setup.clients[0].notificationChannels = configured
                setup.users.append(
                    Samples.user("auth0|eve") {
                        $0.email = "eve@example.org"
                        $0.emailVerified = true
                    })
            }
            let answer = try await world.client.start([
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
        let allowing = try await World { $0.clients[0].allowsLongPush = true }
        #expect(try await allowing.client.start(["requested_expiry": "259200"]).status == 200)
        let off = try await World { $0.tenant.settings.pushEnabled = false }
        expectError(
            try await off.client.start(), 400, "invalid_request",
            "No eligible notification channels were found. guardian-push: push notifications not enabled on tenant")
    }

    @Test("8: binding_message is required, 1 to 64 of letters, digits, space and + - _ . , : #")
    func bindingMessage() async throws {
        let world = try await World { $0.tenant.settings.requestsPerMinutePerUser = 1000 }
        expectError(
            try await world.client.start(["binding_message": nil]), 400, "invalid_request",
            "binding_message is required")
        for message in ["a", String(repeating: "Z", count: 64), "Confirm payment of 2500", "+-_.,:# 09azAZ"] {
            #expect(try await world.client.start(["binding_message": message]).status == 200)
        }
        for message in ["é", "a\nb", "a\tb", "€5", "<b>", "\u{202E}x", "a;b", "a\"b", "😀"] {
            expectError(try await world.client.start(["binding_message": message]), 400, "invalid_binding_message")
        }
    }

    @Test("8: a tenant may take any printable Unicode, and still nothing that hides or reorders")
    func unicodeMessage() async throws {
        let world = try await World { $0.tenant.settings.bindingMessageAlphabet = .unicode }
        #expect(try await world.client.start(["binding_message": "Zahlung 5 € an Zoë 😀"]).status == 200)
        for message in ["\u{202E}x", "a\u{200B}b", "a\nb", "\u{FEFF}"] {
            expectError(try await world.client.start(["binding_message": message]), 400, "invalid_binding_message")
        }
    }

    @Test("9: login_hint in any order, with blanks, with and without the slash, by custom domain")
    func loginHint() async throws {
        let world = try await World { $0.tenant.settings.requestsPerMinutePerUser = 1000 }
        for hint in [
            #"{"sub":"auth0|ann","iss":"https://dev.example/","format":"iss_sub"}"#,
            #"{ "format" : "iss_sub", "iss" : "https://dev.example", "sub" : "auth0|ann" }"#,
            "{\n\"format\":\"iss_sub\",\t\"iss\":\"https://login.dev.example/\",\"sub\":\"auth0|ann\"}",
            #"{"format":"iss_sub","iss":"https://DEV.example:443/","sub":"auth0\u007cann"}"#,
            #"{"format":"iss_sub","iss":"https://dev.example/","sub":"auth0|ann","more":1}"#,
        ] { #expect(try await world.client.start(["login_hint": hint]).status == 200, "\(hint)") }
    }

    @Test("9: a login_hint of another form says what is wrong with it")
    func badLoginHint() async throws {
        let world = try await World()
        let prefix = "login_hint parameter validation failed: "
        for (hint, expected) in [
            ("ann@example.org", #"it must be a JSON object such as {"format":"iss_sub","iss":"…","sub":"…"}"#),
            ("[]", #"it must be a JSON object such as {"format":"iss_sub","iss":"…","sub":"…"}"#),
            (#"{"format":"email","email":"a@b"}"#, #""format" must be "iss_sub""#),
            (#"{"format":"iss_sub","sub":"x"}"#, #""iss" is required"#),
            (#"{"format":"iss_sub","iss":"https://dev.example/"}"#, #""sub" is required"#),
            (#"{"format":"iss_sub","iss":"https://dev.example/","sub":7}"#, #""sub" is required"#),
            (#"{"format":"iss_sub","iss":"https://dev.example/","sub":"é"}"#, #""sub" contains unsupported format"#),
        ] {
            expectError(
                try await world.client.start(["login_hint": hint]), 400, "invalid_request", prefix + expected)
        }
        for issuer in ["https://other.example/", "http://dev.example/", "https://dev.example/x", "dev.example"] {
            expectError(
                try await world.client.start(["login_hint": InProcessClient.loginHint(issuer: issuer)]), 400,
                "invalid_request", "iss within login_hint must be this tenant's issuer, https://dev.example/")
        }
    }

    @Test("10: the forms of ids")
    func identifiers() async throws {
        let world = try await World()
        let id = try await world.client.started()
        #expect(id.utf8.count == 64)
        let notification = try await world.phone.notification(of: id)
        let consent = try notification.transactionLinkingID.orThrow("no consent id")
        #expect(consent.hasPrefix("cns_") && consent.utf8.count == 26)
        #expect(world.phone.enrollment.id.hasPrefix("dev_"))
        let user = Identifiers.user(SeededRandom()).rawValue
        #expect(user.hasPrefix("auth0|") && user.utf8.count == 30)
    }

    @Test("11: consent dates are seconds, and strings with milliseconds for Auth0's own SDKs")
    func consentDates() async throws {
        let world = try await World()
        let id = try await world.client.started()
        let notification = try await world.phone.notification(of: id)
        let now = world.server.clock.now
        let numbers = await world.server.send(try world.phone.consentRequest(notification))
        #expect(numbers["created_at"]?.intValue == Int(now.seconds))
        #expect(numbers["expires_at"]?.intValue == Int(now.seconds) + 300)
        for name in ["Guardian.swift", "Guardian.Android"] {
            let header = Auth0ClientHeader(name: name, version: "1").fieldValue
            let strings = await world.server.send(
                try world.phone.consentRequest(notification).with("Auth0-Client", header))
            #expect(strings["created_at"]?.stringValue == now.iso8601)
            #expect(strings["expires_at"]?.stringValue == (now + .seconds(300)).iso8601)
            let read = try ConsentRecord(parsing: strings.body)
            #expect(read == (try ConsentRecord(parsing: numbers.body)))
        }
    }

    @Test("12: the notification's key is txlnkid")
    func linkingID() async throws {
        let world = try await World()
        let notification = try await world.phone.notification(of: try await world.client.started())
        let mfa = try JSONReader.parse(notification.apns)["mfa"]
        #expect(mfa?["txlnkid"]?.stringValue == notification.transactionLinkingID)
        #expect(mfa?["txlinkid"] == nil)
    }

    @Test("13: the consent has the details inline, and a stable id of them")
    func consentDetails() async throws {
        let world = try await World()
        let details = #"[{"type":"payment","amount":12.50}]"#
        var seen: [JSONValue?] = []
        for _ in 0..<2 {
            let id = try await world.client.started(["audience": Samples.api, "authorization_details": details])
            let request = try world.phone.consentRequest(try await world.phone.notification(of: id))
            let answer = await world.server.send(request)
            let requested = answer["requested_details"]
            #expect(requested?["authorization_details"] == (try JSONReader.parse(details)))
            #expect(answer.text.contains("12.50"))
            seen.append(requested?["authorization_details_id"])
        }
        #expect(seen[0]?.stringValue?.isEmpty == false)
        #expect(seen[0] == seen[1])
    }

    @Test("14: JSON bodies count as forms do, also under a form's type, with null as absent")
    func jsonBodies() async throws {
        let world = try await World()
        let body = try jsonParameters(world, ["audience": nil, "unknown": ["a": [1, 2]], "login_hint_token": ""])
        for type in [
            "application/json", "application/json; charset=utf-8", "APPLICATION/JSON",
            "application/x-www-form-urlencoded",
        ] {
            let request = Request.json(.post, "/bc-authorize", body).with("Content-Type", type)
            #expect(await world.server.send(request).status == 200, "\(type)")
        }
        let id = try await world.client.started()
        var poll = JSONObject()
        for (name, value) in world.client.pollParameters(id) { poll[name] = value.map(JSONValue.string) }
        expectError(await world.server.send(.json(.post, "/oauth/token", .object(poll))), 400, "authorization_pending")
    }

    @Test("14: details and hints may be JSON within JSON")
    func nestedJSON() async throws {
        let world = try await World()
        let body = try jsonParameters(
            world,
            [
                "audience": .string(Samples.api), "authorization_details": [["type": "payment", "n": 1]],
                "login_hint": ["format": "iss_sub", "iss": "https://dev.example/", "sub": "auth0|ann"],
            ])
        #expect(await world.server.send(.json(.post, "/bc-authorize", body)).status == 200)
    }

    @Test("14: JSON that repeats a member or is no object is refused")
    func badJSON() async throws {
        let world = try await World()
        for (body, expected) in [
            (#"{"client_id":"a","client_id":"b"}"#, "The body repeats the member client_id; send it once"),
            ("[]", "The JSON body must be an object"), ("null", "The JSON body must be an object"),
            (#"{"client_id":"a\u0000"}"#, "The member client_id contains a NUL character"),
        ] {
            var request = Request.json(.post, "/oauth/token", [:])
            request.body = Array(body.utf8)
            expectError(await world.server.send(request), 400, "invalid_request", expected)
        }
    }

    @Test("15: RSA of 2048 bits and P-256 enrol, sign and decide", arguments: [JWSAlgorithm.rs256, .es256])
    func deviceKeys(algorithm: JWSAlgorithm) async throws {
        let server = try await InProcessServer()
        let client = InProcessClient(via: server)
        let phone = try await InProcessPhone(algorithm: algorithm, in: server)
        let id = try await client.started()
        let notification = try await phone.notification(of: id)
        #expect(await server.send(try phone.consentRequest(notification)).status == 200)
        // Guardian.swift's dates have fractions.
        let seconds = Double(server.clock.now.milliseconds) / 1000 + 0.25
        let response = try phone.response(
            to: notification,
            [
                "iat": .number(try JSONNumber(seconds).orThrow("")),
                "exp": .number(try JSONNumber(seconds + 30).orThrow("")),
            ])
        #expect(await server.send(phone.answerRequest(notification, response: response)).status == 204)
        #expect(try await client.poll(id).status == 200)
    }

    @Test("15: other kinds of keys are refused", arguments: [JWSAlgorithm.es384, .edDSA, .ps256])
    func otherKeys(algorithm: JWSAlgorithm) async throws {
        let server = try await InProcessServer()
        let key = try Keys.signer(algorithm, "odd").publicKey.json
        let answer = await server.send(
            InProcessPhone.enrollRequest(ticket: try await InProcessPhone.ticket(in: server), key: key))
        #expect(answer.status == 400)
        #expect(answer["errorCode"] == "invalid_body")
    }

    @Test("15: a leading zero byte of n makes no other key")
    func leadingZero() async throws {
        let server = try await InProcessServer()
        let signer = try Keys.signer(.rs256, "phone PHONE-1")
        var key = try signer.publicKey.json.objectValue.orThrow("")
        let modulus = try (key["n"]?.stringValue).flatMap { Base64URL.decode($0) }.orThrow("no n")
        key["n"] = .string(Base64URL.encode([0] + modulus))
        let answer = await server.send(
            InProcessPhone.enrollRequest(ticket: try await InProcessPhone.ticket(in: server), key: .object(key)))
        #expect(answer.status == 200)
        let phone = try await InProcessPhone(algorithm: .rs256, in: server)
        let id = try await InProcessClient(via: server).started()
        let notification = try await phone.notification(of: id)
        let proof = try phone.proof(of: notification, header: ["jwk": .object(key)])
        #expect(await server.send(try phone.consentRequest(notification, proof: proof)).status == 200)
    }

    @Test("16: every limit of authorization_details is refused by name")
    func detailLimits() async throws {
        let world = try await World { $0.tenant.settings.requestsPerMinutePerUser = 100 }
        let long = String(repeating: "x", count: 256)
        let deep = String(repeating: "[", count: 6) + String(repeating: "]", count: 6)
        let members = (0..<10).map { "\"p\($0)\":1" }.joined(separator: ",")
        for (details, expected) in [
            ("{}", "must be a JSON array"), ("[]", "must be a JSON array"), ("[1]", "[0] must be an object"),
            (#"[{"n":1}]"#, "\"type\""), (#"[{"type":7}]"#, "\"type\""), ("[", "not valid JSON"),
            ("[" + [String](repeating: #"{"type":"payment"}"#, count: 6).joined(separator: ",") + "]", "6 entries"),
            ("[{\"type\":\"payment\",\(members)}]", "11 properties"),
            ("[{\"type\":\"payment\",\"\(long)\":1}]", "name"), (#"[{"type":"payment","a b":1}]"#, "name"),
            ("[{\"type\":\"payment\",\"n\":\"\(long)\"}]", "more than 255 characters"),
            ("[{\"type\":\"payment\",\"n\":\(deep)}]", "levels deep"),
            ("[{\"type\":\"payment\",\"n\":\"" + String(repeating: "y", count: 5200) + "\"}]", "at most 5120"),
            (#"[{"type":"payment","n":"\u0000"}]"#, "NUL"), (#"[{"type":"payment","type":"payment"}]"#, "repeats"),
        ] {
            let answer = try await world.client.start(["audience": Samples.api, "authorization_details": details])
            expectError(answer, 400, "invalid_authorization_details")
            #expect(answer.message.contains(expected), "\(answer.message)")
        }
        let fitting = #"[{"type":"payment","a":{"b":{"c":{"d":1}}}}]"#
        let answer = try await world.client.start(["audience": Samples.api, "authorization_details": fitting])
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test("17: the sixth request to a user within a minute is 429 with integers that say when")
    func rateLimit() async throws {
        let world = try await World()
        for _ in 0..<5 {
            _ = try await world.client.started()
            world.server.advance(.seconds(5))
        }
        let before = try await world.server.dump()
        let answer = try await world.client.start()
        expectError(
            answer, 429, "too_many_requests",
            "This user was sent 5 requests within a minute. Try again in 35 seconds.")
        #expect(try await world.server.dump() == before)
        #expect(answer.fields["Retry-After"] == "35")
        #expect(answer.fields["x-ratelimit-limit"] == "5")
        #expect(answer.fields["x-ratelimit-remaining"] == "0")
        #expect(answer.fields["x-ratelimit-reset"] == "\(world.server.clock.now.seconds + 35)")
        // Another user, and the same one later, may be asked.
        _ = try await InProcessPhone(UserID("auth0|bob"), identifier: "BOB", in: world.server)
        #expect(try await world.client.start(["login_hint": InProcessClient.loginHint("auth0|bob")]).status == 200)
        world.server.advance(.seconds(35))
        #expect(try await world.client.start().status == 200)
    }

    @Test("17: limits of undecided requests, of a user and of the tenant, are 429 as well")
    func pendingLimits() async throws {
        for change in [
            { $0.tenant.settings.pendingRequestsPerUser = 2 }, { $0.tenant.settings.pendingRequests = 2 },
        ] as [(inout InProcessServer.Setup) -> Void] {
            let world = try await World(change)
            let first = try await world.client.started()
            _ = try await world.client.started()
            let answer = try await world.client.start()
            expectError(answer, 429, "too_many_requests")
            #expect(answer.fields["Retry-After"].flatMap { Int($0) } != nil)
            #expect(answer.fields["x-ratelimit-limit"] == "2")
            _ = try await world.phone.decide(first)
            #expect(try await world.client.start().status == 200)
        }
    }

    @Test("18: OAuth errors never carry errorCode, and device errors always do with status and reason")
    func errorForms() async throws {
        let world = try await World()
        let oauth = try await world.client.start(["client_secret": "x"])
        #expect(Set((oauth.json.objectValue ?? [:]).map(\.name)) == ["error", "error_description"])
        let device = await world.server.send(.json(.post, "/appliance-mfa/api/enroll", [:]))
        #expect(Set((device.json.objectValue ?? [:]).map(\.name)) == ["statusCode", "error", "message", "errorCode"])
        #expect(device["statusCode"]?.intValue == device.status)
        #expect(device["error"] == "Unauthorized")
    }

    @Test(
        "19: the issuer ends in a slash, and is the iss of every token given under that host",
        arguments: [InProcessServer.host, InProcessServer.customHost],
        [InProcessServer.host, InProcessServer.customHost])
    func issuer(startedOn: String, redeemedOn: String) async throws {
        let world = try await World()
        let issuer = "https://\(redeemedOn)/"
        let document = await world.server.send(.get("/.well-known/openid-configuration", host: redeemedOn))
        #expect(document["issuer"]?.stringValue == issuer)
        let userinfo = issuer + "userinfo"
        let audiences: [(asked: String?, claim: JSONValue)] = [
            (nil, .string(userinfo)), ("https://dev.example/userinfo", .string(userinfo)),
            ("https://login.dev.example/userinfo", .string(userinfo)),
            (Samples.api, JSONValue([Samples.api, userinfo])),
        ]
        for (audience, expected) in audiences {
            let started = await world.server.send(
                .form("/bc-authorize", world.client.startParameters(["audience": audience]), host: startedOn))
            let id = try (started["auth_req_id"]?.stringValue).orThrow("not started: \(started.text)")
            _ = try await world.phone.decide(id)
            let answer = await world.server.send(
                .form("/oauth/token", world.client.pollParameters(id), host: redeemedOn))
            for token in ["id_token", "access_token"] {
                #expect(try await world.verified(answer[token], host: redeemedOn)["iss"]?.stringValue == issuer)
            }
            #expect(try await world.verified(answer["access_token"])["aud"] == expected)
        }
    }

    @Test("20: all devices are told, the first decision counts, and the others' prompt is withdrawn")
    func severalDevices() async throws {
        let world = try await World()
        let second = try await InProcessPhone(identifier: "PHONE-2", in: world.server)
        let id = try await world.client.started()
        let outbox = try await world.server.dump().filter { $0.hasPrefix("outbox:") }
        #expect(outbox.count == 2)
        #expect(try await world.phone.notification(of: id).challenge != second.notification(of: id).challenge)
        let late = try await second.notification(of: id)
        #expect(try await world.phone.decide(id, accepted: false).status == 204)
        let answer = await world.server.send(
            second.answerRequest(late, response: try second.response(to: late)))
        #expect(answer.status == 404)
        #expect(answer["errorCode"] == "login_transaction_not_found")
        expectError(try await world.client.poll(id), 400, "access_denied")
        let withdrawals = try await world.server.dump().filter {
            $0.hasPrefix("outbox:") && $0.contains(second.id.rawValue)
        }
        #expect(withdrawals.count == 2)
    }

    @Test("21: a user blocked before the exchange gives invalid_grant, and the request stays as it is")
    func blockedUser() async throws {
        let world = try await World()
        let id = try await world.client.started()
        _ = try await world.phone.decide(id)
        try await world.server.put(Samples.user("auth0|ann") { $0.blocked = true })
        let before = try await world.server.dump()
        expectError(try await world.client.poll(id), 400, "invalid_grant")
        #expect(try await world.server.dump() == before)
    }

    @Test("22: texts follow ui_locales before Accept-Language; codes never change")
    func languages() async throws {
        let world = try await World()
        let french = "Le scope openid doit être demandé"
        let english = "openid scope must be requested"
        for (locales, accepted, expected) in [
            (nil, nil, english), ("fr", nil, french), ("fr-CA", nil, french), ("de fr en", nil, french),
            ("en fr", "fr", english), (nil, "fr", french), (nil, "de, fr;q=0.8, en;q=0.5", french),
            (nil, "fr;q=0.2, en;q=0.5", english), (nil, "fr;q=0", english), ("de", "fr-CH", french),
            (nil, "*", english),
            (nil, "fr;q=x", english), ("FR", nil, french),
        ] as [(String?, String?, String)] {
            let answer = await world.server.send(
                .form("/bc-authorize", world.client.startParameters(["scope": nil, "ui_locales": locales]))
                    .with("Accept-Language", accepted))
            expectError(answer, 400, "invalid_request", expected)
        }
        // Also where the body could not be read, and at the token endpoint.
        var broken = Request.form("/oauth/token", [:], fields: ["Accept-Language": "fr"])
        broken.body = Array("a=%zz".utf8)
        let answer = await world.server.send(broken)
        expectError(
            answer, 400, "invalid_request",
            "Le paramètre a n'est pas un encodage de formulaire valide en UTF-8 sans NUL")
        let id = try await world.client.started()
        let poll = Request.form("/oauth/token", world.client.pollParameters(id).merging(["ui_locales": "fr"]) { $1 })
        expectError(
            await world.server.send(poll), 400, "authorization_pending",
            "L'autorisation de l'utilisateur final est en attente")
    }

    @Test("23: oidc_conformant makes no difference")
    func oidcConformant() async throws {
        let world = try await World { $0.clients[0].oidcConformant = false }
        #expect(try await world.tokens().status == 200)
    }

    /// The parameters of a good request to start as a JSON object, with members set.
    private func jsonParameters(_ world: World, _ changes: JSONObject) throws -> JSONValue {
        var object = JSONObject()
        for (name, value) in world.client.startParameters() { object[name] = value.map(JSONValue.string) }
        for (name, value) in changes { object[name] = value }
        return .object(object)
    }
}
