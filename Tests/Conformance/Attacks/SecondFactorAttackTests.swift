import Configuration
import Administration
import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Attacks on second factors: one user's factor never serves another")
struct SecondFactorAttackTests {
    private static let bob = "bob@example.org"
    /// Parameters of a request that requires a second factor.
    private static let payment: [String: String?] = ["audience": Samples.api, "scope": "openid"]

    private func fixture() async throws -> AttackFixture {
        try await AttackFixture { setup in
            setup.tenant.settings.multiFactor = .never
            setup.apis = [try Samples.resourceServer { $0.requiresTransactionalMFA = true }]
        }
    }

    /// Ann's browser at the second factor, by her session. Bob, whose password she has, logs in in another tab.
    private func swapped(
        _ fixture: AttackFixture, _ browser: InProcessBrowser, at path: String
    ) async throws -> InProcessBrowser.Page {
        #expect(try await fixture.logIn(browser).parameters["code"] != nil)
        let waiting = try await browser.open(AttackFixture.authorize(Self.payment))
        #expect(waiting.path == path, "\(waiting.url)")
        #expect(try await fixture.logIn(browser, as: Self.bob, ["prompt": "login"]).parameters["code"] != nil)
        return waiting
    }

    @Test("A request that one user's phone allowed gives no token for another user in another tab")
    func push() async throws {
        let fixture = try await fixture()
        let anns = try await InProcessPhone(in: fixture.server)
        let bobs = try await InProcessPhone(UserID("auth0|bob"), identifier: "PHONE-2", in: fixture.server)
        let browser = fixture.browser()
        let waiting = try await swapped(fixture, browser, at: "/u/mfa-push")
        #expect(try await anns.decideNewest().status == 204)
        let page = try await browser.send(waiting.form("/u/mfa-push"))
        #expect(page.path == "/u/mfa-push" && !page.isAway, "\(page.url)")
        #expect(try await browser.open(waiting.url).text.contains(Self.bob))
        // The server asks Bob's own phone, and its answer counts.
        #expect(try await bobs.decideNewest().status == 204)
        let done = try await browser.open(waiting.url)
        let tokens = await fixture.redeem(try done.parameters["code"].orThrow("no code: \(done.url)"))
        #expect(try await fixture.claims(tokens["id_token"])["sub"] == "auth0|bob")
    }

    @Test("Within one transaction, another user's password after the push cannot use the first user's approval")
    func pushWithin() async throws {
        let fixture = try await fixture()
        let phone = try await InProcessPhone(in: fixture.server)
        _ = try await InProcessPhone(UserID("auth0|bob"), identifier: "PHONE-2", in: fixture.server)
        let browser = fixture.browser()
        let waiting = try await fixture.logIn(browser, Self.payment)
        #expect(waiting.path == "/u/mfa-push")
        #expect(try await phone.decideNewest().status == 204)
        let again = try await browser.send(waiting.form("/u/account")).form("/u/login")
        let page = try await browser.send(again, ["username": Self.bob, "password": AttackFixture.password])
        #expect(page.path == "/u/mfa-push" && page.text.contains(Self.bob))
        #expect(try await browser.send(page.form("/u/mfa-push")).isAway == false)
    }

    @Test("An enrolment code shown to one user is not shown to another user in another tab")
    func enrolment() async throws {
        let fixture = try await fixture()
        let browser = fixture.browser()
        let shown = try await swapped(fixture, browser, at: "/u/enroll")
        let page = try await browser.open(shown.url)
        #expect(page.path == "/u/enroll" && page.text.contains(Self.bob))
        let tickets = try [shown, page].map { page in
            let uri = try page.links.compactMap { try? EnrollmentURI(parsing: $0) }.first.orThrow(
                "no URI: \(page.links)")
            return uri.transactionID
        }
        #expect(tickets[0] != tickets[1])
        let answer = await fixture.server.send(
            InProcessPhone.enrollRequest(ticket: tickets[1], key: try Keys.signer(.es256).publicKey.json))
        #expect(answer["user_id"] == "auth0|bob", "\(answer.text)")
    }

    @Test("A phone's approval of a login gives no client backchannel tokens, whatever scopes were shown")
    func noTokens() async throws {
        let fixture = try await AttackFixture { setup in
            setup.tenant.settings.multiFactor = .never
            setup.apis = [try Samples.resourceServer { $0.requiresTransactionalMFA = true }]
            setup.clients.append(Samples.website("both") { $0.grantTypes.insert(.ciba) })
        }
        let phone = try await InProcessPhone(in: fixture.server)
        let browser = fixture.browser()
        _ = try await fixture.logIn(browser, ["client_id": "both"].merging(Self.payment) { $1 })
        let notification = try await phone.newestNotification()
        #expect(try await phone.decideNewest().status == 204)
        // The consent id is a prefix of the hash; the server discloses nothing more.
        for id in [notification.transactionLinkingID, notification.challenge, notification.transactionToken] {
            let answer = await fixture.post(
                "/oauth/token",
                [
                    "grant_type": "urn:openid:params:grant-type:ciba", "client_id": "both",
                    "client_secret": Samples.secret, "auth_req_id": id,
                ])
            expectError(answer, 400, "invalid_grant")
        }
    }

    // MARK: contents of the phone's consent

    private static let scopes = "openid pay:send"

