import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

@Suite("Bad input: wrong, expired, replayed and foreign tokens")
struct BadTokenTests {
    // MARK: enrolment tickets

    @Test("A missing, malformed, unknown, used, expired or foreign ticket enrols no device")
    func tickets() async throws {
        let fixture = try await EndpointFixture()
        let good = try fixture.good(.enroll)
        for value in [
            nil, "", "Ticket", "Ticket id=x", "Bearer \(fixture.ticket)", "Ticket id=\"\"", "Ticket id=\"a\"b\"",
        ] {
            try await fixture.refused(good.with("Authorization", value), at: .enroll, [401], ["invalid_token"])
        }
        let foreign = try await InProcessPhone.ticket(
            for: UserID("auth0|zoe"), host: InProcessServer.otherHost, in: fixture.server)
        for ticket in ["unknown", foreign, String(repeating: "x", count: 10_000)] {
            try await fixture.refused(
                good.with("Authorization", "Ticket id=\"\(ticket)\""), at: .enroll, [404],
                ["enrollment_transaction_not_found"])
        }
        #expect(await fixture.server.send(good).status == 200)
        try await fixture.refused(good, at: .enroll, [404], ["enrollment_transaction_not_found"])
        let other = try await InProcessPhone.ticket(in: fixture.server)
        fixture.server.advance(.seconds(300))
        try await fixture.refused(
            good.with("Authorization", "Ticket id=\"\(other)\""), at: .enroll, [404],
            ["enrollment_transaction_not_found"])
    }

    // MARK: transaction tokens

    @Test(
        "A missing or changed transaction token, or one of another device, request or tenant, is refused",
        arguments: [EndpointFixture.Endpoint.resolve, .consent])
    func transactionTokens(endpoint: EndpointFixture.Endpoint) async throws {
        let fixture = try await EndpointFixture()
        let good = try fixture.good(endpoint)
        let scheme = endpoint == .resolve ? "Bearer" : "MFA-DPoP"
        let token = fixture.notification.transactionToken
        let parts = token.split(separator: ".").map(String.init)
        for value in [nil, "", scheme, "Basic \(token)", "\(token)"] {
            try await fixture.refused(good.with("Authorization", value), at: endpoint, [401], ["invalid_token"])
        }
        for bad in [
            "x", token + "A", String(token.dropLast()), "\(parts[0]).\(parts[1]).", "\(parts[0])..\(parts[2])",
            "\(parts[0]).dev_other.\(parts[2])", "cns_AAAAAAAAAAAAAAAAAAAAAA.\(parts[1]).\(parts[2])",
            String(repeating: "x", count: 15_000), fixture.authReqID, fixture.phone.enrollment.token,
            try fixture.phone.token(),
        ] {
            try await fixture.refused(
                good.with("Authorization", "\(scheme) \(bad)"), at: endpoint, [401], ["invalid_token"])
        }
        try await fixture.refused(
            good.with("Host", InProcessServer.otherHost), at: endpoint, [401], ["invalid_token"])
    }

    @Test("The token of an unenrolled device is refused", arguments: [EndpointFixture.Endpoint.resolve, .consent])
    func unenrolled(endpoint: EndpointFixture.Endpoint) async throws {
        let fixture = try await EndpointFixture()
        let good = try fixture.good(endpoint)
        #expect(await fixture.server.send(try fixture.good(.remove)).status == 204)
        try await fixture.refused(good, at: endpoint, [404], ["enrollment_not_found"])
    }

    @Test(
        "An expired request is neither shown nor decided",
        arguments: [EndpointFixture.Endpoint.resolve, .consent])
    func expired(endpoint: EndpointFixture.Endpoint) async throws {
        let fixture = try await EndpointFixture()
        fixture.server.advance(.seconds(300))
        try await fixture.refused(try fixture.good(endpoint), at: endpoint, [404], ["transaction_expired"])
    }

    @Test("A decision is final: neither the same answer nor another is accepted again")
    func replayed() async throws {
        let fixture = try await EndpointFixture()
        let allow = try fixture.good(.resolve)
        let reject = fixture.phone.answerRequest(
            fixture.notification, response: try fixture.phone.response(to: fixture.notification, accepted: false))
        #expect(await fixture.server.send(reject).status == 204)
        for request in [reject, allow] {
            try await fixture.refused(request, at: .resolve, [404], ["login_transaction_not_found"])
        }
        #expect(try await fixture.client.poll(fixture.authReqID).code == "access_denied")
    }

