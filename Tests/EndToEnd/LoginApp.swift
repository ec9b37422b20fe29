import CurlTransport
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

/// An app of the authorization code flow, as plain HTTP.
struct LoginApp: Sendable {
    static let callback = "com.example.app://callback"
    /// RFC 7636 appendix B; the challenge is the one of the documents' link.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    let server: TestServer
    let clientID: String
    let transport: any HTTPClient

    init(_ server: TestServer, _ clientID: String = "mobile") throws {
        self.server = server
        self.clientID = clientID
        transport = try server.transport()
    }

    /// The authorization URL with these parameters and those of PKCE and the client.
    func link(scope: String, _ more: KeyValuePairs<String, String> = [:], callback: String = Self.callback) -> String {
        var form = FormFields([
            ("response_type", "code"), ("code_challenge", Self.challenge), ("code_challenge_method", "S256"),
            ("client_id", clientID), ("redirect_uri", callback), ("scope", scope),
        ])
        for (name, value) in more { form.append(name, value) }
        // Auth0's documents write a blank as %20.
        return server.issuer + "authorize?" + form.encoded.replacing("+", with: "%20")
    }

    /// The token request of Auth0's documents.
    func redeem(_ code: String, callback: String = Self.callback) async throws -> Agent.Answer {
        try await post([
            "grant_type": "authorization_code", "code_verifier": .string(Self.verifier), "code": .string(code),
            "client_id": .string(clientID), "redirect_uri": .string(callback),
        ])
    }

    func refresh(_ token: String) async throws -> Agent.Answer {
        try await post([
            "grant_type": "refresh_token", "client_id": .string(clientID), "refresh_token": .string(token),
        ])
    }

    func post(_ body: JSONValue, to path: String = "oauth/token") async throws -> Agent.Answer {
        let response = try await transport.send(
            ClientRequest(
                method: .post, url: server.url + path, fields: ["content-type": "application/json"],
                body: JSONWriter.bytes(body), timeout: .seconds(60)))
        return Agent.Answer(
            status: response.status, json: response.body.isEmpty ? .null : try JSONReader.parse(response.body))
    }

    /// Tokens for a user who logs in with a password, unless the browser remembers them.
    func tokens(
        in browser: WebBrowser, user: Int = 0, scope: String, _ more: KeyValuePairs<String, String> = [:]
    ) async throws -> JSONValue {
        let callback = try await browser.logIn(link(scope: scope, more), user: user).callback()
        let answer = try await redeem(try callback["code"].orThrow("no code: \(callback)"))
        try #require(answer.status == 200, "\(answer.json)")
        return answer.json
    }

    /// Claims of the ID token, after its signature, issuer, audience and nonce were verified.
    func identity(_ tokens: JSONValue) async throws -> JSONObject {
        let token = try #require(tokens["id_token"]?.stringValue)
        let claims = try await server.verified(token)
        #expect(claims["iss"] == .string(server.issuer))
        #expect(claims["aud"] == .string(clientID))
        return claims
    }
}

extension TestServer {
    static func password(_ user: Int) -> String { "correct horse battery staple \(user)" }
    static func email(_ user: Int) -> String { "user\(user)@example.com" }

    /// The client of `Agent`, for a configuration that has another one for logins.
    static let agent: JSONValue = [
        "client_id": .string(clientID), "name": "Test agent", "client_secret": .string(clientSecret),
        "grant_types": ["urn:openid:params:grant-type:ciba"],
    ]

    /// A tenant with a phone app and a third-party client.
    func loginConfiguration(
        users: Int = 1, settings: JSONValue = [:], connections: [JSONValue] = [], clients: [JSONValue] = []
    ) -> JSONValue {
        let people: [JSONValue] = (0..<users).map { user in
            [
                "user_id": .string("auth0|\(user)"), "name": .string("User \(user)"),
                "picture": .string("https://example.com/\(user).png"), "email": .string(Self.email(user)),
                "email_verified": true, "password": .string(Self.password(user)),
            ]
        }
        func app(_ id: String, isFirstParty: Bool = true) -> JSONValue {
            [
                "client_id": .string(id), "name": .string("App \(id)"), "token_endpoint_auth_method": "none",
                "grant_types": ["authorization_code", "refresh_token"], "is_first_party": .bool(isFirstParty),
                "callbacks": [.string(LoginApp.callback), "http://127.0.0.1/callback"],
                "refresh_token": ["rotation_type": "rotating", "leeway": 60],
            ]
        }
        let database: JSONValue = ["name": "Username-Password-Authentication", "strategy": "auth0"]
        return [
            "tenants": [
                [
                    "id": "test", "name": "Test", "host": .string(host), "settings": settings,
                    "apis": [
                        ["identifier": .string(Self.audience), "allow_offline_access": true],
                        ["identifier": "https://online.example.com"],
                    ],
                    "users": .array(people), "connections": .array([database] + connections),
                    "clients": .array([app("mobile"), app("partner", isFirstParty: false)] + clients),
                ]
            ]
        ]
    }

    /// Claims of a token, after its signature was verified with a published key.
    func verified(_ token: String) async throws -> JSONObject {
        let published = try await transport().send(ClientRequest(method: .get, url: url + ".well-known/jwks.json"))
        let keys = try #require(try JSONReader.parse(published.body)["keys"]?.arrayValue)
        let jws = try JWS(parsing: token)
        let key = try JWK(try #require(keys.first { $0["kid"]?.stringValue == jws.keyID }))
        let payload = try jws.verified(by: key, allowed: [.rs256], using: OpenSSLVerifier())
        return try #require(try JSONReader.parse(payload).objectValue)
    }
}

extension WebBrowser {
    /// Opens `url`, and logs in with the password if the page asks.
    func logIn(_ url: String, user: Int = 0) async throws -> Place {
        let place = try await open(url)
        guard case .page(let page) = place, page.heading == "Log in" else { return place }
        return try await submit(
            page, "Log in", ["username": TestServer.email(user), "password": TestServer.password(user)])
    }
}
