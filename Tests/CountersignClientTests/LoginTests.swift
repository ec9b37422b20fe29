import CountersignClient
import Foundation
import HTTPModel
import JOSE
import OAuthWire
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

/// What was thrown.
func failure(_ body: () async throws -> some Sendable) async -> CountersignError? {
    do {
        _ = try await body()
        return nil
    } catch {
        if let error = error as? CountersignError { return error }
        Issue.record("unexpected: \(error)")
        return nil
    }
}

@Suite("Beginning a login")
struct BeginLoginTests {
    @Test("OIDC Core 3.1.2.1, RFC 7636 4.3: the page's address holds every parameter, and the verifier nowhere")
    func parameters() async throws {
        let fixture = try ClientFixture()
        var environment = fixture.environment
        environment.random = SeededRandom()
        let client = try CountersignClient(
            issuer: try #require(URL(string: ClientFixture.issuer)), clientID: "app", authentication: .publicClient,
            environment: environment)
        var parameters = AuthorizationParameters(
            scope: ["openid", "offline_access"], audience: "https://api.example.com", connection: "github")
        parameters.prompt = [.login, .selectAccount]
        parameters.maxAge = .seconds(600)
        parameters.loginHint = "ann@example.com"
        parameters.screenHint = "signup"
        parameters.uiLocales = ["fr-CA", "en"]
        parameters.contextClasses = ["urn:mfa"]
        parameters.extra = ["ext-theme": "dark & light", "organization": "org_1"]
        let pending = try await client.beginLogin(parameters, redirectURI: "http://127.0.0.1:4711/callback")
        #expect(pending.url.absoluteString.hasPrefix("https://id.example.org/authorize?"))
        let fields = try FormFields(parsing: Array((pending.url.query() ?? "").utf8))
        let random = SeededRandom()
        let verifier = CodeVerifier(random)
        let expected = [
            "scope": "openid offline_access", "audience": "https://api.example.com", "connection": "github",
            "prompt": "login select_account", "max_age": "600", "login_hint": "ann@example.com",
            "screen_hint": "signup", "ui_locales": "fr-CA en", "acr_values": "urn:mfa", "ext-theme": "dark & light",
            "organization": "org_1", "response_type": "code", "client_id": "app",
            "redirect_uri": "http://127.0.0.1:4711/callback", "state": Base64URL.encode(random.bytes(32)),
            "nonce": Base64URL.encode(random.bytes(32)),
            "code_challenge": CodeChallenge(of: verifier.text, OpenSSLHashing()).description,
            "code_challenge_method": "S256",
        ]
        #expect(Dictionary(uniqueKeysWithValues: fields.pairs.map { ($0.name, $0.value) }) == expected)
        #expect(pending.state == expected["state"])
        for text in ["\(pending)", String(reflecting: pending), pending.url.absoluteString] {
            #expect(!text.contains(verifier.text))
        }
    }

    @Test("Two logins share neither state, nonce nor challenge")
    func randomness() async throws {
        let client = try ClientFixture().client(.publicClient)
        let first = try await client.beginLogin(redirectURI: "app:/callback")
        let second = try await client.beginLogin(redirectURI: "app:/callback")
        for name in ["state", "nonce", "code_challenge"] {
            let values = try [first, second].map { try FormFields(parsing: Array(($0.url.query() ?? "").utf8))[name] }
            #expect(values[0] != nil && values[0] != values[1])
        }
    }

    @Test("A pending login survives being stored")
    func coding() async throws {
        let pending = try await ClientFixture().client(.publicClient).beginLogin(redirectURI: "app:/callback")
        let data = try JSONEncoder().encode(pending)
        #expect(try JSONDecoder().decode(PendingLogin.self, from: data) == pending)
    }

