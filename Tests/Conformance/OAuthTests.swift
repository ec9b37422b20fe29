import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("RFC 6749: OAuth 2.0")
struct OAuthTests {
    @Test("2.3.1: HTTP Basic with form-encoded id and secret")
    func basicAuthentication() async throws {
        let secret = "a secret: with 100% of +special/characters é"
        let fixture = try await ConformanceFixture {
            $0.clients.append(
                Samples.client("agent two") { $0.secretHashes = [Samples.hashing.sha256(Array(secret.utf8))] })
        }
        var parameters = fixture.client.startParameters(["client_id": nil, "client_secret": nil])
        let fields: HTTPFields = ["Authorization": basic("agent two", secret)]
        #expect(await fixture.server.send(.form("/bc-authorize", parameters, fields: fields)).status == 200)
        // The body may repeat the same client id.
        parameters["client_id"] = "agent two"
        #expect(await fixture.server.send(.form("/bc-authorize", parameters, fields: fields)).status == 200)
    }

    @Test("2.3.1: the scheme's name has no case (RFC 9110 clause 11.1)")
    func schemeCase() async throws {
        let fixture = try await ConformanceFixture()
        let header = "bAsIc " + basic("agent", Samples.secret).dropFirst(6)
        let parameters = fixture.client.startParameters(["client_id": nil, "client_secret": nil])
        let answer = await fixture.server.send(.form("/bc-authorize", parameters, fields: ["Authorization": header]))
        #expect(answer.status == 200)
    }

    @Test("2.3: two methods at once are refused", arguments: ["/bc-authorize", "/oauth/token"])
    func twoMethods(path: String) async throws {
        let fixture = try await ConformanceFixture()
        let fields: HTTPFields = ["Authorization": basic("agent", Samples.secret)]
        let parameters = path == "/oauth/token" ? fixture.client.pollParameters("x") : fixture.client.startParameters()
        expectError(
            await fixture.server.send(.form(path, parameters, fields: fields)), 400, "invalid_request",
            "Authenticate in the Authorization header or in the body, not in both")
        var other = parameters
        other["client_secret"] = .some(nil)
        other["client_id"] = "second"
        expectError(
            await fixture.server.send(.form(path, other, fields: fields)), 400, "invalid_request",
            "client_id must be the one in the Authorization header, or be left out")
    }

    @Test("2.3.1: during a rotation the old and the new secret both work")
    func rotatedSecret() async throws {
        let fixture = try await ConformanceFixture {
            $0.clients.append(
                Samples.client("rotating") { client in
                    client.secretHashes.append(Samples.hashing.sha256(Array("the-second-secret".utf8)))
                })
        }
        let client = InProcessClient("rotating", via: fixture.server)
        #expect(try await client.start().status == 200)
        #expect(try await client.start(["client_secret": "the-second-secret"]).status == 200)
        expectError(try await client.start(["client_secret": "the-third-secret"]), 401, "invalid_client")
    }

    @Test("3.2: the token endpoint accepts only POST", arguments: ["GET", "PUT", "DELETE", "PATCH", "HEAD"])
    func tokenMethod(method: String) async throws {
        let fixture = try await ConformanceFixture()
        var request = Request.form("/oauth/token", fixture.client.pollParameters("x"))
        request.method = HTTPMethod(method)
        let answer = await fixture.server.send(request)
        expectError(answer, 405, "method_not_allowed", "Use POST here")
        #expect(answer.fields["Allow"] == "OPTIONS, POST")
    }

    @Test("3.2: parameters in the URL are refused, not read", arguments: ["/bc-authorize", "/oauth/token"])
    func query(path: String) async throws {
        let fixture = try await ConformanceFixture()
        let parameters = path == "/oauth/token" ? fixture.client.pollParameters("x") : fixture.client.startParameters()
        var request = Request.form(path, parameters)
        for query in ["client_id=agent", ""] {
            request.query = query
            expectError(
                await fixture.server.send(request), 400, "invalid_request",
                "Send the parameters in the body, not in the URL, where they would be logged")
        }
    }