    // MARK: signed answers

    @Test("Every claim of a signed answer is checked")
    func answerClaims() async throws {
        let fixture = try await EndpointFixture()
        let second = try await fixture.client.started()
        let other = try await fixture.phone.notification(of: second)
        let now = fixture.server.clock.now.seconds
        let base = "https://dev.example/appliance-mfa/api/resolve-transaction"
        for changes: JSONObject in [
            ["iss": "OTHER"], ["iss": .string(fixture.phone.enrollment.id)], ["iss": nil],
            ["sub": .string(other.challenge)],
            ["sub": ""], ["sub": nil], ["sub": 7],
            ["aud": "https://other.example/appliance-mfa/api/resolve-transaction"],
            ["aud": "https://dev.example/appliance-mfa/api/enroll"], ["aud": .string("http" + base.dropFirst(5))],
            ["aud": .string(base + "/x")], ["aud": "https://dev.example.evil/appliance-mfa/api/resolve-transaction"],
            ["aud": nil], ["aud": [.string(base)]],
            ["iat": JSONValue(now - 200), "exp": JSONValue(now - 170)],
            ["iat": JSONValue(now + 120), "exp": JSONValue(now + 150)], ["exp": JSONValue(now + 3600)], ["exp": nil],
            ["iat": nil], ["exp": "x"], ["exp": .number(try JSONNumber(1e300).orThrow(""))],
            ["nbf": JSONValue(now + 3600)],
            ["auth0_guardian_method": "otp"], ["auth0_guardian_method": nil], ["auth0_guardian_accepted": nil],
            ["auth0_guardian_accepted": "true"], ["auth0_guardian_accepted": 1],
            ["auth0_guardian_accepted": false, "auth0_guardian_reason": 7],
        ] {
            let response = try fixture.phone.response(to: fixture.notification, changes)
            try await fixture.refused(
                fixture.phone.answerRequest(fixture.notification, response: response), at: .resolve, [401],
                ["invalid_challenge"])
        }
        #expect(await fixture.server.send(try fixture.good(.resolve)).status == 204)
    }

    @Test(
        "Equivalent spellings of the audience are accepted",
        arguments: [
            "https://dev.example/appliance-mfa/api/resolve-transaction/",
            "https://DEV.example:443/appliance-mfa/api/resolve-transaction",
            "https://dev.example/api/resolve-transaction",
            "https://login.dev.example/appliance-mfa/api/resolve-transaction",
        ])
    func spellings(audience: String) async throws {
        let fixture = try await EndpointFixture()
        let response = try fixture.phone.response(to: fixture.notification, ["aud": .string(audience)])
        let answer = await fixture.server.send(fixture.phone.answerRequest(fixture.notification, response: response))
        #expect(answer.status == 204)
    }

    @Test("Answers with a wrong key, no signature, a shared secret or another algorithm are refused")
    func answerSignatures() async throws {
        let fixture = try await EndpointFixture()
        let good = try fixture.phone.response(to: fixture.notification)
        var forged = try Forgery.all(of: good, key: fixture.phone.signer.publicKey)
        forged.append(try fixture.phone.response(to: fixture.notification, signedBy: Keys.signer(.es256, "thief")))
        forged.append(try fixture.phone.response(to: fixture.notification, signedBy: Keys.signer(.rs256, "thief")))
        forged.append(try fixture.phone.response(to: fixture.notification, signedBy: Keys.signer(.edDSA, "thief")))
        forged.append(try fixture.phone.response(to: fixture.notification, type: "dpop+jwt"))
        forged.append(try fixture.phone.response(to: fixture.notification, type: nil))
        let foreign = try await InProcessPhone(
            UserID("auth0|bob"), identifier: "PHONE-1", key: "bob", in: fixture.server)
        forged.append(try foreign.response(to: fixture.notification))
        for response in forged {
            try await fixture.refused(
                fixture.phone.answerRequest(fixture.notification, response: response), at: .resolve, [401],
                ["invalid_challenge"])
        }
    }