    @Test("What is wrong by itself is refused before anything is sent")
    func wrongParameters() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client(.publicClient)
        func problem(
            _ redirectURI: String = "app:/callback", _ change: (inout AuthorizationParameters) -> Void = { _ in }
        ) async -> String? {
            var parameters = AuthorizationParameters()
            change(&parameters)
            let failure = await failure { [parameters] in
                try await client.beginLogin(parameters, redirectURI: redirectURI)
            }
            guard case .invalidRequest(let text) = failure else { return nil }
            return text
        }
        #expect(await problem("/callback") != nil)
        #expect(await problem("https://app.example/#here") != nil)
        #expect(await problem { $0.prompt = [.none, .login] } != nil)
        #expect(await problem { $0.maxAge = .milliseconds(1500) } != nil)
        #expect(await problem { $0.maxAge = .seconds(-1) } != nil)
        #expect(await problem { $0.scope = ["open\"id"] } != nil)
        for name in ["state", "redirect_uri", "code_challenge", "response_mode", "request"] {
            #expect(await problem { $0.extra = [name: "x"] }?.contains(name) == true)
        }
        #expect(
            await problem {
                $0.audience = "a"
                $0.extra = ["audience": "b"]
            }?.contains("audience") == true)
        #expect(fixture.transport.sent.isEmpty)
    }
}

@Suite("Finishing a login")
struct FinishLoginTests {
    private let fixture: ClientFixture
    private let client: CountersignClient
    private let pending: PendingLogin

    init() async throws {
        fixture = try ClientFixture()
        client = try fixture.client(.publicClient)
        var parameters = AuthorizationParameters()
        parameters.maxAge = .seconds(600)
        pending = try await client.beginLogin(parameters, redirectURI: "com.example.app:/callback")
    }

    private var authTime: JSONObject { ["auth_time": JSONValue(fixture.clock.now.seconds - 60)] }

    @Test("RFC 6749 4.1.2: a code is good once, so it is not used before the keys are at hand")
    func keysBeforeTokens() async throws {
        fixture.transport.fail(.timedOut)
        try fixture.answerExchange(of: pending, claims: authTime)
        #expect(await finish([:]) != nil)
        #expect(fixture.transport.sent("/oauth/token").isEmpty)
        fixture.transport.fail(nil)
        let tokens = try await client.finishLogin(pending, callback: try fixture.callback(to: pending))
        #expect(tokens.idToken?.subject == ClientFixture.user)
    }

    private func finish(_ changes: JSONObject) async -> CountersignError? {
        await failure { try await client.finishLogin(pending, callback: fixture.callback(to: pending, changes)) }
    }

    private func problem(claims: JSONObject, _ changes: JSONObject = [:]) async throws -> CountersignError? {
        var all = authTime
        for (name, value) in claims { all[name] = value }
        try fixture.answerExchange(of: pending, claims: all, changes)
        return await finish([:])
    }

    @Test("RFC 6749 4.1.3, RFC 7636 4.5: the code is exchanged with the verifier, and the tokens are verified")
    func exchange() async throws {
        try fixture.answerExchange(of: pending, claims: authTime, ["refresh_token": "refresh-1"])
        let tokens = try await client.finishLogin(pending, callback: fixture.callback(to: pending))
        #expect(tokens.accessToken == "access-1")
        #expect(tokens.refreshToken == "refresh-1")
        #expect(tokens.idToken?.subject == ClientFixture.user)
        let form = try #require(fixture.transport.sent("/oauth/token").first).form
        #expect(form["grant_type"] == "authorization_code")
        #expect(form["code"] == "code-1")
        #expect(form["redirect_uri"] == pending.redirectURI)
        #expect(form["client_id"] == "agent")
        #expect(form["client_secret"] == nil)
        let asked = try FormFields(parsing: Array((pending.url.query() ?? "").utf8))
        let challenge = try CodeChallenge(parsing: asked["code_challenge"] ?? "")
        let verifier = try #require(form["code_verifier"])
        #expect(challenge.matches(verifier, OpenSSLHashing()))
    }

    @Test("A confidential client sends its secret with the code")
    func confidential() async throws {
        let client = try fixture.client(.secretBasic("s3cret"))
        let pending = try await client.beginLogin(redirectURI: "https://app.example/callback")
        try fixture.answerExchange(of: pending)
        _ = try await client.finishLogin(pending, callback: fixture.callback(to: pending))
        let sent = try #require(fixture.transport.sent("/oauth/token").first)
        #expect(sent.fields["Authorization"] == "Basic \(Base64.encode(Array("agent:s3cret".utf8)))")
        #expect(sent.form["client_id"] == nil)
    }

