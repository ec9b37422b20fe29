import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import Localization
import OAuthWire
import Pages

/// The pages behind links that operators hand to users: to enrol a phone, and to prove an e-mail address.
struct TicketEndpoints: Sendable {
    private let hosted: HostedLogin
    private let emailTickets: VerifyEmail
    private let enrollmentTickets: OpenEnrollmentTicket

    private static let ticket = "ticket"

    init(hosted: HostedLogin) {
        self.hosted = hosted
        let ports = hosted.ports
        emailTickets = VerifyEmail(store: ports.store, hashing: ports.hashing)
        enrollmentTickets = OpenEnrollmentTicket(store: ports.store, accounts: ports.store, hashing: ports.hashing)
    }

    // MARK: a phone

    @Sendable func enroll(_ request: PageRequest) async throws -> Response {
        let ticket = request.parameters[Self.ticket] ?? ""
        let uri = try await enrollmentTickets.uri(ticket, context: request.context)
        return request.show(enrollPage(request, ticket, uri))
    }

    /// A phone that was enrolled used the ticket up.
    @Sendable func sendEnroll(_ request: PageRequest) async throws -> Response {
        let ticket = request.parameters[Self.ticket] ?? ""
        do {
            let uri = try await enrollmentTickets.uri(ticket, context: request.context)
            var page = enrollPage(request, ticket, uri)
            page.problem = localized.enrollment.notAdded
            return request.show(page)
        } catch is AuthorizationPageFailure {
            return request.show(DonePage(title: localized.enrollment.over, explanation: localized.enrollment.overLead))
        }
    }

    private func enrollPage(_ request: PageRequest, _ ticket: String, _ uri: EnrollmentURI) -> EnrollDevicePage {
        EnrollDevicePage(uri, form: request.form(.enrollByTicket, [HiddenField(Self.ticket, ticket)]), request)
    }

    // MARK: an e-mail address

    @Sendable func verifyEmail(_ request: PageRequest) async throws -> Response {
        let text = request.parameters[Self.ticket] ?? ""
        let ticket = try await emailTickets.ticket(text, context: request.context)
        return request.show(
            VerifyEmailPage(form: request.form(.verifyEmail, [HiddenField(Self.ticket, text)]), email: ticket.email))
    }

    @Sendable func sendVerifyEmail(_ request: PageRequest) async throws -> Response {
        let ticket = try await emailTickets.verify(request.parameters[Self.ticket] ?? "", context: request.context)
        let confirmed: @Sendable (PageRequest) -> Response = { request in
            if let url = ticket.resultURL { return request.redirect(to: url) }
            return request.show(DonePage(title: localized.email.confirmed, explanation: localized.email.thanks))
        }
        request.remember(.done(confirmed))
        return confirmed(request)
    }
}

extension EnrollDevicePage {
    init(_ uri: EnrollmentURI, form: PageForm, _ request: PageRequest, account: AccountInUse? = nil) {
        func code(_ text: String) -> Code { Code(text, modules: request.hosted.ports.qrCode(text) ?? []) }
        self.init(
            form: form, approver: code(uri.link(toApprover: EndpointPath.approver.url(below: request.tenant.issuer))),
            otherApp: code(uri.text), account: account)
    }
}