    @Test("Another user's device cannot decide a request")
    func otherUsersDevice() async throws {
        let fixture = try await EndpointFixture()
        let bob = try await InProcessPhone(UserID("auth0|bob"), identifier: "BOB", in: fixture.server)
        let consent = InProcessClient.consent(of: fixture.authReqID)
        // Not even with a token and a challenge that only the server can make.
        let secrets = fixture.server.secrets
        let tenant = TenantID("dev")
        let genuine = fixture.notification.transactionToken
        let digest = try secrets.transaction(of: genuine, tenant: tenant).orThrow("no transaction").digest
        let token = secrets.token(tenant: tenant, consent: consent, device: bob.id, digest: digest)
        let challenge = secrets.challenge(tenant: tenant, consent: consent, device: bob.id, digest: digest)
        var notification = fixture.notification
        notification.transactionToken = token
        notification.challenge = challenge
        try await fixture.refused(
            bob.answerRequest(notification, response: try bob.response(to: notification)), at: .resolve, [404],
            ["login_transaction_not_found"])
        try await fixture.refused(
            try bob.consentRequest(notification), at: .consent, [404], ["consent_not_found"])
    }

    // MARK: consent proofs

    @Test("Every part of a consent proof is checked")
    func proofs() async throws {
        let fixture = try await EndpointFixture()
        let now = fixture.server.clock.now.seconds
        let thief = try Keys.signer(.es256, "thief")
        let consent = try fixture.notification.transactionLinkingID.orThrow("")
        var proofs: [String] = ["", "x", "a.b.c", try fixture.phone.token(), String(repeating: "x", count: 15_000)]
        for changes: JSONObject in [
            ["htm": "POST"], ["htm": "get"], ["htm": nil], ["htu": "https://dev.example/rich-consents/cns_other"],
            ["htu": .string("https://other.example/rich-consents/\(consent)")],
            ["htu": .string("http://dev.example/rich-consents/\(consent)")],
            ["htu": nil], ["ath": "x"], ["ath": nil], ["jti": nil], ["jti": 7],
            ["jti": .string(String(repeating: "j", count: 300))],
            ["iat": JSONValue(now - 61)], ["iat": JSONValue(now + 61)], ["iat": nil], ["iat": "x"],
        ] {
            proofs.append(try fixture.phone.proof(of: fixture.notification, changes))
        }
        proofs.append(try fixture.phone.proof(of: fixture.notification, type: "JWT"))
        proofs.append(try fixture.phone.proof(of: fixture.notification, header: ["jwk": thief.publicKey.json]))
        proofs.append(
            try fixture.phone.proof(of: fixture.notification, header: ["jwk": thief.publicKey.json], signedBy: thief))
        proofs.append(try fixture.phone.proof(of: fixture.notification, signedBy: thief))
        proofs.append(try fixture.phone.proof(of: fixture.notification, header: ["jwk": nil]))
        proofs.append(try fixture.phone.proof(of: fixture.notification, header: ["crit": ["x"]]))
        var leaked = try fixture.phone.signer.publicKey.json.objectValue.orThrow("")
        leaked["d"] = "AQAB"
        proofs.append(try fixture.phone.proof(of: fixture.notification, header: ["jwk": .object(leaked)]))
        proofs += try Forgery.all(
            of: try fixture.phone.proof(of: fixture.notification), key: fixture.phone.signer.publicKey)
        for proof in proofs {
            try await fixture.refused(
                try fixture.phone.consentRequest(fixture.notification, proof: proof), at: .consent, [403],
                ["invalid_dpop_assertion"])
        }
        let good = try fixture.good(.consent)
        try await fixture.refused(good.with("MFA-DPoP", nil), at: .consent, [403], ["invalid_dpop_assertion"])
        var twice = good
        twice.fields.append("MFA-DPoP", try fixture.phone.proof(of: fixture.notification))
        try await fixture.refused(twice, at: .consent, [403], ["invalid_dpop_assertion"])
        #expect(await fixture.server.send(good).status == 200)
        try await fixture.refused(good, at: .consent, [403], ["invalid_dpop_assertion"])
    }

