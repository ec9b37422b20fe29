import AuthorizationCore
import HTTPModel
import JOSE
import OAuthWire
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

/// A server with the `private_key_jwt` client `signing`, which may use every grant.
private struct AssertionFixture {
    let server: InProcessServer

    init(
        _ algorithms: [JWSAlgorithm] = [.es256], _ change: (inout Client) -> Void = { _ in }
    ) async throws {
        let client = try Samples.signingClient("signing", algorithms) { client in
            client.grantTypes = Set(GrantType.allCases)
            client.limit(to: [Samples.api: nil])
            client.redirectURIs = Samples.website().redirectURIs
            change(&client)
        }
        let other = try Samples.signingClient("other-signing")
        server = try await InProcessServer { setup in
            setup.clients += [client, other, Samples.app("public")]
        }
    }

    /// Requests a token by client credentials.
    func ask(_ parameters: [String: String?], host: String = InProcessServer.host) async -> HTTPAnswer {
        let presets = ["grant_type": "client_credentials", "audience": Samples.api]
        return await server.send(.form("/oauth/token", parameters.merging(presets) { own, _ in own }, host: host))
    }

    func ask(assertion: String) async -> HTTPAnswer { await ask(Samples.proof(assertion)) }

    func uses() async throws -> Int { try await server.dump().filter { $0.hasPrefix("used_token:") }.count }
}

@Suite("RFC 7523: client authentication with signed assertions")
struct ClientAssertionTests {
    @Test(
        "OIDC Core 9: every advertised algorithm is accepted",
        arguments: [JWSAlgorithm.rs256, .rs384, .ps256, .ps384, .es256, .es384, .edDSA])
    func algorithms(algorithm: JWSAlgorithm) async throws {
        let fixture = try await AssertionFixture([algorithm])
        let assertion = try Samples.assertion(signer: Samples.clientSigner("signing", algorithm), identifier: "1")
        #expect(await fixture.ask(assertion: assertion).status == 200)
    }

    private static let endpoints: [(path: String, parameters: [String: String?], status: Int)] = [
        (
            "/bc-authorize",
            ["scope": "openid", "binding_message": "TX-1", "login_hint": InProcessClient.loginHint()], 400
        ),
        ("/oauth/token", ["grant_type": "client_credentials", "audience": Samples.api], 200),
        (
            "/oauth/par",
            [
                "response_type": "code", "redirect_uri": "https://web.example/callback", "code_challenge": "x",
                "code_challenge_method": "S256", "scope": "openid",
            ], 400
        ),
        ("/oauth/revoke", ["token": "unknown"], 200), ("/oauth/introspect", ["token": "unknown"], 200),
    ]

    @Test(
        "RFC 7521 4.2: assertions work at every endpoint, in forms and JSON, with and without client_id",
        arguments: 0..<5)
    func everyEndpoint(index: Int) async throws {
        let fixture = try await AssertionFixture()
        let (path, parameters, status) = Self.endpoints[index]
        for (number, clientID) in [nil, "signing"].enumerated() {
            func proof(_ name: String) throws -> [String: String?] {
                var proof = Samples.proof(try Samples.assertion(identifier: "\(number) \(name)"))
                proof["client_id"] = clientID
                return parameters.merging(proof) { $1 }
            }
            let form = await fixture.server.send(.form(path, try proof("form")))
            #expect(form.status == status && form.code != "invalid_client", "\(form.text)")
            var object = JSONObject()
            for (name, value) in try proof("JSON") { object[name] = value.map { .string($0) } }
            let json = await fixture.server.send(.json(.post, path, .object(object)))
            #expect(json.status == status && json.code != "invalid_client", "\(json.text)")
            expectError(await fixture.server.send(.form(path, try proof("form"))), 401, "invalid_client")
        }
    }

