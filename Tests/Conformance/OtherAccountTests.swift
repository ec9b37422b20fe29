import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Not you? Every page that says whose login it is lets the person choose another account")
struct OtherAccountTests {
    private static let third = ["client_id": "third-party", "redirect_uri": "https://third.example/cb?a=1"]
    private static let bob = ["username": "bob@example.org", "password": AttackWorld.password]

    @Test("On the consent page, after a login of one's own and with a session that was there")
    func consent() async throws {
        let fixture = try await AttackWorld()
        let browser = fixture.browser()
        for _ in 0..<2 {
            var page = try await browser.open(AttackWorld.authorize(Self.third.merging(["prompt": "consent"]) { $1 }))
            if page.path == "/u/login" {
                page = try await browser.send(
                    page.form("/u/login"), ["username": AttackWorld.ann, "password": AttackWorld.password])
            }
            #expect(page.path == "/u/consent" && page.text.contains(AttackWorld.ann))
            let chosen = try await browser.send(page.form("/u/account"))
            #expect(chosen.path == "/u/login")
            // Looking again does not go on with the session that there is.
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

    @Test("On the pages of the second factor, and where a first phone is set up")
    func secondFactor() async throws {
        let fixture = try await AttackWorld { $0.tenant.settings.multiFactor = .always }
        _ = try await InProcessPhone(in: fixture.server)
        let browser = fixture.browser()
        let waiting = try await fixture.logIn(browser)
        #expect(waiting.path == "/u/mfa-push" && waiting.text.contains(AttackWorld.ann))
        let form = try await browser.send(waiting.form("/u/account")).form("/u/login")
        let enrolling = try await browser.send(form, Self.bob)
        #expect(enrolling.path == "/u/enroll" && enrolling.text.contains("bob@example.org"))
        #expect(try await browser.send(enrolling.form("/u/account")).path == "/u/login")
        #expect(browser.cookies.allSatisfy { $0.name != "__Host-countersign" })
    }

    @Test("The choice is a form of ours, so no other site makes it; after the end there is none")
    func guarded() async throws {
        let fixture = try await AttackWorld()
        let browser = fixture.browser()
        let page = try await browser.open(AttackWorld.authorize(Self.third))
        let typed = ["username": AttackWorld.ann, "password": AttackWorld.password]
        let consent = try await browser.send(page.form("/u/login"), typed)
        let form = try consent.form("/u/account")
        expectErrorPage(try await browser.send(form, ["csrf": "x"]))
        expectErrorPage(try await browser.send(form, origin: "https://evil.example"))
        #expect(try await browser.send(consent.form("/u/consent"), ["decision": "allow"]).isAway)
        expectErrorPage(try await browser.send(form))
    }
}
