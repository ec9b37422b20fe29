import CountersignClient
import Foundation
import HTTPModel
import JOSE
import OAuthWire
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

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

    @Test("RFC 6749 4.1.2: a code works once, so it is not used before the keys are available")
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
        let query = try FormFields(parsing: Array((pending.url.query() ?? "").utf8))
        let challenge = try CodeChallenge(parsing: query["code_challenge"] ?? "")
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

    @Test("RFC 6749 10.12: an answer with a wrong or missing state is ignored, even as an error")
    func state() async {
        #expect(await finish(["state": "other"]) == .stateMismatch)
        #expect(await finish(["state": nil]) == .stateMismatch)
        #expect(await finish(["state": "other", "error": "access_denied"]) == .stateMismatch)
        #expect(fixture.transport.sent("/oauth/token").isEmpty)
    }

    @Test("RFC 9207 2.4: a wrong iss is refused, and a missing one if the server promises it")
    func issuer() async throws {
        #expect(await finish(["iss": "https://evil.example/"]) == .issuerMismatch("https://evil.example/"))
        // Compared exactly, including slashes.
        #expect(await finish(["iss": "https://id.example.org"]) == .issuerMismatch("https://id.example.org"))
        #expect(await finish(["iss": nil]) == .issuerMismatch(nil))
        #expect(await finish(["iss": nil, "error": "access_denied"]) == .issuerMismatch(nil))
        #expect(fixture.transport.sent("/oauth/token").isEmpty)
    }

    @Test("RFC 9207 2.4: without the promise iss may be missing, but must not be wrong")
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
        "RFC 6749 4.1.2.1, OIDC Core 3.1.2.6: each error has its own case",
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

    @Test("A code in the fragment is refused; other fragments are ignored")
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

    @Test("An answer with another address, a repeated parameter, or neither code nor error is refused")
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

    @Test("OIDC Core 3.1.3.7: the ID token must be for this login, current, and bound to the access token")
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

    @Test("OIDC Core 3.1.3.7 rule 13: with max_age, auth_time must be present and recent")
    func maximumAge() async throws {
        let now = fixture.clock.now.seconds
        #expect(try await problem(claims: ["auth_time": JSONValue(now - 659)]) == nil)
        #expect(try await problem(claims: ["auth_time": JSONValue(now - 661)]) == .tokenInvalid(.authenticationTime))
        #expect(try await problem(claims: ["auth_time": nil]) == .tokenInvalid(.authenticationTime))
    }

    @Test("RFC 6749 5.2: a refused code and a failing server are different errors")
    func refusedExchange() async {
        fixture.transport.refuse("invalid_grant", status: 403)
        #expect(await finish([:]) == .invalidRequest("about invalid_grant"))
        fixture.transport.refuse("server_error", status: 503)
        #expect(await finish([:]) == .network("about server_error"))
        fixture.transport.answer("/oauth/token", failing: .timedOut)
        #expect(await finish([:]) == .network("the server did not answer in time"))
    }
}
