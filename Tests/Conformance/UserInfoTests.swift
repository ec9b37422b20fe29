import AuthorizationCore
import HTTPModel
import JOSE
import Primitives
import TestSupport
import Testing

@Suite("OIDC Core 5.3, RFC 6750: userinfo")
struct UserInfoTests {
    @Test("OIDC Core 5.3.2: GET and POST answer sub and the claims of the scopes")
    func claims() async throws {
        let fixture = try await CodeFixture()
        let token = try await fixture.tokens { $0.scope = "openid email" }.access
        let fields: HTTPFields = ["Authorization": "Bearer \(token)"]
        for request in [
            Request.get("/userinfo", fields: fields), .form("/userinfo", [:], fields: fields),
            .form("/userinfo", ["access_token": token]),
            Request.form("/userinfo", [:], fields: fields).with("Content-Type", nil),
            .get("/userinfo", fields: ["Authorization": "bearer  \(token)"]),
        ] {
            let answer = await fixture.server.send(request)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json == ["sub": "auth0|ann", "email": "ann@example.org", "email_verified": false])
            #expect(answer.fields["Cache-Control"] == "no-store")
            #expect(answer.fields["Content-Type"] == "application/json")
        }
    }

    @Test("A scope named like a claim gives that claim")
    func singleClaims() async throws {
        let fixture = try await CodeFixture()
        let token = try await fixture.tokens { $0.scope = "openid created_at email_verified" }.access
        let answer = await fixture.server.send(.get("/userinfo", fields: ["Authorization": "Bearer \(token)"]))
        #expect(
            answer.json == [
                "sub": "auth0|ann", "email_verified": false, "created_at": .string(Samples.start.iso8601),
            ])
    }

    @Test("RFC 6750 3.1: the challenge to a request without a token names no error")
    func noToken() async throws {
        let fixture = try await CodeFixture()
        for request in [
            Request.get("/userinfo"), .form("/userinfo", [:]), .form("/userinfo", ["access_token": ""]),
            .get("/userinfo", fields: ["Authorization": basic("app", "x")]),
            .get("/userinfo", fields: ["Authorization": "Bearer"]),
        ] {
            let answer = await fixture.server.send(request)
            expectError(answer, 401, "invalid_token")
            #expect(answer.fields["WWW-Authenticate"] == "Bearer")
        }
    }

    @Test("RFC 6750 2: two tokens in one request, or a token in the URL, are refused")
    func ways() async throws {
        let fixture = try await CodeFixture()
        let token = try await fixture.tokens().access
        expectError(
            await fixture.server.send(
                .form("/userinfo", ["access_token": token], fields: ["Authorization": "Bearer \(token)"])), 400,
            "invalid_request")
        var inURL = Request.get("/userinfo")
        inURL.query = "access_token=\(token)"
        let answer = await fixture.server.send(inURL)
        expectError(answer, 400, "invalid_request")
        #expect(answer.fields["WWW-Authenticate"]?.hasPrefix("Bearer error=\"invalid_request\"") == true)
    }

    private func expectInvalid(
        _ answer: HTTPAnswer, _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == 401, what, sourceLocation: sourceLocation)
        #expect(answer.code == "invalid_token", what, sourceLocation: sourceLocation)
        #expect(
            answer.fields["WWW-Authenticate"]?.hasPrefix("Bearer error=\"invalid_token\", error_description=\"")
                == true,
            what, sourceLocation: sourceLocation)
    }

    @Test("RFC 6750 3.1: a token that is not valid at this endpoint is invalid_token")
    func invalid() async throws {
        let fixture = try await CodeFixture()
        let tokens = try await fixture.tokens()
        let idToken = try (tokens.answer["id_token"]?.stringValue).orThrow("no ID token")
        let forAPI = try await fixture.tokens("api") { $0.scope = "pay:read" }.access
        let tampered = tokens.access.dropLast(3) + "AAA"
        let service = await fixture.post(
            "/oauth/token",
            [
                "grant_type": "client_credentials", "client_id": "service", "client_secret": Samples.secret,
                "audience": Samples.api,
            ])["access_token"]?.stringValue
        for (token, what) in [
            ("x", "no JWT"), (idToken, "an ID token"), (forAPI, "for the API alone"), (String(tampered), "changed"),
            (try tokens.refresh.orThrow("none"), "a refresh token"), (try service.orThrow("none"), "a client's own"),
        ] {
            expectInvalid(await fixture.userInfo(token), "\(what)")
        }
        let elsewhere = await fixture.server.send(
            .get("/userinfo", host: InProcessServer.otherHost, fields: ["Authorization": "Bearer \(tokens.access)"]))
        expectInvalid(elsewhere, "another tenant")
    }

    @Test("RFC 8725 3.11: another kind of JWT of this server is not an access token")
    func otherKinds() async throws {
        let fixture = try await CodeFixture()
        let tokens = try await fixture.tokens()
        let good = try await fixture.claims(tokens.access)
        let signer = try (try fixture.server.entry.keys.signer(for: .es256)).orThrow("no key")
        #expect(await fixture.userInfo(try JWS.sign(JSONWriter.bytes(.object(good)), with: signer)).status == 200)
        for type in ["logout+jwt", "dpop+jwt", nil] {
            let token = try JWS.sign(JSONWriter.bytes(.object(good)), type: type, with: signer)
            expectInvalid(await fixture.userInfo(token), "typ \(type ?? "absent")")
        }
        for (name, value) in [
            ("jti", nil), ("jti", "no-dot"), ("iss", "https://evil.example/"), ("aud", "app"), ("exp", nil),
            ("exp", 1), ("azp", nil), ("sub", nil), ("sub", "auth0|nobody"), ("azp", "no-client"),
        ] as [(String, JSONValue?)] {
            var changed = good
            changed[name] = value
            let token = try JWS.sign(JSONWriter.bytes(.object(changed)), with: signer)
            expectInvalid(await fixture.userInfo(token), "\(name) \(String(describing: value))")
        }
    }

    @Test("A token ends at its exp, with its user and on revocation")
    func ends() async throws {
        let fixture = try await CodeFixture()
        let token = try await fixture.tokens().access
        try await fixture.server.put(Samples.user("auth0|ann") { $0.blocked = true })
        expectInvalid(await fixture.userInfo(token), "blocked")
        try await fixture.server.put(Samples.user("auth0|ann"))
        fixture.server.advance(.seconds(86_399))
        #expect(await fixture.userInfo(token).status == 200)
        fixture.server.advance(.seconds(1))
        expectInvalid(await fixture.userInfo(token), "expired")
    }

    @Test("RFC 6750 3.1: a token for userinfo without openid is insufficient_scope")
    func insufficientScope() async throws {
        let fixture = try await CodeFixture()
        let token = try await fixture.tokens {
            $0.scope = "email"
            $0.audience = "https://dev.example/userinfo"
        }.access
        let answer = await fixture.userInfo(token)
        expectError(answer, 403, "insufficient_scope")
        #expect(answer.fields["WWW-Authenticate"]?.contains("scope=\"openid\"") == true)
    }

    @Test("Access tokens of CIBA are accepted")
    func backchannel() async throws {
        let fixture = try await ConformanceFixture()
        let token = try await fixture.tokens()["access_token"]?.stringValue ?? ""
        let answer = await fixture.server.send(.get("/userinfo", fields: ["Authorization": "Bearer \(token)"]))
        #expect(answer["sub"] == "auth0|ann")
    }
}