    @Test(
        "RFC 7523 3: the audience is the issuer, the token endpoint or the called endpoint, under any host name",
        arguments: [
            "https://dev.example/", "https://dev.example", "https://login.dev.example/",
            "https://dev.example/oauth/token", "https://login.dev.example/oauth/token",
            "https://dev.example/oauth/revoke",
        ], [false, true])
    func audience(_ audience: String, isList: Bool) async throws {
        let fixture = try await AssertionFixture()
        let assertion = try Samples.assertion(identifier: "1") {
            $0["aud"] = isList ? ["https://elsewhere.example/", .string(audience)] : .string(audience)
        }
        let answer = await fixture.server.send(
            .form("/oauth/revoke", Samples.proof(assertion).merging(["token": "x"]) { $1 }))
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test(
        "RFC 7523 3: an assertion for another audience is refused",
        arguments: [
            "https://other.example/", "https://other.example/oauth/token", "http://dev.example/", "dev.example", "",
            "https://dev.example/oauth/revoke", "https://dev.example//oauth/token", "https://dev.example/oauth/token/",
            "https://dev.example.evil.example/", "https://evil.example/https://dev.example/",
            "https://dev.example/userinfo",
        ])
    func otherAudience(_ audience: String) async throws {
        let fixture = try await AssertionFixture()
        let assertion = try Samples.assertion(identifier: "1") { $0["aud"] = .string(audience) }
        expectError(await fixture.ask(assertion: assertion), 401, "invalid_client")
        #expect(try await fixture.uses() == 0, "what is refused is not used up")
    }

    private static let badClaims: [(String, @Sendable (inout JSONObject) -> Void)] = [
        ("no aud", { $0["aud"] = nil }), ("aud of another type", { $0["aud"] = 1 }),
        ("no iss", { $0["iss"] = nil }), ("no sub", { $0["sub"] = nil }),
        ("iss is not sub", { $0["iss"] = "other-signing" }), ("sub is not iss", { $0["sub"] = "other-signing" }),
        ("no jti", { $0["jti"] = nil }), ("an empty jti", { $0["jti"] = "" }),
        ("a jti that is a number", { $0["jti"] = 7 }),
        ("a jti of 65 bytes", { $0["jti"] = .string(String(repeating: "j", count: 65)) }),
        ("no exp", { $0["exp"] = nil }), ("exp as text", { $0["exp"] = "1893456000" }),
        ("exp beyond any calendar", { $0["exp"] = .number(JSONNumber(Int.max)) }),
        ("expired", { $0["exp"] = JSONValue(Samples.start.seconds - 10) }),
        ("more than five minutes and the leeway", { $0["exp"] = JSONValue(Samples.start.seconds + 311) }),
        ("not yet valid", { $0["nbf"] = JSONValue(Samples.start.seconds + 11) }),
        ("issued in the future", { $0["iat"] = JSONValue(Samples.start.seconds + 11) }),
        ("nbf as text", { $0["nbf"] = "now" }), ("iat as a list", { $0["iat"] = [1] }),
        ("over 2048 bytes", { $0["pad"] = .string(String(repeating: "p", count: 1500)) }),
    ]

    @Test(
        "RFC 7523 3: each required claim is present, well-formed and within its limits", arguments: 0..<badClaims.count)
    func claims(index: Int) async throws {
        let fixture = try await AssertionFixture()
        let (name, change) = Self.badClaims[index]
        let answer = await fixture.ask(assertion: try Samples.assertion(identifier: "1", change))
        #expect(answer.status == 401 && answer.code == "invalid_client", "\(name): \(answer.text)")
        #expect(try await fixture.uses() == 0, "\(name)")
    }

    @Test("Ten seconds of clock skew are accepted, and a jti of 64 bytes")
    func limits() async throws {
        let fixture = try await AssertionFixture()
        let now = Samples.start.seconds
        let changes: [@Sendable (inout JSONObject) -> Void] = [
            { $0["exp"] = JSONValue(now - 9) }, { $0["exp"] = JSONValue(now + 310) },
            { $0["nbf"] = JSONValue(now + 10) }, { $0["iat"] = JSONValue(now + 10) }, { $0["iat"] = nil },
            { $0["jti"] = .string(String(repeating: "j", count: 64)) },
        ]
        for (number, change) in changes.enumerated() {
            let answer = await fixture.ask(assertion: try Samples.assertion(identifier: "limit \(number)", change))
            #expect(answer.status == 200, "\(number): \(answer.text)")
        }
    }

    @Test("A jti is accepted once per client, whatever the other claims")
    func replay() async throws {
        let fixture = try await AssertionFixture()
        let assertion = try Samples.assertion(identifier: "once")
        #expect(await fixture.ask(assertion: assertion).status == 200)
        expectError(
            await fixture.ask(assertion: assertion), 401, "invalid_client",
            "Client authentication failed: the assertion was used before; make one with a jti of its own each time")
        let again = try Samples.assertion(identifier: "once") { $0["exp"] = JSONValue(Samples.start.seconds + 200) }
        expectError(await fixture.ask(assertion: again), 401, "invalid_client")
        let other = try Samples.assertion("other-signing", identifier: "once")
        let answer = await fixture.server.send(
            .form("/oauth/revoke", Samples.proof(other).merging(["token": "x"]) { $1 }))
        #expect(answer.status == 200)
    }

    @Test("Exactly one of concurrent uses of an assertion succeeds")
    func concurrentReplay() async throws {
        let fixture = try await AssertionFixture()
        let assertion = try Samples.assertion(identifier: "once")
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<16 { group.addTask { await fixture.ask(assertion: assertion).status } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 200 }.count == 1)
        #expect(statuses.filter { $0 == 401 }.count == 15)
    }

