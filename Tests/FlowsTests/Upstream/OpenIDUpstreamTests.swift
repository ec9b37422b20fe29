import Audit
import AuthorizationCore
@testable import Flows
import HTTPModel
import JOSE
import Localization
import OAuthWire
import OpenSSLCrypto
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Logging in through an OpenID provider")
struct OpenIDUpstreamTests {
    // MARK: the request

    @Test("OIDC Core 3.1.2.1: the browser brings state, nonce, an S256 challenge and the client's demands")
    func request() async throws {
        let fixture = try UpstreamFixture()
        let demands = StartUpstreamLogin.Demands(
            loginHint: "ann@example.org", prompts: [.selectAccount, .login, .consent], uiLocales: "fr")
        let (location, query, attempt) = try await fixture.start("idp", demands: demands)
        #expect(location.hasPrefix("https://idp.example/authorize?tenant=a&response_type=code&"))
        #expect(query["redirect_uri"] == "https://dev.example/login/callback")
        #expect(query["client_id"] == "client")
        #expect(query["scope"] == "read:user user:email")
        #expect(query["nonce"] == attempt.nonce)
        #expect(query["code_challenge_method"] == "S256")
        #expect(query["code_challenge"] == CodeChallenge(of: attempt.verifier, Samples.hashing).description)
        #expect(query["login_hint"] == "ann@example.org")
        #expect(query["prompt"] == "login select_account")
        #expect(query["ui_locales"] == "fr")
        let state = try #require(query["state"])
        #expect(UpstreamAttempt.transaction(of: state) == "transaction")
        #expect(state.utf8.count == "transaction.".utf8.count + 43, "256 random bits")
        #expect(UpstreamAttempt(attempt.json) == attempt)
        #expect(try await fixture.start("idp").query["state"] != state)
    }

    @Test("OIDC Discovery 4: the document is read once an hour")
    func cached() async throws {
        let fixture = try UpstreamFixture()
        for _ in 0..<3 { _ = try await fixture.start("idp") }
        #expect(fixture.idp.requests("/.well-known/openid-configuration").count == 1)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await fixture.start("idp")
        #expect(fixture.idp.requests("/.well-known/openid-configuration").count == 2)
    }

    @Test("OIDC Discovery 4.3: another issuer's document is refused, and endpoints that are not https")
    func discovery() async throws {
        for (member, value) in [
            ("issuer", "https://evil.example/"), ("token_endpoint", "http://idp.example/token"),
            ("authorization_endpoint", "javascript:alert(1)"), ("jwks_uri", "https://a@idp.example/"),
            ("userinfo_endpoint", "ftp://idp.example/"),
        ] {
            let fixture = try UpstreamFixture()
            fixture.idp.change { $0.discovery[member] = .string(value) }
            let failure = try await fixture.failure()
            guard case .violation(.discovery) = failure else {
                Issue.record("\(member): \(failure)")
                continue
            }
        }
    }

    // MARK: the answer

    @Test("A new user has the connection's name and the provider's subject, and the profile of token and userinfo")
    func newUser() async throws {
        let fixture = try UpstreamFixture(tenant: { $0.settings.actionsPerMinute = 1 })
        let outcome = try await fixture.logIn()
        #expect(outcome.isNew && outcome.connection == "idp")
        #expect(outcome.user.id == UserID("idp|u-1"))
        #expect(outcome.user.name == "Ann")
        #expect(outcome.user.email == "ann@example.org" && outcome.user.emailVerified)
        #expect(fixture.accounts.state.withLock { $0.events } == [.signedUp])
        // The second login makes no new user.
        #expect(try await fixture.logIn().isNew == false)
        #expect(fixture.accounts.state.withLock { $0.events } == [.signedUp])
        fixture.idp.change { $0.userInfo["name"] = "Anne" }
        #expect(try await fixture.logIn().user.name == "Anne")
        // Each change draws on the user's budget, and a login without one does not.
        _ = try await fixture.logIn()
        fixture.idp.change { $0.userInfo["name"] = "Anna" }
        let exceeded = await #expect(throws: AuditBudgets.Exceeded.self) { _ = try await fixture.logIn() }
        #expect(exceeded?.retryAfter == 60)
        #expect(fixture.accounts.state.withLock { $0.events } == [.signedUp, .identityUpdated])
    }

