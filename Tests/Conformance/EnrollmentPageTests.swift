import AuthorizationCore
import HTTPModel
import JOSE
import Localization
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("The page of an enrolment link")
struct EnrollmentPageTests {
    private let fixture: AttackFixture
    private let ticket: String

    init() async throws {
        fixture = try await AttackFixture { setup in
            setup.tenant.settings.approvalApp.name = "Bank Approvals"
            setup.tenant.settings.approvalApp.apple = AppLink("https://apps.apple.com/app/id1")
        }
        ticket = try await InProcessPhone.ticket(in: fixture.server)
    }

    private var address: String { "/guardian/enroll?ticket=\(ticket)" }

    private func enroll() async throws {
        let key = try Keys.signer(.es256, "page").publicKey.json
        let answer = await fixture.server.send(InProcessPhone.enrollRequest(ticket: ticket, name: "Ann <3", key: key))
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// Answer to the background request, during which `event` happens.
    private func waited(
        _ browser: InProcessBrowser, _ request: Request, _ event: () async throws -> Void
    ) async throws -> String {
        let held = Task { await browser.request(request) }
        await fixture.server.timer.awaitSleepers()
        try await event()
        fixture.server.advance(.seconds(1))
        return try (await held.value).fields["Location"].orThrow("no Location")
    }

    @Test("It names account, tenant and app, and looking at it changes nothing, however often")
    func looking() async throws {
        let before = try await fixture.server.dump()
        for _ in 0..<10 {
            let page = try await fixture.browser(fields: ["User-Agent": "a mail scanner"]).open(address)
            #expect(page.answer.status == 200)
            for text in [AttackFixture.ann, "Tenant dev", "Bank Approvals", "apps.apple.com", ticket] {
                #expect(page.text.contains(text), "\(text)")
            }
            #expect(page.answer.fields["Cache-Control"] == "no-store")
            #expect(page.answer.fields["Referrer-Policy"] == "same-origin")
        }
        #expect(try await fixture.server.dump() == before)
        try await enroll()
    }

    @Test(
        "Pages of links are limited for each address, with the time to retry",
        arguments: [HostedPath.enrollByTicket, .verifyEmail, .resetPassword])
    func limited(page: HostedPath) async throws {
        let path = page.rawValue
        let fixture = try await AttackFixture { $0.tenant.settings.loginsPerMinutePerAddress = 2 }
        let browser = fixture.browser()
        for _ in 0..<2 { #expect(try await browser.open("\(path)?ticket=unknown").answer.status == 400) }
        for language in Language.allCases {
            let page = try await browser.open("\(path)?ticket=unknown&ui_locales=\(language.rawValue)")
            expectErrorPage(page, 429)
            #expect(page.text.contains(language.texts.failure.tooManyFromAddress(60)))
            #expect(page.answer.fields["Retry-After"] == "60")
        }
        let elsewhere = fixture.browser(address: "198.51.100.8")
        #expect(try await elsewhere.open("\(path)?ticket=unknown").answer.status == 400)
        fixture.server.advance(.seconds(30))
        #expect(try await browser.open("\(path)?ticket=unknown").answer.status == 400)
    }

    @Test("It waits for the phone in the background and then names it, again after a reload and in each language")
    func added() async throws {
        let browser = fixture.browser()
        let request = try await browser.open(address).waitingRequest()
        let target = try await waited(browser, request) { try await enroll() }
        #expect(!target.contains("wait="))
        for _ in 0..<2 {
            let page = try await browser.open(target)
            #expect(page.answer.status == 200)
            #expect(page.text.contains("Your phone was added") && page.text.contains("Ann <3"), "\(page.text)")
            #expect(page.waiting == nil)
        }
        #expect(try await browser.open("\(target)&ui_locales=de").text.contains("Ihr Telefon wurde hinzugefügt"))
        #expect(try await browser.open("\(target)&ui_locales=fr").text.contains("Votre téléphone a été ajouté"))
    }

    @Test("Without a script and without waiting, the button tells whether the phone was added")
    func button() async throws {
        let browser = fixture.browser()
        let page = try await browser.open(address)
        let problem = try await browser.send(page.form).text
        #expect(problem.contains("No phone was added yet. Scan the code with \u{2068}Bank Approvals\u{2069} first."))
        try await enroll()
        #expect(try await browser.send(page.form).text.contains("Your phone was added"))
    }

    @Test("A ticket that is unknown, used in another browser, expired or of a blocked user: one page, without details")
    func ended() async throws {
        func text(_ browser: InProcessBrowser, _ url: String) async throws -> String {
            let page = try await browser.open(url)
            #expect(page.answer.status == 400)
            #expect(page.waiting == nil)
            // The request's id differs.
            return try #require(try Markup.read(page.answer.body).all("main").first).all("p").map(\.text).joined()
        }
        let shown = fixture.browser()
        let seen = try await shown.open(address).waitingRequest()
        let unknown = try await text(fixture.browser(), "/guardian/enroll?ticket=x")
        #expect(unknown.contains("ask the people who gave you the link"))
        #expect(try await text(fixture.browser(), "/guardian/enroll") == unknown)
        try await enroll()
        #expect(try await text(fixture.browser(), address) == unknown)
        // The proof that the page was shown belongs to one browser and one ticket.
        let proof = try FormFields(parsing: Array((seen.query ?? "").utf8))["shown"].orThrow("no proof")
        let other = fixture.browser()
        _ = try await other.open("/guardian/enroll?ticket=\(try await InProcessPhone.ticket(in: fixture.server))")
        #expect(try await text(other, "\(address)&shown=\(proof)") == unknown)
        let form = try await other.open(AttackFixture.authorize()).form("/u/login")
        #expect(try await text(other, "\(address)&shown=\(form.fields["csrf"] ?? "")") == unknown)
        #expect(try await !shown.open("\(address)&shown=\(proof)").text.contains(unknown))
        let late = "/guardian/enroll?ticket=\(try await InProcessPhone.ticket(in: fixture.server))"
        #expect(try await fixture.browser().open(late).answer.status == 200)
        fixture.server.advance(.seconds(300))
        #expect(try await text(fixture.browser(), late) == unknown)
        // The phone's name is forgotten with the ticket.
        #expect(try await text(shown, "\(address)&shown=\(proof)") == unknown)
    }

    @Test("A page that waits learns that its ticket expired; an ended ticket and a server that stops hold no request")
    func notHeld() async throws {
        let browser = fixture.browser()
        let request = try await browser.open(address).waitingRequest()
        fixture.server.advance(.seconds(298))
        let held = Task { await browser.request(request) }
        for _ in 0..<2 {
            await fixture.server.timer.awaitSleepers()
            fixture.server.advance(.seconds(1))
        }
        let target = try (await held.value).fields["Location"].orThrow("no Location")
        #expect(!target.contains("wait="))
        #expect(try await browser.open(target).answer.status == 400)
        #expect(await browser.request(request).status == 302)
        var head = request
        head.method = .head
        #expect(await browser.request(head).status == 400)
    }

    @Test("A reload after a broken connection shows the page at once")
    func reloaded() async throws {
        let browser = fixture.browser()
        var request = try await browser.open(address).waitingRequest()
        request.fields.append("Cache-Control", "max-age=0")
        let target = try (await browser.request(request)).fields["Location"].orThrow("no Location")
        #expect(!target.contains("wait=") && fixture.server.timer.sleepers == 0)
        #expect(try await browser.open(target).text.contains("goes on by itself"))
    }

    @Test("A browser follows no more than 15 redirects before the page is shown anew")
    func limited() async throws {
        let browser = fixture.browser()
        var request = try await browser.open(address).waitingRequest()
        for (wait, isLast) in [(1, false), (14, false), (15, true), (Int.min, false), (.max, true)] {
            request.query = "ticket=\(ticket)&wait=\(wait)"
            let held = Task { [request] in await browser.request(request) }
            for _ in 0..<50 {
                await fixture.server.timer.awaitSleepers()
                fixture.server.advance(.seconds(1))
            }
            let target = try (await held.value).fields["Location"].orThrow("no Location")
            #expect(target.contains("wait=") == !isLast, "\(target)")
        }
    }

    @Test("Two pages of a ticket wait at a time: the oldest ends, keeps its button, and begins no more by itself")
    func few() async throws {
        let browser = fixture.browser()
        let request = try await browser.open(address).waitingRequest()
        var held: [Task<HTTPAnswer, Never>] = []
        for count in 1...3 {
            held.append(Task { await browser.request(request) })
            await fixture.server.timer.awaitSleepers(min(count, 2))
        }
        let target = try (await held[0].value).fields["Location"].orThrow("no Location")
        let page = try await browser.open(target)
        #expect(page.answer.status == 200 && page.waiting == nil)
        #expect(page.text.contains("Press the button once the phone has been added"))
        #expect(!page.text.contains("goes on by itself"))
        await fixture.server.timer.awaitSleepers(2)
        try await enroll()
        fixture.server.advance(.seconds(1))
        for waiting in held[1...] {
            let end = try (await waiting.value).fields["Location"].orThrow("no Location")
            #expect(!end.contains("wait="))
        }
        #expect(try await browser.send(page.form).text.contains("Your phone was added"))
    }

    @Test("The short address leads to the page, and keeps the language")
    func short() async throws {
        let page = try await fixture.browser().open("/enroll?ticket=\(ticket)&ui_locales=fr&next=https://evil.example")
        #expect(page.path == "/guardian/enroll")
        #expect(page.text.contains("Ajoutez votre téléphone"))
        #expect(try await fixture.browser().open("/enroll").answer.status == 400)
    }
}
