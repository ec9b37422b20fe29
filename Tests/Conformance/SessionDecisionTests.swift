import AuthorizationCore
import Configuration
import Primitives
import TestSupport
import Testing

@Suite("Decisions of a session, afterwards")
struct SessionDecisionTests {
    @Test("An API that demands a signature later does not take what a session allowed")
    func evidenceDemandedLater() async throws {
        let fixture = try await ApprovalPageFixture()
        let (id, url) = try await fixture.started(["audience": Samples.api])
        let browser = fixture.browser()
        let page = try await fixture.open(url, in: browser)
        #expect(try await browser.send(fixture.form(page), ["decision": "allow"]).text.contains("was allowed"))
        let api = try Samples.resourceServer { $0.evidence = .signedDigest }
        try await fixture.server.configure { try $0.put(api, in: TenantID("dev")) }
        let answer = try await fixture.client.poll(id)
        #expect(answer.status == 400 && answer["error"] == "invalid_grant", "\(answer.text)")
    }
}
