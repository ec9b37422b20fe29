import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Not you? Every page that names the account offers another")
struct OtherAccountTests {
    private static let third = ["client_id": "third-party", "redirect_uri": "https://third.example/cb?a=1"]
    private static let bob = ["username": "bob@example.org", "password": AttackFixture.password]

    @Test("The consent page offers another account, after a new login and with an existing session")
    func consent() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        for _ in 0..<2 {
            var page = try await browser.open(AttackFixture.authorize(Self.third.merging(["prompt": "consent"]) { $1 }))
            if page.path == "/u/login" {
                page = try await browser.send(
                    page.form("/u/login"), ["username": AttackFixture.ann, "password": AttackFixture.password])
            }
            #expect(page.path == "/u/consent" && page.text.contains(AttackFixture.ann))
            let chosen = try await browser.send(page.form("/u/account"))
            #expect(chosen.path == "/u/login")
            // Reloading the page does not continue with the existing session.
            #expect(try await browser.open(chosen.url).path == "/u/login")
            let other = try await browser.send(chosen.form("/u/login"), Self.bob)
            #expect(other.path == "/u/consent" && other.text.contains("bob@example.org"))
            let there = try await browser.send(other.form("/u/consent"), ["decision": "allow"])
            let tokens = await fixture.redeem(try there.parameters["code"].orThrow("no code: \(there.url)"), Self.third)
            #expect(try await fixture.claims(tokens["id_token"])["sub"] == "auth0|bob")
            // As Ann again, with a session.
            _ = try await fixture.logIn(browser, ["prompt": "login"])
        }
    }

    @Test("The pages of second factors and of the first phone offer another account")
    func secondFactor() async throws {
        let fixture = try await AttackFixture { $0.tenant.settings.multiFactor = .always }
        _ = try await InProcessPhone(in: fixture.server)
        let browser = fixture.browser()
        let waiting = try await fixture.logIn(browser)
        #expect(waiting.path == "/u/mfa-push" && waiting.text.contains(AttackFixture.ann))
        let form = try await browser.send(waiting.form("/u/account")).form("/u/login")
        let enrolling = try await browser.send(form, Self.bob)
        #expect(enrolling.path == "/u/enroll" && enrolling.text.contains("bob@example.org"))
        #expect(try await browser.send(enrolling.form("/u/account")).path == "/u/login")
        #expect(browser.cookies.allSatisfy { $0.name != "__Host-countersign" })
    }

    @Test("Another site cannot send the choice, and a finished login does not offer it")
    func guarded() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let page = try await browser.open(AttackFixture.authorize(Self.third))
        let typed = ["username": AttackFixture.ann, "password": AttackFixture.password]
        let consent = try await browser.send(page.form("/u/login"), typed)
        let form = try consent.form("/u/account")
        expectErrorPage(try await browser.send(form, ["csrf": "x"]))
        expectErrorPage(try await browser.send(form, origin: "https://evil.example"))
        #expect(try await browser.send(consent.form("/u/consent"), ["decision": "allow"]).isAway)
        expectErrorPage(try await browser.send(form))
    }
}
