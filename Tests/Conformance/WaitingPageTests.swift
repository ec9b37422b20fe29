import AuthorizationCore
import Flows
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("WCAG 2.2, 2.2.1: the page that waits for the phone does not reload under the user's hands")
struct WaitingPageTests {
    /// Ann's browser at the page that waits for her phone.
    private func waiting() async throws -> (AttackFixture, InProcessBrowser, InProcessBrowser.Page) {
        let fixture = try await AttackFixture { $0.tenant.settings.multiFactor = .always }
        _ = try await InProcessPhone(in: fixture.server)
        let browser = fixture.browser()
        let page = try await fixture.logIn(browser)
        #expect(page.path == "/u/mfa-push")
        return (fixture, browser, page)
    }

    @Test("The page's background request is held, then redirects to the same page or to the next step")
    func held() async throws {
        let (fixture, browser, page) = try await waiting()
        let request = try page.waitingRequest()
        let first = Task { await browser.request(request) }
        await fixture.server.timer.awaitSleepers()
        fixture.server.advance(.seconds(50))
        let answer = await first.value
        #expect(answer.status == 302)
        let next = (request.query ?? "").replacing("wait=1", with: "wait=2")
        #expect(answer.fields["Location"] == "\(request.path)?\(next)")
        let second = Task { await browser.request(request) }
        await fixture.server.timer.awaitSleepers()
        fixture.server.hub.release()
        #expect(await second.value.status == 204, "the browser keeps the page, since it would find no server")
        #expect(try await browser.open(page.url).text.contains("Check your phone"))
        #expect(fixture.server.hub.waiting == 0)
    }

    /// Returns once the last of the requests is held, and the one is answered in whose place it is.
    private static func wait(
        for held: [Task<HTTPAnswer, Never>], _ number: Int, in fixture: AttackFixture
    ) async {
        if number > 2 { _ = await held[number - 3].value }
        while fixture.server.hub.waiting < min(number, 2) { await Task.yield() }
        await fixture.server.timer.awaitSleepers(min(number, 2))
    }

    @Test("The page's script is told by a status to ask again, to load the page, or that newer pages wait")
    func polled() async throws {
        let (fixture, browser, page) = try await waiting()
        let request = try page.waitingRequest(\.polled)
        func answers(_ count: Int, _ event: () async throws -> Void) async throws -> [HTTPAnswer] {
            var held: [Task<HTTPAnswer, Never>] = []
            for number in 1...count {
                held.append(Task { await browser.request(request) })
                await Self.wait(for: held, number, in: fixture)
            }
            try await event()
            var answers: [HTTPAnswer] = []
            for task in held { answers.append(await task.value) }
            return answers
        }
        let unchanged = try await answers(1) { fixture.server.advance(.seconds(50)) }
        #expect(unchanged.map(\.status) == [204])
        let ended = try await answers(3) { fixture.server.hub.release() }
        #expect(ended.map(\.status) == [409, 503, 503])
        for answer in unchanged + ended {
            #expect(answer.body.isEmpty && answer.fields["Cache-Control"] == "no-store")
            #expect(answer.fields["Location"] == nil)
        }
        let waiting = try page.waiting.orThrow("the page waits for nothing")
        #expect(try await browser.open(waiting.page).text.contains("Check your phone"))
    }

    @Test("A person who opens the address that the script asks sees the page at once")
    func polledByAPerson() async throws {
        let (fixture, browser, page) = try await waiting()
        var request = try page.waitingRequest(\.polled)
        request.fields.append("Sec-Fetch-Dest", "document")
        let answer = await browser.request(request)
        #expect(answer.status == 302 && fixture.server.timer.sleepers == 0)
        #expect(answer.fields["Location"] == page.waiting?.page)
    }

    @Test("GET of the page in any language, and HEAD, are answered at once")
    func looking() async throws {
        let (_, browser, page) = try await waiting()
        #expect(try await browser.open(page.url).answer.status == 200)
        let waiting = try page.waitingRequest()
        var head = waiting
        head.method = .head
        #expect(await browser.request(head).status == 200)
        let link = try page.links.first { $0.contains("ui_locales=fr") }.orThrow("no link")
        #expect(!link.contains("wait="))
        #expect(try await browser.open(link).text.contains("téléphone"))
    }

    @Test("When the request expires, the page says so")
    func expired() async throws {
        let (fixture, browser, page) = try await waiting()
        let request = try page.waitingRequest()
        fixture.server.advance(.seconds(100))
        let held = Task { await browser.request(request) }
        await fixture.server.timer.awaitSleepers()
        fixture.server.advance(.seconds(20))
        let target = try (await held.value).fields["Location"].orThrow("no Location")
        #expect(try await browser.open(target).text.contains("has expired"))
    }

    /// Ann's browser at the page that enrols her first phone.
    private func enrolling() async throws -> (AttackFixture, InProcessBrowser, InProcessBrowser.Page) {
        let fixture = try await AttackFixture { $0.tenant.settings.multiFactor = .always }
        let browser = fixture.browser()
        let page = try await fixture.logIn(browser)
        #expect(page.path == "/u/enroll")
        return (fixture, browser, page)
    }

    @Test("The page that enrols a phone goes on to the next step once the phone is enrolled, without a click")
    func enrolled() async throws {
        let (fixture, browser, page) = try await enrolling()
        let request = try page.waitingRequest()
        let held = Task { await browser.request(request) }
        await fixture.server.timer.awaitSleepers()
        _ = try await InProcessPhone(in: fixture.server)
        fixture.server.advance(.seconds(1))
        let target = try (await held.value).fields["Location"].orThrow("no Location")
        #expect(!target.contains("wait="))
        #expect(try await browser.open(target).path == "/u/mfa-push")
    }

