import CountersignClient
import Foundation
import HTTPModel
import JOSE
import OAuthWire
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

@Suite("Beginning a login")
struct BeginLoginTests {
    @Test("OIDC Core 3.1.2.1, RFC 7636 4.3: the authorization URL has every parameter and not the verifier")
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

    @Test("A pending login survives storage")
    func coding() async throws {
        let pending = try await ClientFixture().client(.publicClient).beginLogin(redirectURI: "app:/callback")
        let data = try JSONEncoder().encode(pending)
        #expect(try JSONDecoder().decode(PendingLogin.self, from: data) == pending)
    }

    @Test("Invalid input is refused before anything is sent")
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