    @Test("3.2: a parameter without a value counts as absent")
    func emptyParameters() async throws {
        let fixture = try await ConformanceFixture()
        #expect(
            try await fixture.client.start(["audience": "", "authorization_details": "", "user_code": ""]).status == 200
        )
        expectError(try await fixture.client.start(["login_hint": ""]), 400, "invalid_request")
    }

    @Test("3.2: any repeated parameter is refused", arguments: ["scope", "client_id", "unknown"])
    func repeated(name: String) async throws {
        let fixture = try await ConformanceFixture()
        for (path, parameters) in [
            ("/bc-authorize", fixture.client.startParameters(["unknown": "1"])),
            ("/oauth/token", fixture.client.pollParameters("x").merging(["unknown": "1", "scope": "openid"]) { $1 }),
        ] {
            var request = Request.form(path, parameters)
            request.body += Array("&\(name)=again".utf8)
            expectError(
                await fixture.server.send(request), 400, "invalid_request",
                "The parameter \(name) is repeated; send it once")
        }
    }

    @Test("5.2: WWW-Authenticate is sent only if the client used the Authorization field")
    func challenge() async throws {
        let fixture = try await ConformanceFixture()
        for path in ["/bc-authorize", "/oauth/token"] {
            let parameters =
                path == "/oauth/token" ? fixture.client.pollParameters("x") : fixture.client.startParameters()
            let posted = await fixture.server.send(
                .form(path, parameters.merging(["client_secret": "wrong"]) { $1 }))
            expectError(posted, 401, "invalid_client")
            #expect(posted.fields["WWW-Authenticate"] == nil)
            let bare = parameters.filter { $0.key != "client_id" && $0.key != "client_secret" }
            let header = await fixture.server.send(
                .form(path, bare, fields: ["Authorization": basic("agent", "wrong")]))
            expectError(header, 401, "invalid_client")
            #expect(header.fields["WWW-Authenticate"]?.hasPrefix("Basic realm=") == true)
        }
    }

    @Test("5.2: poll answers carry no challenge, even with HTTP Basic")
    func noChallengeWhilePolling() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        let bare = fixture.client.pollParameters(id).filter { $0.key != "client_id" && $0.key != "client_secret" }
        let request = Request.form(
            "/oauth/token", bare, fields: ["Authorization": basic("agent", Samples.secret)])
        for code in ["authorization_pending", "slow_down"] {
            let answer = await fixture.server.send(request)
            expectError(answer, 400, code)
            #expect(answer.fields["WWW-Authenticate"] == nil)
        }
    }

    @Test("5.2: unknown grant types are unsupported_grant_type, including the misprint in Auth0's documents")
    func unsupportedGrant() async throws {
        let fixture = try await ConformanceFixture()
        for grant in ["grant-type", "ciba", "password", "implicit", "urn:ietf:params:oauth:grant-type:device_code"] {
            let parameters = fixture.client.pollParameters("x").merging(["grant_type": grant]) { $1 }
            expectError(
                await fixture.server.send(.form("/oauth/token", parameters)), 400, "unsupported_grant_type",
                "The grant type \(grant) is not supported"
                    + (grant == "ciba" ? "; did you mean urn:openid:params:grant-type:ciba?" : ""))
        }
        let none = fixture.client.pollParameters("x").filter { $0.key != "grant_type" }
        expectError(
            await fixture.server.send(.form("/oauth/token", none)), 400, "invalid_request",
            "Missing required parameter: grant_type")
    }

    @Test(
        "5.2: a body of another media type is refused with the accepted types",
        arguments: [nil, "text/plain", "multipart/form-data", "application/xml", "", ";", "application/jsonx"])
    func contentType(type: String?) async throws {
        let fixture = try await ConformanceFixture()
        for path in ["/bc-authorize", "/oauth/token"] {
            let parameters =
                path == "/oauth/token" ? fixture.client.pollParameters("x") : fixture.client.startParameters()
            expectError(
                await fixture.server.send(.form(path, parameters).with("Content-Type", type)), 400, "invalid_request",
                "Send the parameters as application/x-www-form-urlencoded or application/json in the body")
        }
    }

    @Test("RFC 8707 2: an unknown API, or one the client may not use, is invalid_target")
    func target() async throws {
        let fixture = try await ConformanceFixture {
            $0.clients.append(Samples.client("limited") { $0.limit(to: [:]) })
            $0.apis.append(try Samples.resourceServer("https://mfa.example/") { $0.requiresTransactionalMFA = true })
        }
        expectError(
            try await fixture.client.start(["audience": "https://nowhere.example/"]), 400, "invalid_target",
            "Service not found: https://nowhere.example/")
        expectError(
            try await fixture.client.start(["audience": "https://other-api.example/"]), 400, "invalid_target")
        expectError(try await fixture.client.start(["audience": "https://mfa.example/"]), 400, "invalid_target")
        expectError(
            try await InProcessClient("limited", via: fixture.server).start(["audience": Samples.api]), 400,
            "invalid_target", "Client is not authorized to access '\(Samples.api)'")
    }
}