    @Test("A transaction token reads only its own consent")
    func otherConsent() async throws {
        let fixture = try await EndpointFixture()
        let second = try await fixture.client.started()
        var mixed = try await fixture.phone.notification(of: second)
        mixed.transactionToken = fixture.notification.transactionToken
        try await fixture.refused(
            try fixture.phone.consentRequest(mixed), at: .consent, [404], ["consent_not_found"])
    }

    // MARK: device tokens

    @Test(
        "A missing, foreign, expired or forged device token, or one for another audience, is refused",
        arguments: [EndpointFixture.Endpoint.update, .remove, .notifications])
    func deviceTokens(endpoint: EndpointFixture.Endpoint) async throws {
        let fixture = try await EndpointFixture()
        let good = try fixture.good(endpoint)
        let audience = endpoint == .notifications ? "https://dev.example/appliance-mfa/api/notifications" : nil
        let other = endpoint == .notifications ? nil : "https://dev.example/appliance-mfa/api/notifications"
        let now = fixture.server.clock.now.seconds
        let second = try await InProcessPhone(identifier: "PHONE-2", in: fixture.server)
        for value in [nil, "", "Bearer", "Bearer ", "Basic x"] {
            try await fixture.refused(good.with("Authorization", value), at: endpoint, [401], ["invalid_token"])
        }
        var tokens = ["x", "a.b.c", fixture.ticket, fixture.notification.transactionToken]
        tokens.append(try fixture.phone.token(other))
        for changes: JSONObject in [
            ["sub": "auth0|bob"], ["sub": nil], ["aud": "https://other.example/appliance-mfa/api/notifications"],
            ["aud": nil], ["iat": JSONValue(now - 7300), "exp": JSONValue(now - 100)], ["exp": JSONValue(now + 90_000)],
            ["iat": JSONValue(now + 120), "exp": JSONValue(now + 180)], ["exp": nil], ["iat": nil],
        ] { tokens.append(try fixture.phone.token(audience, changes)) }
        tokens.append(try fixture.phone.token(audience, type: "dpop+jwt"))
        tokens.append(try fixture.phone.token(audience, signedBy: Keys.signer(.es256, "thief")))
        tokens.append(
            try second.token(audience, ["iss": .string(fixture.phone.enrollment.id)]))
        tokens += try Forgery.all(of: try fixture.phone.token(audience), key: fixture.phone.signer.publicKey)
        if endpoint != .notifications {
            tokens.append(try second.token(audience))
            tokens.append(second.enrollment.token)
        }
        for token in tokens {
            try await fixture.refused(
                good.with("Authorization", "Bearer \(token)"), at: endpoint, [401], ["invalid_token"])
        }
        try await fixture.refused(
            good.with("Host", InProcessServer.otherHost), at: endpoint, [401, 404],
            ["invalid_token", "enrollment_not_found"])
        try await fixture.refused(
            good.with("Authorization", "Bearer \(try fixture.phone.token(audience, ["iss": "dev_nobody"]))"),
            at: endpoint, [401, 404], ["invalid_token", "enrollment_not_found"])
        #expect((200...204).contains(await fixture.server.send(good).status))
    }

    @Test("A device token of another tenant's phone is refused")
    func foreignDevice() async throws {
        let fixture = try await EndpointFixture()
        let zoe = try await InProcessPhone(
            UserID("auth0|zoe"), identifier: "ZOE", host: InProcessServer.otherHost, in: fixture.server)
        let request = zoe.accountRequest(.patch, token: try zoe.token(), ["name": "x"])
        try await fixture.refused(
            request.with("Host", InProcessServer.host), at: .update, [404], ["enrollment_not_found"])
        let channel = try zoe.channelRequest(token: zoe.channelToken).with("Host", InProcessServer.host)
        try await fixture.refused(channel, at: .notifications, [404], ["enrollment_not_found"])
        #expect(await fixture.server.send(request).status == 200)
    }

    // MARK: clients and ids of another tenant

