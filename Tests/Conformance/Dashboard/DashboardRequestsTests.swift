import AuthorizationCore
import Configuration
import HTTPModel
import OAuthWire
import Persistence
import Primitives
import TestSupport
import Testing

@testable import Flows

@Suite("The dashboard's requests")
struct DashboardRequestsTests {
    private func path(_ authReqID: String) -> String { "/admin/requests/\(InProcessClient.consent(of: authReqID))" }

    @Test("A started request is in the list and has a page with its card, its client and its person")
    func started() async throws {
        let fixture = try await DashboardFixture()
        _ = try await InProcessPhone(in: fixture.server)
        let request = try await InProcessClient(via: fixture.server).started()
        let browser = fixture.browser()
        let list = try await fixture.open("/admin/requests", in: browser)
        #expect(list.text.contains("TX-4711") && list.text.contains("ann@example.org"))
        #expect(list.text.contains("Waits for an answer"))
        let page = try await fixture.open(path(request), in: browser)
        #expect(page.answer.status == 200 && page.text.contains("TX-4711"), "\(page.text)")
        #expect(page.text.contains("Why has the phone not rung?"))
    }

    @Test("A phone without a push service is named as the reason that it has not rung")
    func withoutPush() async throws {
        let fixture = try await DashboardFixture()
        _ = try await InProcessPhone(in: fixture.server)
        let request = try await InProcessClient(via: fixture.server).started()
        let page = try await fixture.open(path(request), in: fixture.browser())
        #expect(page.text.contains("This phone has registered no push service."), "\(page.text)")
    }

    @Test("An allowed request shows its receipt, which the server verified")
    func receipt() async throws {
        let fixture = try await DashboardFixture()
        let phone = try await InProcessPhone(in: fixture.server)
        let request = try await InProcessClient(via: fixture.server).started()
        #expect(try await phone.decide(request, signsDigest: true).status == 204)
        let page = try await fixture.open(path(request), in: fixture.browser())
        #expect(page.text.contains("Valid: the server’s signature"), "\(page.text)")
    }

    @Test("The card and the names of a client and a person are shown as text, whatever they hold")
    func markup() async throws {
        let hostile = "<b id=hostile>x</b>"
        let fixture = try await DashboardFixture { setup in
            setup.tenant.settings.bindingMessageAlphabet = .unicode
            setup.users[0].name = hostile
            if let agent = setup.clients.firstIndex(where: { $0.id == ClientID("agent") }) {
                setup.clients[agent].name = hostile
            }
        }
        _ = try await InProcessPhone(in: fixture.server)
        let request = try await InProcessClient(via: fixture.server).started(["binding_message": hostile])
        let browser = fixture.browser()
        for address in ["/admin/requests", path(request), "/admin/clients", "/admin/clients/agent"] {
            let page = try await fixture.open(address, in: browser)
            #expect(page.answer.status == 200 && page.text.contains(hostile), "\(address): \(page.text)")
            #expect(!page.answer.text.contains("<b id=hostile"), "\(address)")
        }
    }

    @Test("A delivery that failed names its person and its request, and is tried again from its page")
    func retry() async throws {
        let fixture = try await DashboardFixture { $0.users[0].name = "Ann Example" }
        _ = try await InProcessPhone(in: fixture.server)
        _ = try await InProcessClient(via: fixture.server).started()
        let store = fixture.server.storage.store
        let now = fixture.server.clock.now
        let due = try await store.dueDeliveries(.notifications, perLane: 9, limit: 9, now: now)
        _ = try await store.settle(
            due.map { DeliverySettlement(id: $0.id, step: .dead(problem: "refused by <i>it</i>")) }, by: "node",
            now: now)
        let browser = fixture.browser()
        let list = try await fixture.open("/admin/deliveries", in: browser)
        #expect(list.text.contains("Ann Example") && list.text.contains("refused by <i>it</i>"), "\(list.text)")
        let page = try await fixture.open("/admin/deliveries/1", in: browser)
        #expect(page.text.contains("TX-4711") && page.links.contains("/admin/deliveries/1/retry"), "\(page.text)")
        let done = try await fixture.change("/admin/deliveries/1/retry", in: browser)
        #expect(done.path == "/admin/deliveries/1" && done.text.contains("Waits"), "\(done.text)")
        #expect(!done.links.contains("/admin/deliveries/1/retry"))
        #expect(try await fixture.server.dueDeliveries(.notifications).count == 1)
        let again = try await fixture.change("/admin/deliveries/1/retry", in: browser)
        #expect(again.answer.status >= 400 || again.text.contains("waits"), "\(again.text)")
    }

    @Test("The list narrows to a person and a state, and goes on behind its last entry")
    func narrowed() async throws {
        let fixture = try await DashboardFixture {
            $0.tenant.settings.requestsPerMinutePerUser = 60
            $0.tenant.settings.pendingRequestsPerUser = 60
        }
        let phone = try await InProcessPhone(in: fixture.server)
        let client = InProcessClient(via: fixture.server)
        for number in 0..<52 {
            let request = try await client.started(["binding_message": "N-\(number)"])
            if number == 3 { #expect(try await phone.decide(request, signsDigest: true).status == 204) }
            fixture.server.clock.advance(by: .seconds(2))
        }
        let browser = fixture.browser()
        let first = try await fixture.open("/admin/requests", in: browser)
        #expect(first.text.contains("N-51") && !first.text.contains("N-1 "))
        let next = try #require(first.links.first { $0.contains("from=") })
        #expect(try await fixture.open(next, in: browser).text.contains("N-0"))
        let allowed = try await fixture.open("/admin/requests?state=allowed&user=auth0%7Cann", in: browser)
        #expect(allowed.text.contains("N-3") && !allowed.text.contains("N-4"), "\(allowed.text)")
        let nobody = try await fixture.open("/admin/requests?user=auth0%7Cnobody", in: browser)
        #expect(nobody.text.contains("No request is like that."))
    }

    @Test("An id that the tenant does not have has no page")
    func unknown() async throws {
        let fixture = try await DashboardFixture()
        let page = try await fixture.open("/admin/requests/cns_abcdefghijklmnopqrstuv", in: fixture.browser())
        #expect(page.answer.status == 404)
    }

    @Test("With read:approvals alone, requests are shown and deliveries, clients and changes are not")
    func oneScope() async throws {
        let fixture = try await DashboardFixture(scopes: ["read:approvals"])
        _ = try await InProcessPhone(in: fixture.server)
        let request = try await InProcessClient(via: fixture.server).started()
        let browser = fixture.browser()
        let page = try await fixture.open(path(request), in: browser)
        #expect(page.answer.status == 200 && page.text.contains("read:logs"))
        #expect(page.links.allSatisfy { !$0.hasPrefix("/admin/") || $0.hasPrefix("/admin/requests") }, "\(page.links)")
        // Without a phone, whose proof a page of a change would ask for first.
        let alone = try await DashboardFixture(scopes: ["read:approvals"])
        let other = alone.browser()
        for address in [
            "/admin/deliveries", "/admin/deliveries/1", "/admin/deliveries/1/retry", "/admin/clients",
            "/admin/clients/agent", "/admin/clients/new/agent", "/admin/clients/agent/try",
            "/admin/clients/agent/rotate", "/admin/apis",
        ] {
            #expect(try await alone.open(address, in: other).answer.status == 403, "\(address)")
        }
    }
}
