import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Two tabs of one browser, in which different people log in")
struct TwoTabsTests {
    private static let bob = "bob@example.org"

    /// A log-in form of a second tab, which was shown before Ann logged in in the first.
    private func form(
        _ path: String = "/u/login", _ world: AttackWorld, _ browser: InProcessBrowser,
        _ changes: [String: String?] = [:]
    ) async throws -> InProcessBrowser.Form {
        let form = try await browser.open(AttackWorld.authorize(changes)).form(path)
        #expect(try await world.logIn(browser).parameters["code"] != nil)
        return form
    }

    private func subject(_ page: InProcessBrowser.Page, _ world: AttackWorld) async throws -> String? {
        let code = try page.parameters["code"].orThrow("no code at \(page.url): \(page.text)")
        let tokens = await world.redeem(code)
        return try await world.claims(tokens["id_token"])["sub"]?.stringValue
    }

    @Test("A right password logs in whom it belongs to, and the browser's session becomes theirs")
    func anotherUser() async throws {
        let world = try await AttackWorld()
        let browser = world.browser()
        let form = try await form("/u/login", world, browser)
        let page = try await browser.send(form, ["username": Self.bob, "password": AttackWorld.password])
        #expect(try await subject(page, world) == "auth0|bob")
        let silent = try await browser.open(AttackWorld.authorize(["prompt": "none"]))
        #expect(try await subject(silent, world) == "auth0|bob")
    }

    @Test("A wrong password is refused, and no code is given; the right one afterwards is taken")
    func wrongPassword() async throws {
        let world = try await AttackWorld()
        let browser = world.browser()
        let form = try await form("/u/login", world, browser)
        let refused = try await browser.send(form, ["username": Self.bob, "password": "wrong"])
        expectErrorPage(refused)
        #expect(try await world.server.auditKinds().filter { $0 == "fp" }.count == 1)
        let again = try refused.form("/u/login")
        let page = try await browser.send(again, ["username": Self.bob, "password": AttackWorld.password])
        #expect(try await subject(page, world) == "auth0|bob")
    }

    @Test("A sign-up makes the account that was typed, and logs in as it")
    func signUp() async throws {
        let world = try await AttackWorld()
        let browser = world.browser()
        let form = try await form("/u/signup", world, browser, ["screen_hint": "signup"])
        let weak = try await browser.send(form, ["email": "new@example.org", "password": "password"])
        expectErrorPage(weak)
        let page = try await browser.send(
            weak.form("/u/signup"), ["email": "new@example.org", "password": "seven swans a swimming"])
        let subject = try await subject(page, world)
        #expect(subject?.hasPrefix("auth0|") == true && subject != "auth0|ann")
    }

    @Test("Where consent or an account's choice is what the session left to do, what was typed counts as well")
    func otherSteps() async throws {
        let world = try await AttackWorld()
        for changes in [["prompt": "consent"], ["prompt": "select_account"]] {
            let browser = world.browser()
            let form = try await form("/u/login", world, browser, changes)
            var page = try await browser.send(form, ["username": Self.bob, "password": AttackWorld.password])
            if page.path == "/u/consent" {
                #expect(page.text.contains(Self.bob))
                page = try await browser.send(page.form("/u/consent"), ["decision": "allow"])
            }
            #expect(try await subject(page, world) == "auth0|bob", "\(changes)")
        }
    }

    @Test("OIDC Core 3.1.2.3: the page that is only looked at goes on with the session")
    func looking() async throws {
        let world = try await AttackWorld()
        let browser = world.browser()
        let form = try await form("/u/login", world, browser)
        let page = try await browser.open("/u/login?state=\(form.fields["state"] ?? "")")
        #expect(try await subject(page, world) == "auth0|ann")
    }

    @Test("A form that comes after its own log-in, without being the same, does not log in somebody else")
    func own() async throws {
        let world = try await AttackWorld()
        let browser = world.browser()
        let form = try await browser.open(AttackWorld.authorize(["prompt": "consent"])).form("/u/login")
        let typed = ["username": AttackWorld.ann, "password": AttackWorld.password]
        #expect(try await browser.send(form, typed).path == "/u/consent")
        let late = try await browser.send(form, ["username": Self.bob, "password": AttackWorld.password])
        #expect(late.path == "/u/consent" && late.text.contains(AttackWorld.ann))
    }
}