    @Test("A forged assertion does not consume the jti of the genuine one")
    func forgedFirst() async throws {
        let fixture = try await AssertionFixture()
        let forged = try Samples.assertion(
            signer: Keys.signer(.es256, "thief", keyID: "ES256"), identifier: "once")
        expectError(await fixture.ask(assertion: forged), 401, "invalid_client")
        #expect(await fixture.ask(assertion: try Samples.assertion(identifier: "once")).status == 200)
    }

    @Test("RFC 8725 3.1: alg none, a symmetric alg and an alg or signature of another key are refused")
    func algorithmConfusion() async throws {
        let fixture = try await AssertionFixture([.rs256, .es256])
        let good = try Samples.assertion(identifier: "1")
        let parts = good.split(separator: ".").map(String.init)
        func header(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }
        let rsa = try Samples.clientSigner("signing", .rs256).publicKey
        let secret = Array(JSONWriter.string(rsa.json).utf8)
        let symmetric = header(#"{"alg":"HS256","kid":"RS256"}"#) + "." + parts[1]
        let mac = Base64URL.encode(Samples.hashing.hmac(.sha256, key: secret, Array(symmetric.utf8)))
        var bad = [
            header(#"{"alg":"none"}"#) + "." + parts[1] + ".",
            header(#"{"alg":"none"}"#) + "." + parts[1] + "." + parts[2],
            symmetric + "." + mac, header(#"{"alg":"ES256"}"#) + "." + parts[1] + "." + parts[2],
            header(#"{"alg":"ES256","kid":"RS256"}"#) + "." + parts[1] + "." + parts[2],
            header(#"{"alg":"ES256","kid":"ES256","crit":["exp"]}"#) + "." + parts[1] + "." + parts[2],
            header(#"{"alg":"ES256","kid":"ES256","pad":"0123456789"}"#) + "." + parts[1] + "." + parts[2],
            parts[0] + "." + parts[1], good + ".", "x", "..", good + good,
        ]
        // The key is for RS256 alone.
        let signer = try Keys.signer(.rs384, "client signing", keyID: "RS256")
        bad.append(try Samples.assertion(signer: signer, identifier: "2"))
        bad.append(try Samples.assertion(signer: Keys.signer(.rs512, "x", keyID: "RS256"), identifier: "3"))
        bad.append(try Samples.assertion(type: "at+jwt", identifier: "4"))
        bad.append(try Samples.assertion(type: "dpop+jwt", identifier: "5"))
        for assertion in bad {
            let answer = await fixture.ask(assertion: assertion)
            #expect(answer.status == 401 && answer.code == "invalid_client", "\(assertion): \(answer.text)")
        }
        #expect(try await fixture.uses() == 0)
        #expect(await fixture.ask(assertion: good).status == 200)
        let explicit = try Samples.assertion(type: "client-authentication+jwt", identifier: "6")
        #expect(await fixture.ask(assertion: explicit).status == 200)
        #expect(await fixture.ask(assertion: try Samples.assertion(type: nil, identifier: "7")).status == 200)
    }

    @Test("A key without alg accepts the allowed algorithms of its type; RS512 is not one")
    func unlimitedKey() async throws {
        let fixture = try await AssertionFixture { client in
            client.credentials = []
            for algorithm in [JWSAlgorithm.rs512, .ps256] {
                guard var key = try? Samples.clientSigner("signing", algorithm).publicKey else { continue }
                key.algorithm = nil
                client.credentials.append(
                    ClientCredential(
                        id: ClientCredentialID(algorithm.rawValue), content: .publicKey(key), createdAt: Samples.start))
            }
        }
        let allowed = try Samples.assertion(signer: Samples.clientSigner("signing", .ps256), identifier: "1")
        #expect(await fixture.ask(assertion: allowed).status == 200)
        let refused = try Samples.assertion(signer: Samples.clientSigner("signing", .rs512), identifier: "2")
        expectError(await fixture.ask(assertion: refused), 401, "invalid_client")
    }

    @Test("An expired key is refused, and an unknown kid selects no other key")
    func keys() async throws {
        let fixture = try await AssertionFixture([.es256, .es384]) { client in
            client.credentials[0].expiresAt = Samples.start + .seconds(60)
        }
        #expect(await fixture.ask(assertion: try Samples.assertion(identifier: "1")).status == 200)
        let unknown = try Samples.assertion(signer: Keys.signer(.es256, "client signing", keyID: "x"), identifier: "2")
        expectError(await fixture.ask(assertion: unknown), 401, "invalid_client")
        fixture.server.advance(.seconds(60))
        let now = fixture.server.clock.now
        expectError(
            await fixture.ask(assertion: try Samples.assertion(at: now, identifier: "3")), 401, "invalid_client")
        let other = try Samples.assertion(
            signer: Samples.clientSigner("signing", .es384), at: now, identifier: "4")
        #expect(await fixture.ask(assertion: other).status == 200)
    }

    @Test("An assertion is valid for its own client and tenant only")
    func foreign() async throws {
        let fixture = try await AssertionFixture()
        var mixed = Samples.proof(try Samples.assertion(identifier: "1"))
        mixed["client_id"] = "other-signing"
        expectError(await fixture.ask(mixed), 401, "invalid_client")
        let stolen = try Samples.assertion(
            "signing", signer: Samples.clientSigner("other-signing"), identifier: "2")
        expectError(await fixture.ask(assertion: stolen), 401, "invalid_client")
        let unknown = try Samples.assertion("nobody", identifier: "3")
        expectError(await fixture.ask(assertion: unknown), 401, "invalid_client")
        let elsewhere = try Samples.assertion(identifier: "4") { $0["aud"] = "https://other.example/" }
        expectError(
            await fixture.ask(Samples.proof(elsewhere), host: InProcessServer.otherHost), 401, "invalid_client")
    }

    @Test("RFC 6749 2.3: two methods in one request, or an incomplete one, are refused")
    func mixed() async throws {
        let fixture = try await AssertionFixture()
        let proof = Samples.proof(try Samples.assertion(identifier: "1"))
        expectError(await fixture.ask(proof.merging(["client_secret": Samples.secret]) { $1 }), 400, "invalid_request")
        let form = Request.form("/oauth/token", proof, fields: ["Authorization": basic("signing", Samples.secret)])
        expectError(await fixture.server.send(form), 400, "invalid_request")
        for name in ["client_assertion", "client_assertion_type"] {
            expectError(await fixture.ask(proof.merging([name: nil]) { $1 }), 400, "invalid_request")
        }
        let type = "urn:ietf:params:oauth:client-assertion-type:saml2-bearer"
        expectError(
            await fixture.ask(proof.merging(["client_assertion_type": type]) { $1 }), 401, "invalid_client")
        #expect(await fixture.ask(proof).status == 200, "none of these used it up")
    }

    @Test("RFC 6749 2.3: a client authenticates only by its registered method")
    func registeredMethod() async throws {
        let fixture = try await AssertionFixture { client in
            client.secretHashes = [Samples.hashing.sha256(Array(Samples.secret.utf8))]
        }
        // The client still has a secret from before.
        expectError(
            await fixture.ask(["client_id": "signing", "client_secret": Samples.secret]), 401, "invalid_client")
        let form = Request.form(
            "/oauth/token", ["grant_type": "client_credentials"],
            fields: ["Authorization": basic("signing", Samples.secret)])
        expectError(await fixture.server.send(form), 401, "invalid_client")
        expectError(await fixture.ask(["client_id": "signing"]), 401, "invalid_client")
        for client in ["agent", "public"] {
            let assertion = try Samples.assertion(client, identifier: client)
            expectError(await fixture.ask(assertion: assertion), 401, "invalid_client")
        }
    }

    @Test("CIBA Core 7.1: the start and each poll take an assertion of their own")
    func polls() async throws {
        let fixture = try await AssertionFixture()
        let phone = try await InProcessPhone(in: fixture.server)
        let start = Samples.proof(try Samples.assertion(identifier: "start")).merging([
            "scope": "openid", "binding_message": "TX-1", "login_hint": InProcessClient.loginHint(),
        ]) { $1 }
        let started = await fixture.server.send(.form("/bc-authorize", start))
        let authReqID = try (started["auth_req_id"]?.stringValue).orThrow(started.text)
        func poll(_ name: String) async throws -> HTTPAnswer {
            await fixture.ask(
                Samples.proof(try Samples.assertion(at: fixture.server.clock.now, identifier: name)).merging([
                    "grant_type": GrantType.ciba.rawValue, "auth_req_id": authReqID,
                ]) { $1 })
        }
        expectError(try await poll("1"), 400, "authorization_pending")
        fixture.server.advance(.seconds(5))
        expectError(try await poll("1"), 401, "invalid_client")
        expectError(try await poll("2"), 400, "authorization_pending")
        #expect(try await phone.decide(authReqID).status == 204)
        fixture.server.advance(.seconds(5))
        #expect(try await poll("3").status == 200)
    }
}