    @Test("RFC 6749 10.12: an answer with another state, or none, is not used, not even as an error")
    func state() async {
        #expect(await finish(["state": "other"]) == .stateMismatch)
        #expect(await finish(["state": nil]) == .stateMismatch)
        #expect(await finish(["state": "other", "error": "access_denied"]) == .stateMismatch)
        #expect(fixture.transport.sent("/oauth/token").isEmpty)
    }

    @Test("RFC 9207 2.4: another issuer's answer is not used, and none is missing where it is promised")
    func issuer() async throws {
        #expect(await finish(["iss": "https://evil.example/"]) == .issuerMismatch("https://evil.example/"))
        // Compared to the letter, without a slash more or less.
        #expect(await finish(["iss": "https://id.example.org"]) == .issuerMismatch("https://id.example.org"))
        #expect(await finish(["iss": nil]) == .issuerMismatch(nil))
        #expect(await finish(["iss": nil, "error": "access_denied"]) == .issuerMismatch(nil))
        #expect(fixture.transport.sent("/oauth/token").isEmpty)
    }

    @Test("RFC 9207 2.4: a server that does not promise to name its issuer need not, and must not name another")
    func issuerNotPromised() async throws {
        let fixture = try ClientFixture()
        fixture.transport.discovery = .object(
            JSONObject(
                fixture.transport.discovery.objectValue ?? [:],
                without: "authorization_response_iss_parameter_supported"))
        let client = try fixture.client(.publicClient)
        let pending = try await client.beginLogin(redirectURI: "app:/callback")
        try fixture.answerExchange(of: pending)
        _ = try await client.finishLogin(pending, callback: fixture.callback(to: pending, ["iss": nil]))
        #expect(
            await failure {
                try await client.finishLogin(
                    pending, callback: fixture.callback(to: pending, ["iss": "https://evil.example/"]))
            } == .issuerMismatch("https://evil.example/"))
    }

    @Test(
        "RFC 6749 4.1.2.1, OIDC Core 3.1.2.6: each error is a case of its own",
        arguments: [
            ("access_denied", CountersignError.accessDenied("why")), ("login_required", .loginRequired),
            ("consent_required", .consentRequired), ("interaction_required", .interactionRequired),
            ("account_selection_required", .interactionRequired), ("unauthorized_client", .clientRejected("why")),
            ("temporarily_unavailable", .network("why")),
            ("invalid_scope", .authorizationFailed(code: "invalid_scope", description: "why")),
        ])
    func errors(code: String, expected: CountersignError) async {
        let fields: JSONObject = ["error": .string(code), "error_description": "why", "code": nil]
        #expect(await finish(fields) == expected)
    }

    @Test("A code in the fragment is refused, and a decorative fragment is not")
    func fragment() async throws {
        let query = try #require(try fixture.callback(to: pending).query())
        let inside = try #require(URL(string: "\(pending.redirectURI)#\(query)"))
        let failed = await failure { try await client.finishLogin(pending, callback: inside) }
        #expect(failed == .protocolViolation("the response came in the fragment, but was requested in the query"))
        let both = try #require(URL(string: "\(pending.redirectURI)?\(query)#\(query)"))
        #expect(await failure { try await client.finishLogin(pending, callback: both) } == failed)
        try fixture.answerExchange(of: pending, claims: authTime)
        let decorated = try #require(URL(string: "\(pending.redirectURI)?\(query)#_=_"))
        _ = try await client.finishLogin(pending, callback: decorated)
    }

    @Test("Another address, a repeated parameter, or neither code nor error is no answer")
    func malformed() async throws {
        let query = try #require(try fixture.callback(to: pending).query())
        for text in [
            "com.example.other:/callback?\(query)", "com.example.app:/other?\(query)",
            "com.example.app://host/callback?\(query)", "com.example.app:/callback?\(query)&code=code-2",
            "com.example.app:/callback?\(query)&state=s",
        ] {
            let callback = try #require(URL(string: text))
            guard case .protocolViolation = await failure({ try await client.finishLogin(pending, callback: callback) })
            else {
                Issue.record("\(text) was accepted")
                continue
            }
        }
        guard case .protocolViolation = await finish(["code": nil]) else {
            Issue.record("an answer without a code was accepted")
            return
        }
        #expect(fixture.transport.sent("/oauth/token").isEmpty)
    }

    @Test("OIDC Core 3.1.3.7: the ID token is for this login, in force, and vouches for the access token")
    func idToken() async throws {
        #expect(try await problem(claims: [:]) == nil)
        #expect(try await problem(claims: ["nonce": "other"]) == .tokenInvalid(.nonce))
        #expect(try await problem(claims: ["nonce": nil]) == .tokenInvalid(.nonce))
        #expect(try await problem(claims: ["iss": "https://evil.example/"]) == .tokenInvalid(.issuer))
        #expect(try await problem(claims: ["aud": "other"]) == .tokenInvalid(.audience))
        #expect(try await problem(claims: ["exp": 1_799_999_900]) == .tokenInvalid(.expired))
        #expect(try await problem(claims: ["iat": 1_800_000_100]) == .tokenInvalid(.notYetValid))
        #expect(try await problem(claims: ["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"]) == .tokenInvalid(.accessTokenHash))
        #expect(try await problem(claims: [:], ["id_token": nil]) != nil)
        let forged = try JWS.sign(
            JSONWriter.bytes(.object(fixture.idTokenClaims)),
            with: OpenSSLSigner.generate(algorithm: .es256, keyID: "key-1"))
        #expect(try await problem(claims: [:], ["id_token": .string(forged)]) == .tokenInvalid(.signature))
        #expect(try await problem(claims: [:], ["token_type": "DPoP"]) != nil)
    }

    @Test("OIDC Core 3.1.3.7 rule 13: with max_age, auth_time must be there and recent")
    func maximumAge() async throws {
        let now = fixture.clock.now.seconds
        #expect(try await problem(claims: ["auth_time": JSONValue(now - 659)]) == nil)
        #expect(try await problem(claims: ["auth_time": JSONValue(now - 661)]) == .tokenInvalid(.authenticationTime))
        #expect(try await problem(claims: ["auth_time": nil]) == .tokenInvalid(.authenticationTime))
    }

    @Test("RFC 6749 5.2: a code that is not taken, and a server that fails, are told apart")
    func refusedExchange() async {
        fixture.transport.refuse("invalid_grant", status: 403)
        #expect(await finish([:]) == .invalidRequest("about invalid_grant"))
        fixture.transport.refuse("server_error", status: 503)
        #expect(await finish([:]) == .network("about server_error"))
        fixture.transport.answer("/oauth/token", failing: .timedOut)
        #expect(await finish([:]) == .network("the server did not answer in time"))
    }
}

