import Audit
import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import OAuthWire
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Attacks with a phone that was stolen, and with one that a stranger added")
struct RemovedFactorTests {
    /// Ann has a phone that was stolen. The thief knows her password, and logged in with both.
    private func stolen() async throws -> (AccountFixture, InProcessPhone, InProcessBrowser) {
        let fixture = try await AccountFixture { $0.tenant.settings.multiFactor = .whenEnrolled }
        let phone = try await InProcessPhone(in: fixture.server)
        let thief = fixture.browser()
        let page = try await fixture.confirm(try await fixture.open(.phones, in: thief), by: phone, in: thief)
        #expect(page.path == AccountPath.phones.rawValue)
        return (fixture, phone, thief)
    }

    private func remove(_ phone: InProcessPhone, _ fixture: AccountFixture) async throws {
        fixture.server.clock.advance(by: .seconds(1))
        let event = AuditEvent(
            .unenrolled, tenant: TenantID("dev"), at: fixture.server.clock.now, user: InProcessServer.ann)
        #expect(try await fixture.server.storage.store.remove(phone.id, tenant: TenantID("dev"), event: event))
        _ = try await InProcessPhone(identifier: "NEW", in: fixture.server)
    }

    /// Asks for another phone on the account's page. Returns the ticket.
    private func ticket(_ fixture: AccountFixture, _ browser: InProcessBrowser) async throws -> String {
        let page = try await fixture.open(.addPhone, in: browser)
        let shown = try await browser.send(page.form(AccountPath.addPhone.rawValue))
        return try shown.parameters["ticket"].orThrow("no ticket at \(shown.url): \(shown.text)")
    }

    private func enroll(
        _ ticket: String, at fixture: AccountFixture, identifier: String = "OTHER"
    ) async throws -> HTTPAnswer {
        await fixture.server.send(
            InProcessPhone.enrollRequest(
                ticket: ticket, identifier: identifier, key: try Keys.signer(.es256, identifier).publicKey.json))
    }

    @Test("A removed phone's proofs count no more, on the account's pages and in logins")
    func session() async throws {
        let (fixture, phone, thief) = try await stolen()
        #expect(try await thief.open(AttackFixture.authorize(["prompt": "none"])).parameters["code"] != nil)
        try await remove(phone, fixture)
        #expect(try await thief.open(AccountPath.phones.rawValue).path == "/u/mfa-push")
        let silent = try await thief.open(AttackFixture.authorize(["prompt": "none"]))
        #expect(silent.parameters["code"] == nil && silent.parameters["error"] != nil, "\(silent.url)")
    }

    @Test("A ticket that a stolen phone confirmed adds none once the phone was removed")
    func ticket() async throws {
        let (fixture, phone, thief) = try await stolen()
        let ticket = try await ticket(fixture, thief)
        try await remove(phone, fixture)
        #expect(try await enroll(ticket, at: fixture).status == 404)
    }

    @Test("A password alone adds a first phone and no other, on the account's page as in a login")
    func passwordAlone() async throws {
        let fixture = try await AccountFixture()
        let ticket = try await ticket(fixture, fixture.browser())
        _ = try await InProcessPhone(in: fixture.server)
        #expect(try await enroll(ticket, at: fixture).status == 404)
    }

    @Test("A phone of the account's page is its person's own: a proof of the address ends a stranger's")
    func origin() async throws {
        let fixture = try await AccountFixture()
        let ticket = try await ticket(fixture, fixture.browser())
        #expect(try await enroll(ticket, at: fixture).status == 200)
        let isOwn = try await fixture.server.database.first("SELECT enrolled_at_login FROM device") { try $0.bool(0) }
        #expect(isOwn == true)
    }

    @Test("A change of an account tells no address that nobody verified")
    func unverified() async throws {
        let fixture = try await AccountFixture { $0.users[0].emailVerified = false }
        _ = try await ticket(fixture, fixture.browser())
        #expect(try await fixture.count("delivery") == 0)
    }

    @Test("A person has at most 50 phones")
    func limit() async throws {
        let fixture = try await AccountFixture()
        for number in 0..<50 {
            let ticket = try await InProcessPhone.ticket(in: fixture.server)
            #expect(try await enroll(ticket, at: fixture, identifier: "P\(number)").status == 200)
        }
        let ticket = try await InProcessPhone.ticket(in: fixture.server)
        let refused = try await enroll(ticket, at: fixture, identifier: "LAST")
        #expect(refused.status == 409 && refused["errorCode"] == "too_many_devices", "\(refused.text)")
        // The same phone again takes its own place, by the same ticket.
        #expect(try await enroll(ticket, at: fixture, identifier: "P1").status == 200)
    }
}
