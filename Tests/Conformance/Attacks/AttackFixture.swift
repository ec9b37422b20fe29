import AuthorizationCore
import HTTPModel
import JOSE
import OAuthWire
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

/// A login server with clients of every kind, the starting point of the attack tests.
struct AttackFixture {
    static let password = "a long pass phrase"
    static let ann = "ann@example.org"
    static let callback = "https://web.example/callback"
    static let loopback = "http://127.0.0.1/callback"

    let server: InProcessServer

    /// `app` and `other-app` are public with a scheme of their own, `cli` is public on the loopback, `web` and
    /// `third-party` are confidential, and the last has to ask for consent.
    init(_ change: (inout InProcessServer.Setup) throws -> Void = { _ in }) async throws {
        server = try await InProcessServer { setup in
            setup.clients = [
                Samples.app(), Samples.app("other-app"),
                Samples.app("cli") { $0.redirectURIs = [RedirectURI(registering: Self.loopback)].compactMap { $0 } },
                Samples.website { $0.allowedLogoutURLs = ["https://web.example/bye"] },
                Samples.website("third-party") { client in
                    client.isFirstParty = false
                    client.redirectURIs = [RedirectURI(registering: "https://third.example/cb?a=1")].compactMap { $0 }
                },
                Samples.client("service") { client in
                    client.grantTypes = [.clientCredentials]
                    client.limit(to: [Samples.api: .some(["pay:read"])])
                },
            ]
            setup.apis = [try Samples.resourceServer { $0.allowsOfflineAccess = true }]
            setup.users[0].email = EmailAddress(parsing: Self.ann)
            setup.users[1].email = "bob@example.org"
            for user in setup.users { setup.passwords[user.id] = Self.password }
            setup.connections = [.defaultDatabase]
            try change(&setup)
        }
    }

    func browser(
        host: String = InProcessServer.host, address: String = "198.51.100.7", fields: HTTPFields = [:]
    ) -> InProcessBrowser {
        InProcessBrowser(server, host: host, address: address, fields: fields)
    }

    /// Authorization URL of the client `web`, with `changes`. Nil removes a parameter.
    static func authorize(_ changes: [String: String?] = [:]) -> String {
        var parameters: [String: String?] = [
            "response_type": "code", "client_id": "web", "redirect_uri": callback, "scope": "openid email",
            "state": "the-clients-state", "nonce": "the-clients-nonce",
            "code_challenge": CodeChallenge(of: Samples.verifier, Samples.hashing).description,
            "code_challenge_method": "S256",
        ]
        for (name, value) in changes { parameters[name] = .some(value) }
        let pairs = parameters.sorted { $0.key < $1.key }
        return "/authorize?" + FormFields(pairs.compactMap { pair in pair.value.map { (pair.key, $0) } }).encoded
    }

    /// Logs in, consents, and returns the page that the browser reached.
    func logIn(
        _ browser: InProcessBrowser, as email: String = ann, password: String = password,
        _ changes: [String: String?] = [:]
    ) async throws -> InProcessBrowser.Page {
        var page = try await browser.open(Self.authorize(changes))
        if page.path == "/u/login" {
            page = try await browser.send(page.form("/u/login"), ["username": email, "password": password])
        }
        if page.path == "/u/consent" {
            page = try await browser.send(page.form("/u/consent"), ["decision": "allow"])
        }
        return page
    }

    /// A code that the client received for a new login.
    func code(_ changes: [String: String?] = [:], browser: InProcessBrowser? = nil) async throws -> String {
        let page = try await logIn(browser ?? self.browser(), changes)
        return try page.parameters["code"].orThrow("no code: \(page.url) \(page.text)")
    }

    func post(_ path: String, _ parameters: [String: String?], fields: HTTPFields = [:]) async -> HTTPAnswer {
        await server.send(.form(path, parameters, fields: fields))
    }

    func redeem(_ code: String, _ changes: [String: String?] = [:]) async -> HTTPAnswer {
        let good: [String: String?] = [
            "grant_type": "authorization_code", "client_id": "web", "client_secret": Samples.secret, "code": code,
            "redirect_uri": Self.callback, "code_verifier": Samples.verifier,
        ]
        return await post("/oauth/token", good.merging(changes) { $1 })
    }

    func refresh(_ token: String?, _ changes: [String: String?] = [:]) async -> HTTPAnswer {
        let good: [String: String?] = ["grant_type": "refresh_token", "client_id": "app", "refresh_token": token]
        return await post("/oauth/token", good.merging(changes) { $1 })
    }

    func userInfo(_ token: String?, host: String = InProcessServer.host) async -> HTTPAnswer {
        await server.send(.get("/userinfo", host: host, fields: ["Authorization": "Bearer \(token ?? "")"]))
    }

    func isActive(_ token: String?) async -> Bool {
        await post(
            "/oauth/introspect", ["client_id": "web", "client_secret": Samples.secret, "token": token])["active"]
            == true
    }

    /// Claims of a token, verified with the published keys.
    func claims(_ token: JSONValue?) async throws -> JSONObject {
        let jws = try JWS(parsing: try (token?.stringValue).orThrow("no token"))
        let keys = try JWKSet(await server.send(.get("/.well-known/jwks.json")).json)
        let key = try keys.key(id: jws.keyID, for: jws.algorithm).orThrow("the key is not published")
        let payload = try jws.verified(by: key, allowed: [jws.algorithm], using: OpenSSLVerifier())
        return try Claims(payload: payload).orThrow("no claims").members
    }
}

/// Tokens for the public client `app`, with a refresh token.
let appWithRefresh: [String: String?] = [
    "client_id": "app", "redirect_uri": Samples.callback, "scope": "openid offline_access", "audience": Samples.api,
]

/// Parameters with which `app` redeems a code.
let asApp: [String: String?] = ["client_id": "app", "client_secret": nil, "redirect_uri": Samples.callback]

/// Expects the fields that forbid framing, caching and referrers.
func expectGuarded(_ answer: HTTPAnswer, sourceLocation: SourceLocation = #_sourceLocation) {
    let policy = answer.fields["Content-Security-Policy"] ?? ""
    #expect(policy.contains("frame-ancestors 'none'"), sourceLocation: sourceLocation)
    #expect(policy.contains("default-src 'none'"), sourceLocation: sourceLocation)
    #expect(!policy.contains("unsafe"), sourceLocation: sourceLocation)
    #expect(answer.fields["X-Frame-Options"] == "DENY", sourceLocation: sourceLocation)
    #expect(answer.fields["Cache-Control"] == "no-store", sourceLocation: sourceLocation)
    #expect(
        ["no-referrer", "same-origin"].contains(answer.fields["Referrer-Policy"] ?? ""),
        sourceLocation: sourceLocation)
}

/// Expects an error page of this server, without a redirect.
func expectErrorPage(
    _ page: InProcessBrowser.Page, _ status: Int = 400, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(page.answer.status == status, "\(page.url) \(page.text)", sourceLocation: sourceLocation)
    #expect(page.answer.fields["Content-Type"] == "text/html; charset=utf-8", sourceLocation: sourceLocation)
    #expect(page.answer.fields["Location"] == nil, sourceLocation: sourceLocation)
    #expect(!page.isAway, "\(page.url)", sourceLocation: sourceLocation)
    expectGuarded(page.answer, sourceLocation: sourceLocation)
}