    @Test("RFC 6749 clause 4.1.3: the code is redeemed with the redirect URI, the verifier and the secret")
    func redemption() async throws {
        let fixture = try UpstreamFixture()
        let (_, query, attempt) = try await fixture.start("idp")
        _ = try await fixture.finish(attempt, FormFields([("code", "c o"), ("state", query["state"] ?? "")]))
        let request = try #require(fixture.idp.requests("/token").first)
        let form = try FormFields(parsing: request.body)
        #expect(form["code"] == "c o" && form["grant_type"] == "authorization_code")
        #expect(form["redirect_uri"] == attempt.redirectURI && form["code_verifier"] == attempt.verifier)
        #expect(form["client_secret"] == nil)
        let pair = "client:\(PercentEncoding.encode(UpstreamFixture.secret))"
        #expect(request.fields["Authorization"] == "Basic \(Base64.encode(Array(pair.utf8)))")
    }

    @Test("A provider that knows only client_secret_post gets the secret in the form")
    func post() async throws {
        let fixture = try UpstreamFixture()
        fixture.idp.change { $0.discovery["token_endpoint_auth_methods_supported"] = ["client_secret_post"] }
        _ = try await fixture.logIn()
        let request = try #require(fixture.idp.requests("/token").first)
        #expect(try FormFields(parsing: request.body)["client_secret"] == UpstreamFixture.secret)
        #expect(request.fields["Authorization"] == nil)
    }

