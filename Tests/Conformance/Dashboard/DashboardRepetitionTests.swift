import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("The dashboard: a change is made once")
struct DashboardRepetitionTests {
    private static let rotation = "/admin/clients/agent/rotate"

    private func secrets(_ fixture: DashboardFixture) -> [[UInt8]] {
        fixture.server.configuration.current.tenant(id: TenantID("dev"))?.client(ClientID("agent"))?
            .secretHashes ?? []
    }

    private func rows(_ table: StaticString, _ fixture: DashboardFixture) async throws -> Int {
        try await fixture.server.database.count(table)
    }

    @Test("A form without an object behind it is done once, however often it is sent, on every node")
    func once() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let path = "/admin/clients/new/machine"
        let page = try await fixture.open(path, in: browser)
        let review = try await browser.send(page.form(path), ["m.name": "Falcon", "step": "review"])
        let made = try await browser.send(review.form(path), ["step": "change"])
        #expect(made.answer.status == 200 && made.text.contains("Falcon"), "\(made.text)")
        let count = try await rows("configuration_object", fixture)
        // Another field makes it another form for what one node remembers.
        for extra in [[:], ["other": "1"]] {
            let again = try await browser.send(
                review.form(path), extra.merging(["step": "change"]) { $1 })
            #expect(again.answer.status == 409 && again.text.contains("sent before"), "\(again.text)")
        }
        #expect(try await rows("configuration_object", fixture) == count)
    }

    @Test("Three nodes show the same page; a form goes from one to the next, and is done once by all")
    func nodes() async throws {
        let fixture = try await DashboardFixture()
        let browsers = [
            fixture.browser(), InProcessBrowser(try await InProcessServer(beside: fixture.server)),
            InProcessBrowser(try await InProcessServer(beside: fixture.server)),
        ]
        let path = "/admin/clients/new/machine"
        let page = try await fixture.open(path, in: browsers[0])
        for browser in browsers.dropFirst() { browser.plant(browsers[0].cookies) }
        for address in [path, "/admin/users", "/admin/clients/agent", "/admin/log"] {
            var shown: Set<String> = []
            for browser in browsers { shown.insert(try await browser.open(address).text) }
            #expect(shown.count == 1 && !shown.contains(""), "\(address)")
        }
        let review = try await browsers[1].send(page.form(path), ["m.name": "Falcon", "step": "review"])
        let made = try await browsers[2].send(review.form(path), ["step": "change"])
        #expect(made.answer.status == 200, "\(made.text)")
        let count = try await rows("configuration_object", fixture)
        for browser in browsers.prefix(2) {
            #expect(try await browser.send(review.form(path), ["step": "change"]).answer.status == 409)
        }
        #expect(try await rows("configuration_object", fixture) == count)
    }

    @Test("The second of two administrators who replace the same secret is told, and replaces nothing")
    func twoAdministrators() async throws {
        let fixture = try await DashboardFixture()
        let (first, second) = (fixture.browser(), fixture.browser())
        let late = try await fixture.open(Self.rotation, in: second)
        _ = try await fixture.change(Self.rotation, in: first)
        let rotated = secrets(fixture)
        let told = try await second.send(late.form(Self.rotation), ["step": "change"])
        #expect(told.answer.status == 400 && told.text.contains("Somebody changed this meanwhile"), "\(told.text)")
        #expect(secrets(fixture) == rotated)
        _ = try await second.send(told.form(Self.rotation), ["step": "change"])
        #expect(secrets(fixture) != rotated)
    }

    @Test("A form without its value, with another page's, and one that is an hour old, change nothing")
    func values() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let page = try await fixture.open(Self.rotation, in: browser)
        let other = try await fixture.open("/admin/clients/second/rotate", in: browser)
        let before = secrets(fixture)
        let form = try page.form(Self.rotation)
        let values = [nil, "", "1.x.y", try other.form("/admin/clients/second/rotate").fields["once"]]
        for value in values {
            let sent = try await browser.send(form, ["once": value, "step": "change"])
            #expect(sent.answer.status == 400 && sent.text.contains("more than an hour old"), "\(sent.text)")
        }
        #expect(secrets(fixture) == before)
        #expect(try await browser.send(form, ["step": "change"]).answer.status == 200)
    }

    @Test("No field repeats a typed secret, even if the form is refused")
    func typedSecrets() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let path = "/admin/users/new"
        let page = try await fixture.open(path, in: browser)
        #expect(page.answer.text.contains(#"type="password""#))
        let typed = [
            "m.email": "eve@example.org", "m.connection": "Username-Password-Authentication", "m.password": "wide",
        ]
        let review = try await browser.send(page.form(path), typed.merging(["step": "review"]) { $1 })
        let refused = try await browser.send(review.form(path), ["step": "change"])
        #expect(refused.text.contains("PasswordStrengthError"), "\(refused.text)")
        #expect(refused.answer.text.contains("eve@example.org") && !refused.answer.text.contains("wide"))
        let back = try await browser.send(review.form(path), ["step": "edit"])
        #expect(!back.answer.text.contains("wide"))
    }
}