@Suite("A login through a user agent")
struct AgentTests {
    /// Comes back with whatever the script says.
    private struct ScriptedAgent: UserAgent, PreparedRedirect {
        let uri = "app:/callback"
        let logoutReturn: URL? = nil
        let answer: @Sendable (URL, String) async throws(CountersignError) -> URL

        func prepare() async throws(CountersignError) -> any PreparedRedirect { self }
        func show(logout page: URL) async throws(CountersignError) {}
        func visit(_ page: URL, state: String) async throws(CountersignError) -> URL { try await answer(page, state) }
    }

    @Test("The person may give up, which is an error of its own, and nothing is exchanged")
    func givenUp() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client(.publicClient)
        let agent = ScriptedAgent { _, _ throws(CountersignError) in throw .cancelledByUser }
        #expect(await failure { try await client.login(through: agent) } == .cancelledByUser)
        #expect(fixture.transport.sent("/oauth/token").isEmpty)
    }

    @Test("A login that is cancelled while the browser is shown ends at once")
    func cancellation() async throws {
        let client = try ClientFixture().client(.publicClient)
        let (visits, shown) = AsyncStream.makeStream(of: Void.self)
        let login = Task {
            let browser = SystemBrowser { _ throws(CountersignError) in shown.yield() }
            return await failure { try await client.login(through: browser) }
        }
        for await _ in visits { break }
        login.cancel()
        #expect(await login.value == .cancelled)
    }
}

extension JSONObject {
    init(_ object: JSONObject, without name: String) {
        self = object
        self[name] = nil
    }
}
