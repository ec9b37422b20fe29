import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

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
        #expect(list.text.contains("TX-4711") && list.text.contains("auth0|ann"))
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
        for other in ["/admin/deliveries", "/admin/clients", "/admin/clients/new/agent", "/admin/clients/agent/try"] {
            #expect(try await fixture.open(other, in: browser).answer.status == 403, "\(other)")
        }
    }
}
