import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import OAuthWire
import Primitives
import SQL
import TestSupport
import Testing

@Suite("The page to decide a request on, while it is open")
struct ApprovalPageWaitingTests {
    @Test("The page waits without reloading, and renews itself before a browser gives up on redirects")
    func waits() async throws {
        let fixture = try await ApprovalPageFixture()
        let (_, url) = try await fixture.started(["requested_expiry": "259200"])
        let browser = fixture.browser()
        var request = try await fixture.open(url, in: browser).waitingRequest()
        for wait in 2...16 {
            let held = Task { [request] in await browser.request(request) }
            await fixture.server.timer.awaitSleepers()
            fixture.server.advance(.seconds(50))
            let location = try (await held.value).fields["Location"].orThrow("no Location")
            let parts = location.split(separator: "?")
            #expect(parts[0] == "/u/approve")
            #expect(wait == 16 ? !location.contains("wait=") : location.hasSuffix("&wait=\(wait)"))
            request.query = String(parts[1])
        }
        #expect(fixture.server.hub.waiting == 0)
    }

    @Test("Two pages of a session wait for a request at a time: the oldest ends, and begins no more by itself")
    func few() async throws {
        let fixture = try await ApprovalPageFixture()
        let (_, url) = try await fixture.started()
        let browser = fixture.browser()
        let request = try await fixture.open(url, in: browser).waitingRequest()
        var held: [Task<HTTPAnswer, Never>] = []
        for count in 1...3 {
            held.append(Task { await browser.request(request) })
            await fixture.server.timer.awaitSleepers(min(count, 2))
        }
        let target = try (await held[0].value).fields["Location"].orThrow("no Location")
        let page = try await browser.open(target)
        #expect(page.text.contains("TX-4711") && page.waiting == nil)
        _ = try await browser.send(fixture.form(page), ["decision": "allow"])
        for waiting in held[1...] {
            let end = try (await waiting.value).fields["Location"].orThrow("no Location")
            #expect(!end.contains("wait="))
        }
        #expect(fixture.server.hub.waiting == 0)
    }

    @Test("A reload after a broken connection shows the page at once")
    func reloaded() async throws {
        let fixture = try await ApprovalPageFixture()
        let (_, url) = try await fixture.started()
        let browser = fixture.browser()
        var request = try await fixture.open(url, in: browser).waitingRequest()
        request.fields.append("Cache-Control", "max-age=0")
        let target = try (await browser.request(request)).fields["Location"].orThrow("no Location")
        #expect(!target.contains("wait=") && fixture.server.timer.sleepers == 0)
        #expect(try await browser.open(target).text.contains("TX-4711"))
    }

    @Test(
        "The open page learns that the request ended",
        arguments: ["by a phone", "in another browser", "by its client", "by time"])
    func endsWhileOpen(_ end: String) async throws {
        let fixture = try await ApprovalPageFixture()
        let phone = try await InProcessPhone(in: fixture.server)
        let (id, url) = try await fixture.started()
        let (browser, other) = (fixture.browser(), fixture.browser())
        let page = try await fixture.open(url, in: browser)
        let elsewhere = try fixture.form(try await fixture.open(url, in: other))
        if end == "by time" { fixture.server.clock.advance(by: .seconds(280)) }
        let request = try page.waitingRequest()
        let held = Task { await browser.request(request) }
        await fixture.server.timer.awaitSleepers()
        let expected: String
        switch end {
        case "by a phone":
            #expect(try await phone.decide(id, accepted: false).status == 204)
            expected = "This request was rejected"
        case "in another browser":
            _ = try await other.send(elsewhere, ["decision": "allow"])
            expected = "This request was allowed"
        case "by its client":
            let answer = await fixture.server.send(
                .form(
                    "/oauth/revoke",
                    [
                        "client_id": "agent", "client_secret": Samples.secret, "token": id,
                        "token_type_hint": "auth_req_id",
                    ]))
            #expect(answer.status == 200)
            expected = "This request was withdrawn"
        default:
            fixture.server.advance(.seconds(20))
            expected = "This request has expired"
        }
        let location = try (await held.value).fields["Location"].orThrow("no Location")
        #expect(!location.contains("wait="))
        let ended = try await browser.open(location)
        #expect(ended.text.contains(expected) && ended.waiting == nil)
        #expect(!ended.text.contains("TX-4711"))
        // The form that was shown before decides nothing now.
        let before = try await fixture.states()
        #expect(try await browser.send(fixture.form(page), ["decision": "allow"]).text.contains(expected))
        #expect(try await fixture.states() == before)
    }
}