@Suite("RFC 7240: Prefer")
struct PreferTests {
    @Test(
        "RFC 7240 2: wait is capped at the tenant's maximum, and Preference-Applied shows the applied value",
        arguments: ["3600", "99999999999999999999"])
    func maximum(seconds: String) async throws {
        let fixture = try await ConformanceFixture { $0.tenant.settings.longPollMaximum = 20 }
        let id = try await fixture.client.started()
        let request = Request.form("/oauth/token", fixture.client.pollParameters(id)).with("Prefer", "wait=\(seconds)")
        async let answering = fixture.server.send(request)
        await fixture.server.timer.awaitSleepers()
        fixture.server.advance(.seconds(20))
        let answer = await answering
        expectError(answer, 400, "authorization_pending")
        #expect(answer.fields["Preference-Applied"] == "wait=20")
    }

    @Test(
        "RFC 7240 2: without a valid first wait preference the answer comes at once, without Preference-Applied",
        arguments: [
            nil, "wait", "wait=", "wait=0", "wait=-1", "wait=x", "respond-async", "wait=+5",
            "handling=lenient", "wait=0, wait=3", "wait, wait=3", "wait=x; wait=3, wait=3",
        ])
    func notApplied(preference: String?) async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        let request = Request.form("/oauth/token", fixture.client.pollParameters(id)).with("Prefer", preference)
        let answer = await fixture.server.send(request)
        expectError(answer, 400, "authorization_pending")
        #expect(answer.fields["Preference-Applied"] == nil)
    }

    @Test(
        "RFC 7240 2: preferences may be lists, in any case, quoted and with parameters",
        arguments: [
            "respond-async, wait=10", "WAIT=10", "wait=\"10\"", "wait = 10", "wait=10; foo=bar", "wait=10, wait=20",
        ])
    func forms(preference: String) async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        let request = Request.form("/oauth/token", fixture.client.pollParameters(id)).with("Prefer", preference)
        async let answering = fixture.server.send(request)
        await fixture.server.timer.awaitSleepers()
        fixture.server.advance(.seconds(10))
        #expect(await answering.fields["Preference-Applied"] == "wait=10")
    }

    @Test("A tenant that disables long polls answers at once")
    func turnedOff() async throws {
        let fixture = try await ConformanceFixture { $0.tenant.settings.longPollMaximum = 0 }
        let id = try await fixture.client.started()
        let answer = try await fixture.client.poll(id, wait: 30)
        expectError(answer, 400, "authorization_pending")
        #expect(answer.fields["Preference-Applied"] == nil)
    }
}