    @Test("Another tenant's client, user, API and auth_req_id are refused")
    func otherTenant() async throws {
        let fixture = try await EndpointFixture()
        try await fixture.refused(
            .form("/bc-authorize", InProcessClient("stranger", via: fixture.server).startParameters()), at: .start,
            [401], ["invalid_client"])
        for (changes, code) in [
            (["login_hint": InProcessClient.loginHint("auth0|zoe")], "unknown_user_id"),
            (
                ["login_hint": InProcessClient.loginHint("auth0|zoe", issuer: "https://other.example/")],
                "invalid_request"
            ),
            (["audience": "https://other-api.example/"], "invalid_target"),
        ] as [([String: String?], String)] {
            try await fixture.refused(
                .form("/bc-authorize", fixture.client.startParameters(changes)), at: .start, [400], [code])
        }
        let poll = Request.form(
            "/oauth/token", InProcessClient("stranger", via: fixture.server).pollParameters(fixture.authReqID),
            host: InProcessServer.otherHost)
        _ = try await fixture.phone.decide(fixture.authReqID)
        try await fixture.refused(poll, at: .token, [400], ["invalid_grant"])
        try await fixture.refused(
            try fixture.good(.token).with("Host", InProcessServer.otherHost), at: .token, [401], ["invalid_client"])
        #expect(try await fixture.client.poll(fixture.authReqID).status == 200)
    }

    @Test("A malformed Basic header is refused", arguments: EndpointFixture.Endpoint.oauth)
    func basicHeaders(endpoint: EndpointFixture.Endpoint) async throws {
        let fixture = try await EndpointFixture()
        let parameters = fixture.parameters(endpoint)
        let request = Request.form(
            try fixture.good(endpoint).path, parameters.filter { $0.key != "client_id" && $0.key != "client_secret" })
        for value in [
            "Basic", "Basic ", "Basic !!!", "Basic YWdlbnQ=", "Basic OnNlY3JldA==", "Basic YWdlbnQ6JXp6", "Basic /w==",
            "Basic YWdlbnQ6AA==", "Bearer x", "Digest x", "Basic a b c", "Basic YWdlbnQ6d3Jvbmc=",
        ] {
            let answer = try await fixture.refused(
                request.with("Authorization", value), at: endpoint, [401], ["invalid_client"])
            #expect(answer.fields["WWW-Authenticate"] != nil)
        }
    }
}

/// Forged variants of a signed token.
enum Forgery {
    static func all(of token: String, key: JWK) throws -> [String] {
        let parts = token.split(separator: ".").map(String.init)
        let header = try (Base64URL.decode(parts[0]).flatMap { try? JSONReader.parse($0) }?.objectValue).orThrow("")
        func with(_ name: String, _ value: JSONValue?) -> String {
            var changed = header
            changed[name] = value
            return Base64URL.encode(JSONWriter.bytes(.object(changed)))
        }
        var forged: [String] = []
        for algorithm in ["none", "None", "NONE", "", "HS256", "HS512", "RS256", "PS256", "ES384", "EdDSA", "es256"] {
            forged.append("\(with("alg", .string(algorithm))).\(parts[1]).")
            forged.append("\(with("alg", .string(algorithm))).\(parts[1]).\(parts[2])")
        }
        // The public key as HMAC secret, in the encodings that libraries have accepted.
        for secret in [JSONWriter.bytes(key.json), Array(JSONWriter.string(key.json["x"] ?? .null).utf8)] {
            let input = "\(with("alg", "HS256")).\(parts[1])"
            let mac = Samples.hashing.hmac(.sha256, key: secret, Array(input.utf8))
            forged.append("\(input).\(Base64URL.encode(mac))")
        }
        var signature = try Base64URL.decode(parts[2]).orThrow("")
        signature[0] ^= 1
        forged += [
            "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))", "\(parts[0]).\(parts[1])",
            "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1]).\(Base64URL.encode([UInt8](repeating: 0, count: 64)))",
            "\(token).", "\(token).x", "\(parts[0])..\(parts[2])", ".\(parts[1]).\(parts[2])", "\(token)=",
            "\(with("crit", ["b64"])).\(parts[1]).\(parts[2])", "\(with("b64", false)).\(parts[1]).\(parts[2])",
            "\(with("alg", nil)).\(parts[1]).\(parts[2])",
        ]
        return forged
    }
}
