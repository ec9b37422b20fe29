import AuthorizationCore
import Endpoints
import Flows
import HTTPModel
import OAuthWire
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("The dashboard: health")
struct DashboardHealthTests {
    private func fixture(_ findings: [HealthFinding] = [], scopes: Set<String> = DashboardFixture.allScopes)
        async throws
        -> DashboardFixture
    {
        try await DashboardFixture(scopes: scopes) {
            $0.examiner = KnownFindings(findings)
            $0.users[0].emailVerified = true
        }
    }

    @Test("The page shows each finding with its state and what to do, and the names of the tenant")
    func findings() async throws {
        let fixture = try await fixture([
            HealthFinding("keys", .warning("dev", "there is no next key", advice: "rotate the keys")),
            HealthFinding("providers", .fault("APNs app", "<b>refused</b>", advice: "renew the certificate")),
        ])
        let page = try await fixture.open("/admin/health", in: fixture.browser())
        for text in [
            "there is no next key", "rotate the keys", "warning", "<b>refused</b>", "fault", "renew the certificate",
            InProcessServer.host, "192.0.2.1", "in order",
        ] { #expect(page.text.contains(text), "\(text)") }
    }

    @Test("A claimed domain’s page says where its record leads, and what the DNS has")
    func domain() async throws {
        let fixture = try await fixture()
        let browser = fixture.browser()
        let made = try await fixture.change(
            "/admin/domains/new", ["m.domain": "login.shop.example", "m.type": "self_managed_certs"], in: browser)
        #expect(made.text.contains("Publish a record") && made.text.contains(InProcessServer.host), "\(made.text)")
        #expect(made.text.contains("login.shop.example") && made.text.contains("192.0.2.1"))
    }

    @Test("Trials reach the person who asks alone, once in ten seconds, and no program")
    func trials() async throws {
        let fixture = try await fixture()
        let browser = fixture.browser()
        let path = "/admin/health/tenant/mail"
        let page = try await fixture.open(path, in: browser)
        let sent = try await browser.send(page.form(path), ["step": "change"])
        #expect(sent.text.contains("mail to \(AttackFixture.ann)"), "\(sent.text)")
        let next = try await browser.open(path)
        #expect(try await browser.send(next.form(path), ["step": "change"]).text.contains("a moment ago"))
        fixture.server.clock.advance(by: .seconds(11))
        let phones = "/admin/health/tenant/ring"
        let ring = try await browser.open(phones)
        let rung = try await browser.send(ring.form(phones), ["step": "change"])
        #expect(rung.answer.status == 200, "\(rung.text)")
    }

    @Test("A section links to a trial only if the scopes allow it")
    func links() async throws {
        for (scopes, isOffered) in [
            (["read:email_provider"], false), (["read:email_provider", "create:approvals"], true),
        ] {
            let fixture = try await fixture(scopes: Set(scopes))
            let page = try await fixture.open("/admin/mail", in: fixture.browser())
            #expect(page.links.contains("/admin/health/tenant/mail") == isOffered, "\(page.links)")
        }
    }

    @Test("Examinations at once: one runs, three wait, and all others are refused; later ones run again")
    func bounded() async throws {
        let examiner = HeldExaminer()
        let server = try await InProcessServer { $0.examiner = examiner }
        let health = server.application.flows.health
        let configuration = try #require(server.configuration.current.tenant(id: TenantID("dev")))
        let context = RequestContext(configuration: configuration, now: server.clock.now, remoteAddress: nil)
        let ended = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<10 {
                group.addTask { (try? await health.findings(.name("\(number).example"), context)) != nil }
            }
            var ended: [Bool] = []
            // Only the refused ones end before the first examination may.
            while ended.count < 6, let next = await group.next() { ended.append(next) }
            #expect(ended.allSatisfy { !$0 } && examiner.begun == 1)
            examiner.release()
            for await next in group { ended.append(next) }
            return ended
        }
        #expect(ended.filter(\.self).count == 4)
        #expect(try await health.findings(.name("later.example"), context).isEmpty)
    }
}

/// Examinations that end once they may.
private final class HeldExaminer: TenantExaminer {
    private let state = Mutex((begun: 0, isOpen: false))

    var begun: Int { state.withLock { $0.begun } }

    func release() { state.withLock { $0.isOpen = true } }

    func findings(on tenant: TenantConfiguration, _ scope: HealthScope, now: Timestamp) async -> [HealthFinding] {
        state.withLock { $0.begun += 1 }
        while !state.withLock({ $0.isOpen }) { await Task.yield() }
        return []
    }

    func ring(_ device: Device, of tenant: TenantConfiguration, now: Timestamp) async -> CredentialFinding? { nil }

    func mail(_ address: EmailAddress, of tenant: TenantConfiguration, now: Timestamp) async -> CredentialFinding {
        .ok("mail", "")
    }
}
