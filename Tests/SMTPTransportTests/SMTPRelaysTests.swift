import AuthorizationCore
import CurlTransport
import HTTPModel
import Primitives
@testable import SMTPTransport
import TestSupport
import Testing

@Suite("Tenants' mail servers")
struct SMTPRelaysTests {
    @Test("A tenant's server has less time than the operator's, so that it does not hold the places of others")
    func times() throws {
        let from = try #require(EmailAddress(parsing: "shop@tenant.example"))
        let relays = SMTPRelays(OutgoingPolicy(), trust: .system, hashing: Samples.hashing)
        let relay = MailRelay(host: "mail.tenant.example", port: 465, login: .none, from: from)
        let tenants = try #require(relays.configuration(of: relay))
        #expect(tenants.limits == .tenants && tenants.security == .implicit)
        let here = MailRelay(host: "localhost", port: 587, login: .none, from: from)
        #expect(relays.configuration(of: here)?.security == .required, "this machine is the operator's")
        let sender = try #require(MailAddress("login@dev.example"))
        let operators = try #require(SMTPTransport.Configuration(url: "smtps://mail.example", from: sender))
        #expect(operators.limits == .operators)
    }
}
