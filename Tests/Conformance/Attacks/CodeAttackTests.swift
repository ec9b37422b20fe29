import Audit
import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Attacks on codes: RFC 9700 4.4, 4.5, 4.8")
struct CodeAttackTests {
    // MARK: mix-up

    @Test("RFC 9700 4.4.2, RFC 9207: every answer names its issuer, errors included", arguments: ["query", "fragment"])
    func issuerInAnswers(mode: String) async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        var changes: [String: String?] = ["response_mode": mode]
        func issuers(_ page: InProcessBrowser.Page) -> [String] {
            page.parameters.pairs.filter { $0.name == "iss" }.map(\.value)
        }
        for error: [String: String?] in [
            ["prompt": "none"], ["response_type": "token"], ["code_challenge": nil], ["audience": "https://nobody/"],
            ["connection": "nobody"], ["scope": "a\"b"],
        ] {
            let page = try await browser.open(AttackFixture.authorize(changes.merging(error) { $1 }))
            #expect(page.parameters["error"] != nil, "\(page.url)")
            #expect(issuers(page) == ["https://dev.example/"])
            #expect(page.parameters["state"] == "the-clients-state")
        }
        let page = try await fixture.logIn(browser, changes)
        #expect(page.parameters["code"] != nil)
        #expect(issuers(page) == ["https://dev.example/"])
        changes["client_id"] = "third-party"
        changes["redirect_uri"] = "https://third.example/cb?a=1"
        let consent = try await browser.open(AttackFixture.authorize(changes))
        let denied = try await browser.send(consent.form("/u/consent"), ["decision": "deny"])
        #expect(denied.parameters["error"] == "access_denied")
        #expect(issuers(denied) == ["https://dev.example/"])
        // A custom domain is another issuer, and its answers say so.
        let custom = fixture.browser(host: InProcessServer.customHost)
        let there = try await custom.open(AttackFixture.authorize(["prompt": "none"]))
        #expect(there.parameters["iss"] == "https://login.dev.example/")
        let discovery = await fixture.server.send(.get("/.well-known/openid-configuration"))
        #expect(discovery["authorization_response_iss_parameter_supported"] == true)
        #expect(discovery["issuer"] == "https://dev.example/")
    }

    @Test("RFC 9700 4.4.2: an upstream answer that names another issuer is never redeemed")
    func upstreamMixUp() async throws {
        let idp = UpstreamTrap()
        let fixture = try await AttackFixture { try idp.connect(&$0) }
        for issuer in ["https://evil.example/", "https://idp.example", "https://dev.example/", "https://IDP.example/"] {
            let browser = fixture.browser()
            let state = try await idp.begin(browser)
            let page = try await browser.open(
                "/login/callback?code=c&state=\(state)&iss=\(PercentEncoding.encode(issuer))")
            expectErrorPage(page)
            #expect(idp.requests(to: "/token").isEmpty, "the code went to the provider for \(issuer)")
            // The attempt has ended: the right answer comes too late, and a new login begins.
            let late = try await browser.open(
                "/login/callback?code=c&state=\(state)&iss=https%3A%2F%2Fidp.example%2F")
            #expect(late.url.hasPrefix(UpstreamTrap.origin + "/authorize?"))
            #expect(idp.requests(to: "/token").isEmpty)
        }
    }

    @Test("RFC 9700 4.4, 4.7: an upstream answer with another's, a changed, a missing or a used state is refused")
    func upstreamState() async throws {
        let idp = UpstreamTrap()
        let fixture = try await AttackFixture { try idp.connect(&$0) }
        let attacker = fixture.browser(address: "203.0.113.66")
        let planted = try await idp.begin(attacker)
        let victim = fixture.browser()
        expectErrorPage(try await victim.open("/login/callback?code=attackers&state=\(planted)"))
        let own = try await idp.begin(victim)
        let transaction = own.prefix { $0 != "." }
        for state in [
            planted, "", "x", ".", "\(transaction)", "\(transaction).", "\(transaction).x",
            "\(transaction).\(planted.drop { $0 != "." }.dropFirst())", ".\(own.drop { $0 != "." }.dropFirst())",
            "\(own).x", String(repeating: "s", count: 4000), "%00",
        ] {
            let page = try await victim.open("/login/callback?code=attackers&state=\(state)")
            // After the attempt ended, a new login begins.
            #expect(!page.isAway || page.url.hasPrefix(UpstreamTrap.origin + "/authorize?"))
            #expect(page.answer.status != 500)
            #expect(victim.cookies.allSatisfy { $0.name != "__Host-countersign" })
        }
        #expect(idp.requests(to: "/token").isEmpty)
        for query in ["state=\(own)&state=\(own)&code=c", "state=\(own)&code=c&code=d", "code=c", "error=x"] {
            let page = try await victim.open("/login/callback?\(query)")
            #expect(page.answer.status == 400)
        }
        #expect(idp.requests(to: "/token").isEmpty)
    }

    @Test("RFC 9700 4.5: an injected upstream code is redeemed with this login's verifier, so that it fails")
    func upstreamCodeInjection() async throws {
        let idp = UpstreamTrap()
        let fixture = try await AttackFixture { try idp.connect(&$0) }
        let browser = fixture.browser()
        let state = try await idp.begin(browser)
        let challenge = idp.lastChallenge
        let page = try await browser.open("/login/callback?code=victims&state=\(state)")
        expectErrorPage(page)
        let request = try idp.requests(to: "/token").first.orThrow("not asked")
        let form = try FormFields(parsing: request.body)
        #expect(form["redirect_uri"] == "https://dev.example/login/callback")
        let verifier = form["code_verifier"] ?? ""
        #expect(CodeChallenge(of: verifier, Samples.hashing).description == challenge)
        #expect(browser.cookies.allSatisfy { $0.name != "__Host-countersign" })
    }

    // MARK: code injection

    @Test("RFC 9700 4.5: a code of another client is refused and stays valid for its own client")
    func anotherClientsCode() async throws {
        let fixture = try await AttackFixture()
        let code = try await fixture.code()
        let third: [String: String?] = ["client_id": "third-party"]
        expectError(await fixture.redeem(code, third), 400, "invalid_grant")
        expectError(
            await fixture.redeem(code, third.merging(["redirect_uri": "https://third.example/cb?a=1"]) { $1 }), 400,
            "invalid_grant")
        expectError(await fixture.redeem(code, asApp), 400, "invalid_grant")
        expectError(await fixture.redeem(code, ["client_secret": nil]), 401, "invalid_client")
        expectError(await fixture.redeem(code, ["client_secret": "wrong"]), 401, "invalid_client")
        #expect(await fixture.redeem(code).status == 200)
    }

    @Test("RFC 9700 4.5.3.1: a stolen code in the attacker's own session lacks that session's verifier (PKCE)")
    func injection() async throws {
        let fixture = try await AttackFixture()
        let stolen = try await fixture.code(appWithRefresh)
        // The attacker's session with the client has a verifier of its own.
        for verifier in [
            "attackers-verifier-attackers-verifier-attackers", "", nil, String(Samples.verifier.dropLast()),
            Samples.verifier + "A", Samples.verifier.lowercased(),
            CodeChallenge(of: Samples.verifier, Samples.hashing).description,
        ] {
            let answer = await fixture.redeem(stolen, asApp.merging(["code_verifier": verifier]) { $1 })
            #expect(answer.status == 400)
            #expect(["invalid_grant", "invalid_request"].contains(answer.code ?? ""))
            #expect(answer["access_token"] == nil)
        }
        #expect(await fixture.redeem(stolen, asApp).status == 200)
    }

    @Test("RFC 9700 4.5.3.2: the ID token has the nonce of the authorization request, not one sent with the code")
    func nonce() async throws {
        let fixture = try await AttackFixture()
        let stolen = try await fixture.code(["nonce": "the victim's"])
        let tokens = await fixture.redeem(stolen, ["nonce": "the attacker's"])
        #expect(try await fixture.claims(tokens["id_token"])["nonce"] == "the victim's")
        let none = await fixture.redeem(try await fixture.code(["nonce": nil]))
        #expect(try await fixture.claims(none["id_token"])["nonce"] == nil)
    }

    @Test("RFC 9700 4.5: redirect_uri must equal the request's (RFC 6749 4.1.3)")
    func redirectURI() async throws {
        let fixture = try await AttackFixture()
        let code = try await fixture.code()
        for uri in [nil, "", "https://web.example/callback/", "https://evil.example/", "https://web.example/Callback"] {
            expectError(await fixture.redeem(code, ["redirect_uri": uri]), 400, "invalid_grant")
        }
        let other = try await fixture.code(["client_id": "cli", "redirect_uri": "http://127.0.0.1:5000/callback"])
        let asCLI: [String: String?] = ["client_id": "cli", "client_secret": nil]
        expectError(
            await fixture.redeem(other, asCLI.merging(["redirect_uri": "http://127.0.0.1:5001/callback"]) { $1 }), 400,
            "invalid_grant")
        let good = await fixture.redeem(other, asCLI.merging(["redirect_uri": "http://127.0.0.1:5000/callback"]) { $1 })
        #expect(good.status == 200)
    }

    @Test("RFC 9700 4.5: a code presented twice revokes everything that it gave (RFC 6749 4.1.2)")
    func replay() async throws {
        for changes: [String: String?] in [[:], ["code_verifier": "wrong-verifier-wrong-verifier-wrong-verifier"]] {
            let fixture = try await AttackFixture()
            let code = try await fixture.code(appWithRefresh)
            let tokens = await fixture.redeem(code, asApp)
            #expect(await fixture.userInfo(tokens["access_token"]?.stringValue).status == 200)
            let before = await fixture.refresh(tokens["refresh_token"]?.stringValue)
            #expect(before.status == 200)
            expectError(await fixture.redeem(code, asApp.merging(changes) { $1 }), 400, "invalid_grant")
            for token in [tokens["access_token"], before["access_token"]] {
                expectError(await fixture.userInfo(token?.stringValue), 401, "invalid_token")
            }
            for token in [tokens["refresh_token"], before["refresh_token"]] {
                expectError(await fixture.refresh(token?.stringValue), 400, "invalid_grant")
            }
            #expect(
                try await fixture.server.auditKinds().filter { $0 == AuditEvent.Kind.codeRefused.rawValue }.count == 1,
                "noted once, with what it ended")
        }
    }

    @Test("RFC 9700 4.5: log entries for a repeated code are limited like other refusals of a public client")
    func replayedOnAndOn() async throws {
        let fixture = try await AttackFixture()
        let code = try await fixture.code(appWithRefresh)
        #expect(await fixture.redeem(code, asApp).status == 200)
        for _ in 0..<50 { expectError(await fixture.redeem(code, asApp), 400, "invalid_grant") }
        #expect(
            try await fixture.server.auditKinds().filter { $0 == AuditEvent.Kind.codeRefused.rawValue }.count == 31,
            "the one with what it ended, and thirty a minute")
    }

    @Test("RFC 9700 4.5: concurrent exchanges of a code give tokens at most once")
    func race() async throws {
        let fixture = try await AttackFixture()
        let code = try await fixture.code()
        let answers = await withTaskGroup(of: HTTPAnswer.self) { group in
            for _ in 0..<20 { group.addTask { await fixture.redeem(code) } }
            return await group.reduce(into: [HTTPAnswer]()) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == 200 }.count == 1)
        #expect(answers.filter { $0.status == 400 && $0.code == "invalid_grant" }.count == 19)
    }

    @Test("RFC 9700 4.5: a code of another tenant and an invented code are refused")
    func foreign() async throws {
        let fixture = try await AttackFixture()
        let code = try await fixture.code()
        let there: [String: String?] = [
            "grant_type": "authorization_code", "client_id": "stranger", "client_secret": Samples.secret, "code": code,
            "redirect_uri": AttackFixture.callback, "code_verifier": Samples.verifier,
        ]
        let answer = await fixture.server.send(.form("/oauth/token", there, host: InProcessServer.otherHost))
        #expect(answer.status == 400 && answer["access_token"] == nil)
        for code in ["", "x", String(repeating: "x", count: 4000), "\(code)x", String(code.dropLast())] {
            #expect(await fixture.redeem(code).status == 400)
        }
        #expect(await fixture.redeem(code).status == 200)
    }

    // MARK: PKCE downgrade

    @Test("RFC 9700 4.8: an incomplete or plain challenge gets no code; a public client needs one")
    func downgrade() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        _ = try await fixture.logIn(browser)
        let half: [[String: String?]] = [
            ["code_challenge": nil], ["code_challenge_method": "plain"], ["code_challenge_method": nil],
            ["code_challenge_method": "s256"], ["code_challenge_method": "S512"], ["code_challenge": "short"],
            ["code_challenge": Samples.verifier + "="], ["code_challenge": String(repeating: "+", count: 43)],
        ]
        let none: [[String: String?]] = [
            ["code_challenge": nil, "code_challenge_method": nil], ["code_challenge": "", "code_challenge_method": ""],
        ]
        for (client, refused) in [
            (["client_id": "web"], half), (asApp.filter { $0.key != "client_secret" }, half + none),
        ] as [([String: String?], [[String: String?]])] {
            for changes in refused {
                let page = try await browser.open(
                    AttackFixture.authorize(client.merging(changes) { $1 }))
                #expect(page.parameters["error"] == "invalid_request", "\(changes) \(page.url) \(page.text)")
                #expect(page.parameters["error_description"]?.contains("code_challenge") == true)
                #expect(page.parameters["code"] == nil)
            }
        }
        let discovery = await fixture.server.send(.get("/.well-known/openid-configuration"))
        #expect(discovery["code_challenge_methods_supported"] == ["S256"])
    }

    private static let withoutChallenge: [String: String?] = ["code_challenge": nil, "code_challenge_method": nil]

    @Test("RFC 9700 4.8.2: a challenge requires its verifier, and a verifier without a challenge is refused")
    func verifierWithoutChallenge() async throws {
        let fixture = try await AttackFixture()
        let bound = try await fixture.code()
        expectError(await fixture.redeem(bound, ["code_verifier": nil]), 400, "invalid_request")
        expectError(await fixture.redeem(bound, ["code_verifier": ""]), 400, "invalid_request")
        #expect(await fixture.redeem(bound).status == 200)
        // An attacker removed the challenge from the request, and the victim's client redeems the code.
        let unbound = try await fixture.code(Self.withoutChallenge)
        expectError(await fixture.redeem(unbound), 400, "invalid_grant")
        #expect(await fixture.redeem(unbound, ["code_verifier": nil]).status == 200)
    }

    @Test("RFC 9126 2: parameters optional at /authorize are optional in a pushed request")
    func pushedWithoutChallenge() async throws {
        func push(_ fixture: AttackFixture) async -> HTTPAnswer {
            await fixture.post(
                "/oauth/par",
                [
                    "client_id": "web", "client_secret": Samples.secret, "response_type": "code", "scope": "openid",
                    "redirect_uri": AttackFixture.callback,
                ])
        }
        #expect(await push(try await AttackFixture()).status == 201)
        let strict = try await AttackFixture { $0.tenant.settings.requiresProofKey = true }
        expectError(await push(strict), 400, "invalid_request")
    }

    @Test("RFC 9700 2.1.1: a code issued without PKCE is refused once its client requires PKCE")
    func requiredSince() async throws {
        let fixture = try await AttackFixture()
        let code = try await fixture.code(Self.withoutChallenge)
        try await fixture.server.put(
            Samples.website {
                $0.allowedLogoutURLs = ["https://web.example/bye"]
                $0.requiresProofKey = true
            })
        expectError(
            await fixture.redeem(code, ["code_verifier": nil]), 400, "invalid_grant", "Invalid authorization code")
        expectError(await fixture.redeem(code), 400, "invalid_grant")
    }
}