    /// Ann's browser at the second factor for a payment of `amount`.
    private func paying(
        _ fixture: AttackFixture, _ browser: InProcessBrowser, amount: String
    ) async throws -> InProcessBrowser.Page {
        let details = #"[{"type":"payment","amount":"\#(amount)","currency":"EUR"}]"#
        let pushed = await fixture.post(
            "/oauth/par",
            [
                "client_id": "web", "client_secret": Samples.secret, "response_type": "code",
                "redirect_uri": AttackFixture.callback, "scope": Self.scopes, "audience": Samples.api,
                "authorization_details": details, "code_challenge_method": "S256",
                "code_challenge": CodeChallenge(of: Samples.verifier, Samples.hashing).description,
            ])
        let uri = try (pushed["request_uri"]?.stringValue).orThrow("not pushed: \(pushed.text)")
        let query = FormFields([("client_id", "web"), ("request_uri", uri)]).encoded
        let page = try await browser.open("/authorize?\(query)")
        guard page.path == "/u/login" else { return page }
        return try await browser.send(
            page.form("/u/login"), ["username": AttackFixture.ann, "password": AttackFixture.password])
    }

    private func paymentWorld(confirmsEach: Bool = true) async throws -> AttackFixture {
        try await AttackFixture { setup in
            setup.tenant.settings.multiFactor = confirmsEach ? .never : .always
            setup.apis = [
                try Samples.resourceServer(schema: ["title": "Payment"]) { $0.requiresTransactionalMFA = confirmsEach }
            ]
        }
    }

    @Test("RFC 9396, rich consents: the phone shows the API, scopes and details that it confirms")
    func shown() async throws {
        let fixture = try await paymentWorld()
        let phone = try await InProcessPhone(in: fixture.server)
        let browser = fixture.browser()
        let waiting = try await paying(fixture, browser, amount: "5000000.00")
        #expect(waiting.path == "/u/mfa-push", "\(waiting.url) \(waiting.text)")
        #expect(!waiting.links.contains { $0.contains("/u/mfa-code") }, "a code shows nothing")
        let consent = await fixture.server.send(try phone.consentRequest(try await phone.newestNotification()))
        #expect(consent.status == 200)
        let shown = consent["requested_details"]
        #expect(shown?["audience"]?.stringValue == Samples.api)
        #expect(shown?["scope"]?.arrayValue?.contains("pay:send") == true, "\(consent.text)")
        #expect(shown?["authorization_details"]?[0]?["amount"] == "5000000.00")
        #expect(shown?["authorization_details_id"]?.stringValue != nil)
        let record = try JSONReader.parse(consent["record"]?.stringValue ?? "")
        #expect(record["presentation"] == [["label": "Payment"]], "\(consent.text)")
        #expect(try await phone.decideNewest().status == 204)
        let asking = try await browser.send(waiting.form("/u/mfa-push"))
        let done = try await browser.send(asking.form("/u/consent"), ["decision": "allow"])
        let tokens = await fixture.redeem(try done.parameters["code"].orThrow("no code: \(done.url)"))
        #expect(tokens["authorization_details"]?[0]?["amount"] == "5000000.00", "\(tokens.text)")
    }

    @Test("A one-time password confirms no details; a user with no other factor returns to the client with an error")
    func noPhone() async throws {
        let fixture = try await paymentWorld()
        try await fixture.server.configure { transaction in
            var settings = Samples.tenant("dev", hosts: [InProcessServer.host, InProcessServer.customHost])
            settings.settings.multiFactor = .never
            settings.settings.pushEnabled = false
            try transaction.put(settings)
        }
        _ = try await InProcessPhone(in: fixture.server)
        let browser = fixture.browser()
        let page = try await paying(fixture, browser, amount: "1.00")
        #expect(page.path == "/u/mfa-none" && page.text.contains("has no phone that can"), "\(page.url) \(page.text)")
        expectGuarded(page.answer)
        #expect(try await browser.open(page.url.replacing("/u/mfa-none", with: "/u/mfa-code")).path == "/u/mfa-none")
        let back = try await browser.send(page.form("/u/mfa-none"))
        #expect(back.isAway && back.parameters["error"] == "access_denied")
        // Without details, a one-time password suffices.
        #expect(try await browser.open(AttackFixture.authorize(Self.payment)).path != "/u/mfa-none")
    }

    @Test("When only the login needs a second factor, the phone is asked about the login alone")
    func logInAlone() async throws {
        let fixture = try await paymentWorld(confirmsEach: false)
        let phone = try await InProcessPhone(in: fixture.server)
        let waiting = try await paying(fixture, fixture.browser(), amount: "1.00")
        #expect(waiting.path == "/u/mfa-push")
        let consent = await fixture.server.send(try phone.consentRequest(try await phone.newestNotification()))
        #expect(consent["requested_details"]?["scope"] == [])
        #expect(consent["requested_details"]?["authorization_details"] == nil)
    }

    @Test(
        "An approval covers only the scopes shown: if the permitted scopes change, the phone is asked again")
    func changedMeanwhile() async throws {
        let fixture = try await paymentWorld()
        let phone = try await InProcessPhone(in: fixture.server)
        let browser = fixture.browser()
        let waiting = try await paying(fixture, browser, amount: "1.00")
        #expect(try await phone.decideNewest().status == 204)
        try await fixture.server.configure { transaction in
            let api = try Samples.resourceServer {
                $0.requiresTransactionalMFA = true
                $0.scopes = [ResourceServer.Scope(value: "pay:read", description: "")]
            }
            try transaction.put(api, in: TenantID("dev"))
        }
        let page = try await browser.send(waiting.form("/u/mfa-push"))
        #expect(page.path == "/u/mfa-push" && page.text.contains("has expired"), "\(page.url) \(page.text)")
    }
}
