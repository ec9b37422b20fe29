import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import Localization
import OAuthWire
import Pages

/// The pages behind links that operators hand to users: to enrol a phone, and to prove an e-mail address.
struct TicketEndpoints: Sendable {
    let hosted: HostedLogin

    private static let ticket = "ticket"

    // MARK: a phone

    @Sendable func enroll(_ visit: PageRequest) async throws -> Response {
        let ticket = visit.parameters[Self.ticket] ?? ""
        let uri = try await hosted.enrollmentTickets.uri(ticket, tenant: visit.tenant, now: visit.now)
        return visit.show(enrollPage(visit, ticket, uri.text))
    }

    /// The phone used the ticket up, so there is none any more where it was enrolled.
    @Sendable func sendEnroll(_ visit: PageRequest) async throws -> Response {
        let ticket = visit.parameters[Self.ticket] ?? ""
        do {
            let uri = try await hosted.enrollmentTickets.uri(ticket, tenant: visit.tenant, now: visit.now)
            var page = enrollPage(visit, ticket, uri.text)
            page.problem = localized.enrollment.notAdded
            return visit.show(page)
        } catch is AuthorizationPageFailure {
            return visit.show(
                DonePage(title: localized.enrollment.over, explanation: localized.enrollment.overLead))
        }
    }

    private func enrollPage(_ visit: PageRequest, _ ticket: String, _ uri: String) -> EnrollDevicePage {
        EnrollDevicePage(
            form: visit.form(.enrollByTicket, [HiddenField(Self.ticket, ticket)]),
            code: .modules(hosted.qrCode(uri) ?? []), uri: uri)
    }

    // MARK: an e-mail address

    @Sendable func verifyEmail(_ visit: PageRequest) async throws -> Response {
        let text = visit.parameters[Self.ticket] ?? ""
        let ticket = try await hosted.verifyEmail.ticket(text, tenant: visit.tenant, now: visit.now)
        return visit.show(
            VerifyEmailPage(
                form: visit.form(.verifyEmail, [HiddenField(Self.ticket, text)]), email: ticket.email))
    }

    @Sendable func sendVerifyEmail(_ visit: PageRequest) async throws -> Response {
        let ticket = try await hosted.verifyEmail.verify(
            visit.parameters[Self.ticket] ?? "", tenant: visit.tenant, remoteAddress: visit.browser.remoteAddress,
            now: visit.now)
        let confirmed: @Sendable (PageRequest) -> Response = { visit in
            if let url = ticket.resultURL { return visit.redirect(to: url) }
            return visit.show(DonePage(title: localized.email.confirmed, explanation: localized.email.thanks))
        }
        visit.remember(.done(confirmed))
        return confirmed(visit)
    }
}