    @Test("RFC 9700 clause 4.7: a state that is not the attempt's is refused before any request to the provider")
    func wrongState() async throws {
        let fixture = try UpstreamFixture()
        let (_, query, attempt) = try await fixture.start("idp")
        let other = try await fixture.start("idp").query["state"] ?? ""
        for state in [other, "", (query["state"] ?? "") + "a"] {
            let failure = try await #require(throws: UpstreamFailure.self) {
                try await fixture.finish(attempt, FormFields([("code", "code"), ("state", state)]))
            }
            #expect(failure == .state)
        }
        #expect(fixture.idp.requests("/token").isEmpty)
    }

    @Test(
        "RFC 9207 clause 2.4: another issuer is refused, and so is none from a provider that names it"
    )
    func responseIssuer() async throws {
        let fixture = try UpstreamFixture()
        #expect(
            try await fixture.failure([("code", "c"), ("iss", "https://evil.example/")]) == .violation(.responseIssuer))
        #expect(try await fixture.logIn([("code", "c"), ("iss", OpenIDStandIn.issuer)]).isNew)
        let strict = try UpstreamFixture()
        strict.idp.change { $0.discovery["authorization_response_iss_parameter_supported"] = true }
        #expect(try await strict.failure([("code", "c")]) == .violation(.responseIssuer))
        #expect(try await strict.failure([("error", "access_denied")]) == .violation(.responseIssuer))
        #expect(strict.idp.requests("/token").isEmpty)
    }

    @Test("RFC 6749 clause 4.1.2.1: the provider's refusal is shown in its words, cut and without control characters")
    func refused() async throws {
        let fixture = try UpstreamFixture()
        let failure = try await fixture.failure([
            ("error", "access_denied"), ("error_description", "No\r\n<b>" + String(repeating: "x", count: 1000)),
        ])
        guard case .refused("access_denied", let description?) = failure else {
            Issue.record("\(failure)")
            return
        }
        #expect(description.hasPrefix("No<b>xxx") && description.count <= 300)
        #expect(failure.text(provider: "idp")[.english].hasPrefix("idp answered: No<b>"))
        #expect(try await fixture.failure([]) == .violation(.noCode))
    }

    @Test("RFC 6749 clause 5.2: an error of the token endpoint is the provider's refusal, whatever its status")
    func tokenError() async throws {
        for status in [200, 400, 401] {
            let fixture = try UpstreamFixture()
            fixture.idp.change { $0.token = (status, ["error": "invalid_grant", "error_description": "used"]) }
            #expect(try await fixture.failure() == .refused(error: "invalid_grant", description: "used"))
        }
    }

    @Test(
        "RFC 6749 clause 5.1: an answer that is no token response is refused",
        arguments: [
            (200, ["token_type": "Bearer"], true), (200, ["access_token": "a", "token_type": "mac"], true),
            (200, ["access_token": "access", "token_type": "Bearer"], true), (302, [:], false), (500, [:], false),
            (201, ["access_token": "a"], false),
        ] as [(Int, JSONObject, Bool)])
    func tokenResponse(status: Int, body: JSONObject, isViolation: Bool) async throws {
        let fixture = try UpstreamFixture()
        fixture.idp.change { $0.token = (status, body) }
        switch try await fixture.failure() {
        case .violation(.tokenResponse): #expect(isViolation)
        case .unavailable: #expect(!isViolation)
        case let other: Issue.record("\(other)")
        }
    }

    // MARK: the ID token

    struct Breach: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let failure: UpstreamFailure.Violation
        let change: @Sendable (inout JSONObject) -> Void

        init(
            _ name: String, _ failure: UpstreamFailure.Violation,
            _ change: @escaping @Sendable (inout JSONObject) -> Void
        ) {
            testDescription = name
            self.failure = failure
            self.change = change
        }
    }

    @Test(
        "OIDC Core 3.1.3.7: each rule of an ID token's claims",
        arguments: [
            Breach("iss of another", .claims(.issuer)) { $0["iss"] = "https://evil.example/" },
            Breach("no iss", .claims(.issuer)) { $0["iss"] = nil },
            Breach("aud of another", .claims(.audience)) { $0["aud"] = "other" },
            Breach("an audience beside", .authorizedParty) { $0["aud"] = ["client", "other"] },
            Breach("azp of another", .authorizedParty) { $0["azp"] = "other" },
            Breach("expired", .claims(.expired)) { $0["exp"] = JSONValue(Samples.start.seconds - 60) },
            Breach("no exp", .claims(.missing("exp"))) { $0["exp"] = nil },
            Breach("iat ahead", .claims(.issuedInTheFuture)) { $0["iat"] = JSONValue(Samples.start.seconds + 61) },
            Breach("iat long ago", .claims(.tooOld)) { $0["iat"] = JSONValue(Samples.start.seconds - 661) },
            Breach("another nonce", .nonce) { $0["nonce"] = "other" },
            Breach("no nonce", .nonce) { $0["nonce"] = nil },
            Breach("at_hash of another token", .accessTokenHash) { $0["at_hash"] = "AAAA" },
            Breach("no sub", .claims(.subject)) { $0["sub"] = nil },
        ])
    func claims(breach: Breach) async throws {
        let fixture = try UpstreamFixture()
        fixture.idp.change { $0.claims = breach.change }
        #expect(try await fixture.failure() == .violation(breach.failure))
        #expect(fixture.accounts.state.withLock { $0.accounts.isEmpty })
    }

    @Test("RFC 8725 clause 3.1: none, symmetric algorithms and ones the provider does not sign with are refused")
    func algorithms() async throws {
        let fixture = try UpstreamFixture()
        for name in ["none", "HS256"] {
            let parts = [#"{"alg":"\#(name)"}"#, #"{"sub":"u-1"}"#, ""].map { Base64URL.encode(Array($0.utf8)) }
            fixture.idp.change { $0.idToken = parts.joined(separator: ".") }
            #expect(try await fixture.failure() == .violation(.idToken(.algorithm(name))))
        }
        let signer = try Keys.signer(.edDSA, "idp", keyID: "idp-ed")
        fixture.idp.change {
            $0.idToken = nil
            $0.signer = signer
            $0.keys.append(signer.publicKey)
        }
        #expect(try await fixture.failure() == .violation(.idToken(.algorithm("EdDSA"))))
    }

    @Test("RFC 8725 clause 3.11: an access token is no ID token")
    func type() async throws {
        let fixture = try UpstreamFixture()
        fixture.idp.change { $0.type = "at+jwt" }
        #expect(try await fixture.failure() == .violation(.claims(.type("at+jwt"))))
    }

    @Test("A signature of another key is refused, also under the provider's kid")
    func signature() async throws {
        let fixture = try UpstreamFixture()
        let forger = try Keys.signer(.es256, "forger", keyID: "idp-1")
        fixture.idp.change { $0.signer = forger }
        #expect(try await fixture.failure() == .violation(.idToken(.signature)))
    }

    @Test("OIDC Core 10.1.1: an unknown kid fetches the keys again, at most once a minute")
    func rotation() async throws {
        let fixture = try UpstreamFixture()
        _ = try await fixture.logIn()
        let next = try Keys.signer(.es256, "idp", keyID: "idp-2")
        fixture.idp.change {
            $0.signer = next
            $0.keys.append(next.publicKey)
        }
        #expect(try await fixture.failure() == .violation(.unknownKey))
        #expect(fixture.idp.requests("/jwks").count == 1)
        fixture.clock.advance(by: .seconds(60))
        #expect(try await fixture.logIn().isNew == false)
        #expect(fixture.idp.requests("/jwks").count == 2)
        let unknown = try Keys.signer(.es256, "idp", keyID: "idp-3")
        fixture.clock.advance(by: .seconds(60))
        fixture.idp.change { $0.signer = unknown }
        #expect(try await fixture.failure() == .violation(.unknownKey))
        #expect(fixture.idp.requests("/jwks").count == 3)
    }

    @Test("A provider whose keys cannot be fetched is unavailable, not at fault; the next try is after 30 seconds")
    func keysUnavailable() async throws {
        let client = FailingClient()
        let fixture = try UpstreamFixture(client: client)
        client.handler.withLock { $0 = fixture.idp.handle }
        for path in ["/.well-known/openid-configuration", "/jwks"] {
            client.down.withLock { $0 = path }
            for count in [1, 1, 2] {
                if count == 2 { fixture.clock.advance(by: .seconds(30)) }
                guard case .unavailable = try await fixture.failure() else {
                    Issue.record("\(path) timed out")
                    continue
                }
                #expect(client.timeouts.withLock { $0[path] } == count)
            }
            client.down.withLock { $0 = nil }
            fixture.clock.advance(by: .seconds(30))
        }
        #expect(try await fixture.logIn().isNew)
    }

    private final class FailingClient: OutgoingHTTPClient {
        let policy = OutgoingPolicy()
        let handler = Mutex<(@Sendable (Request) -> Response)?>(nil)
        let down = Mutex<String?>(nil)
        let timeouts = Mutex<[String: Int]>([:])

        func send(_ admitted: OutgoingRequest) async throws(HTTPClientError) -> ClientResponse {
            let request = admitted.request
            if let path = down.withLock({ $0 }), request.url.hasSuffix(path) {
                timeouts.withLock { $0[path, default: 0] += 1 }
                throw .timedOut
            }
            guard let handler = handler.withLock({ $0 }) else { throw .other("nobody is there") }
            return try await HandlerClient([OpenIDStandIn.origin: { handler($0) }]).send(request)
        }
    }

    // MARK: userinfo

    @Test("OIDC Core 5.3.2: userinfo of another subject is refused")
    func userInfoSubject() async throws {
        for subject in ["u-2", nil] as [JSONValue?] {
            let fixture = try UpstreamFixture()
            fixture.idp.change { $0.userInfo["sub"] = subject }
            #expect(try await fixture.failure() == .violation(.userInfoSubject))
        }
    }

    @Test("An answer of more than a mebibyte is refused")
    func oversized() async throws {
        let fixture = try UpstreamFixture()
        fixture.idp.change { $0.padding = 1 << 20 }
        guard case .unavailable(let text) = try await fixture.failure() else {
            Issue.record("it was read")
            return
        }
        #expect(text.contains("tooLarge"))
    }

    @Test("Unfit texts are omitted: a picture that is not https, control characters, a broken address")
    func unfit() async throws {
        let fixture = try UpstreamFixture()
        fixture.idp.change {
            $0.userInfo["picture"] = "javascript:alert(1)"
            $0.userInfo["nickname"] = "a\nb"
            $0.userInfo["email"] = "nobody"
        }
        let user = try await fixture.logIn().user
        #expect(user.picture == nil && user.nickname == nil && user.email == nil && !user.emailVerified)
    }

    // MARK: linking

    private func linking(
        _ isOn: Bool, upstream: Bool = true, here: Bool = true, blocked: Bool = false
    ) throws -> UpstreamFixture {
        let fixture = try UpstreamFixture(tenant: { $0.settings.linksVerifiedEmails = isOn })
        let ann = Samples.user("auth0|ann") { user in
            user.email = "ann@example.org"
            user.emailVerified = here
            user.blocked = blocked
        }
        fixture.accounts.state.withLock { $0.accounts = [Account(user: ann, passwordHash: "x")] }
        fixture.idp.change { $0.userInfo["email_verified"] = .bool(upstream) }
        return fixture
    }

    @Test("An identity is linked by its e-mail address only if the tenant allows it and both sides verified it")
    func linked() async throws {
        let fixture = try linking(true)
        let outcome = try await fixture.logIn()
        #expect(outcome.user.id == UserID("auth0|ann") && !outcome.isNew && outcome.user.name == nil)
        #expect(fixture.accounts.state.withLock { $0.events } == [.identityLinked])
        #expect(try await fixture.logIn().user.id == UserID("auth0|ann"))
        #expect(fixture.accounts.state.withLock { $0.events } == [.identityLinked])
        for other in [try linking(false), try linking(true, upstream: false), try linking(true, here: false)] {
            #expect(try await other.logIn().user.id == UserID("idp|u-1"))
            #expect(other.accounts.state.withLock { $0.links.isEmpty })
        }
    }

    @Test(
        "OIDC Core 5.1: an address is verified if its own document says so, ID token or userinfo",
        arguments: [
            (["email": "else@example.org", "email_verified": true], ["email": "ann@example.org"], false),
            (["email": "ann@example.org"], ["email_verified": true], false),
            (["email": "ann@example.org"], ["email": nil, "email_verified": true], false),
            (["email": "ann@example.org", "email_verified": true], [:], true),
            (["email": "ann@example.org", "email_verified": true], ["email_verified": false], true),
            (["email": "else@example.org"], ["email": "ann@example.org", "email_verified": true], true),
        ] as [(JSONObject, JSONObject, Bool)])
    func oneDocument(token: JSONObject, userInfo: JSONObject, isLinked: Bool) async throws {
        let fixture = try linking(true)
        fixture.idp.change { answers in
            answers.claims = { claims in for (name, value) in token { claims[name] = value } }
            answers.userInfo = ["sub": "u-1"]
            for (name, value) in userInfo { answers.userInfo[name] = value }
        }
        #expect(try await fixture.logIn().user.id == UserID(isLinked ? "auth0|ann" : "idp|u-1"))
    }

    @Test("Unicode 5.18: an address with a letter whose lower case is ASCII belongs to no account")
    func kelvin() async throws {
        let fixture = try UpstreamFixture(tenant: { $0.settings.linksVerifiedEmails = true })
        let kim = Samples.user("auth0|kim") { user in
            user.email = "kim@example.org"
            user.emailVerified = true
        }
        fixture.accounts.state.withLock { $0.accounts = [Account(user: kim, passwordHash: "x")] }
        fixture.idp.change { $0.userInfo = ["sub": "u-1", "email": "\u{212A}im@example.org", "email_verified": true] }
        let user = try await fixture.logIn().user
        #expect(user.id == UserID("idp|u-1") && user.email == nil && !user.emailVerified)
        for text in ["\u{212A}im@example.org", "\u{130}da@example.org", "ann@example.\u{212A}im"] {
            #expect(EmailAddress(parsing: text) == nil, "\(text)")
        }
        #expect(EmailAddress(parsing: "KIM@Example.org")?.description == "kim@example.org")
    }

    @Test("A blocked user does not log in, neither as the provider's user nor by a link")
    func blocked() async throws {
        let linked = try linking(true, blocked: true)
        #expect(try await linked.failure() == .blocked(UserID("auth0|ann")))
        #expect(linked.accounts.state.withLock { $0.links.isEmpty })
        let fixture = try UpstreamFixture()
        var user = try await fixture.logIn().user
        user.blocked = true
        let blocked = Account(user: user, passwordHash: nil)
        fixture.accounts.state.withLock { $0.accounts = [blocked] }
        #expect(try await fixture.failure() == .blocked(user.id))
    }

    @Test("A secret that was sealed for another connection cannot be used")
    func foreignSecret() async throws {
        var fixture = try UpstreamFixture()
        let idp = try #require(fixture.configuration.connections.first { $0.name == "idp" })
        let renamed = LoginConnection(name: "moved", displayName: "", kind: idp.kind)
        fixture.configuration = TenantConfiguration(
            tenant: fixture.configuration.tenant, clients: [], resourceServers: [], roles: [], connections: [renamed],
            keys: fixture.configuration.keys)
        let (_, query, attempt) = try await fixture.start("moved")
        let failure = try await #require(throws: UpstreamFailure.self) {
            try await fixture.finish(attempt, FormFields([("code", "c"), ("state", query["state"] ?? "")]))
        }
        #expect(failure == .secret)
    }
}