    @Test(
        "A person who loads the address that is held, by a reload or otherwise, sees the page at once",
        arguments: [
            ["Cache-Control": "max-age=0", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-User": "?1"],
            ["Cache-Control": "no-cache", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-User": "?1"],
            ["Cache-Control": "max-age=0"], ["Cache-Control": "x, No-Cache"], ["Sec-Fetch-Site": "cross-site"],
            ["Sec-Fetch-Site": "none", "Sec-Fetch-User": "?1"],
        ] as [HTTPFields])
    func loaded(fields: HTTPFields) async throws {
        for (fixture, browser, page) in [try await waiting(), try await enrolling()] {
            var request = try page.waitingRequest()
            for field in fields { request.fields.append(field.name, field.value) }
            let target = try (await browser.request(request)).fields["Location"].orThrow("no Location")
            #expect(!target.contains("wait=") && fixture.server.timer.sleepers == 0)
            let shown = try await browser.open(target)
            #expect(shown.path == page.path && shown.waiting != nil)
        }
    }

    @Test(
        "The page's own refresh is held: also after a click, without a cache, and in browsers without these fields",
        arguments: [
            [:], ["Sec-Fetch-Site": "same-origin"], ["Sec-Fetch-Site": "same-origin", "Sec-Fetch-User": "?1"],
            ["Sec-Fetch-Site": "same-origin", "Cache-Control": "no-cache"], ["Sec-Fetch-Site": "none"],
            ["Cache-Control": "max-age=259200"],
        ] as [HTTPFields])
    func refreshed(fields: HTTPFields) async throws {
        let (fixture, browser, page) = try await waiting()
        var request = try page.waitingRequest()
        for field in fields { request.fields.append(field.name, field.value) }
        let held = Task { [request] in await browser.request(request) }
        await fixture.server.timer.awaitSleepers()
        fixture.server.advance(.seconds(50))
        #expect(try (await held.value).fields["Location"].orThrow("no Location").hasSuffix("wait=2"))
    }

    @Test("Two pages of a login wait at a time: the oldest ends, and goes on by its button")
    func few() async throws {
        let (fixture, browser, page) = try await waiting()
        let request = try page.waitingRequest()
        var held: [Task<HTTPAnswer, Never>] = []
        for number in 1...3 {
            held.append(Task { await browser.request(request) })
            await Self.wait(for: held, number, in: fixture)
        }
        let target = try (await held[0].value).fields["Location"].orThrow("no Location")
        let displaced = try await browser.open(target)
        #expect(displaced.waiting == nil)
        #expect(displaced.text.contains("No notification? Open the app on your phone."))
        let again = try await browser.send(try displaced.form("/u/mfa-push"))
        #expect(again.waiting != nil)
        fixture.server.hub.release()
        for waiting in held[1...] { #expect(await waiting.value.status == 204) }
    }

    @Test("RFC 7240 4.3: a page out of sight is answered at once, and takes no place of those in sight")
    func outOfSight() async throws {
        let (fixture, browser, page) = try await waiting()
        var glance = try page.waitingRequest(\.polled)
        let held = Task { [glance] in await browser.request(glance) }
        await fixture.server.timer.awaitSleepers()
        glance.fields.append("Prefer", "wait=0")
        for _ in 0..<5 { #expect(await browser.request(glance).status == 204) }
        fixture.server.advance(.seconds(50))
        #expect(await held.value.status == 204)
    }

    @Test(
        "Pages of a login that learn of the decision at once end with the login, not with an error", arguments: 0..<10)
    func together(round: Int) async throws {
        for pageCount in 1...3 {
            let fixture = try await AttackFixture { $0.tenant.settings.multiFactor = .always }
            let phone = try await InProcessPhone(in: fixture.server)
            let browser = fixture.browser()
            let page = try await fixture.logIn(browser)
            #expect(try await phone.decideNewest().status == 204)
            let ends = try await withThrowingTaskGroup(of: InProcessBrowser.Page.self) { group in
                let form = try page.form("/u/mfa-push")
                group.addTask { try await browser.send(form) }
                for _ in 0..<pageCount { group.addTask { try await browser.open(page.url) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // An answer is given again once. Further pages say that the login is done.
            #expect(ends.filter(\.isAway).count >= 2)
            for end in ends {
                #expect(end.isAway || end.text.contains("The application already has the answer"), "\(end.text)")
            }
        }
    }

    @Test("A browser follows no more than 15 redirects before the page is shown anew")
    func limited() async throws {
        let (fixture, browser, page) = try await enrolling()
        let first = try page.waitingRequest()
        var query = first.query ?? ""
        for waits in 1...15 {
            #expect(query.contains("wait=\(waits)"))
            let held = Task { [query] in
                var request = first
                request.query = query
                return await browser.request(request)
            }
            for _ in 0..<50 {
                await fixture.server.timer.awaitSleepers()
                fixture.server.advance(.seconds(1))
            }
            let target = try (await held.value).fields["Location"].orThrow("no Location")
            #expect(target.contains("wait=") == (waits < 15))
            query = target.split(separator: "?").last.map(String.init) ?? ""
        }
    }

    @Test("A server that stops holds no page that enrols a phone, and HEAD is answered at once")
    func stopping() async throws {
        let (fixture, browser, page) = try await enrolling()
        let request = try page.waitingRequest()
        var head = request
        head.method = .head
        #expect(await browser.request(head).status == 200)
        let held = Task { await browser.request(request) }
        await fixture.server.timer.awaitSleepers()
        fixture.server.hub.release()
        fixture.server.advance(.seconds(1))
        #expect(await held.value.status == 204)
    }
}
