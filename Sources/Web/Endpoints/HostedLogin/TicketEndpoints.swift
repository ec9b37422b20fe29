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
    private var emailTickets: VerifyEmail { hosted.flows.login.emailTickets }
    private var enrollmentTickets: OpenEnrollmentTicket { hosted.flows.login.enrollmentTickets }

    private static let ticket = "ticket"

    // MARK: a phone

    /// Short address of the page, for people who type it.
    @Sendable func leadToEnroll(_ request: PageRequest) async throws -> Response {
        let ticket = request.parameters[Self.ticket].map { [(Self.ticket, $0)] } ?? []
        return request.redirect(to: request.url(.enrollByTicket, ticket).text)
    }

    /// Shows the code, and waits for the phone in the background. Looking changes nothing: programs that look into
    /// mails follow links, too.
    @Sendable func enroll(_ request: PageRequest) async throws -> Response {
        try hosted.flows.login.limit.admitVisit(request.context)
        let ticket = request.parameters[Self.ticket] ?? ""
        if let wait = request.wait {
            return try await request.waited(
                wait, for: ticket, at: { address(request, ticket, request.parameters[Self.shown], wait: $0) },
                while: { [enrollmentTickets, context = request.context] atOnce in
                    try await enrollmentTickets.awaitUse(ticket, context: context, atOnce: atOnce)
                })
        }
        return try await enrollPage(request, ticket, isSubmitted: false)
    }

    /// Handles "I have scanned it".
    @Sendable func sendEnroll(_ request: PageRequest) async throws -> Response {
        try hosted.flows.login.limit.admitVisit(request.context)
        return try await enrollPage(request, request.parameters[Self.ticket] ?? "", isSubmitted: true)
    }

    /// The parameter that proves that this browser was shown the unused ticket.
    private static let shown = "shown"

    private func enrollPage(_ request: PageRequest, _ ticket: String, isSubmitted: Bool) async throws -> Response {
        let wasShown = hosted.formTokens.accepts(
            request.parameters[Self.shown], binding: request.browser.bindingCookie, shown: ticket)
        switch try await enrollmentTickets.view(ticket, wasShown: wasShown, context: request.context) {
        case .used(let phone): return request.show(PhoneAddedPage(phone: phone))
        case .open(let uri):
            let shown = hosted.formTokens.token(binding: request.binding, shown: ticket)
            var page = EnrollDevicePage(
                .link(account: uri.account, tenant: request.tenant.name), uri,
                form: request.form(
                    .enrollByTicket, [HiddenField(Self.ticket, ticket), HiddenField(Self.shown, shown)]), request)
            page.problem = isSubmitted ? page.notAdded : nil
            page.isWaiting = request.isWaiting
            return request.show(page, waiting: request.waiting { address(request, ticket, shown, wait: $0) })
        }
    }

    private func address(_ request: PageRequest, _ ticket: String, _ shown: String?, wait: String?) -> PageURL {
        let more = [(Self.shown, shown), (PageRequest.wait, wait)]
        return request.url(
            .enrollByTicket, [(Self.ticket, ticket)] + more.compactMap { name, value in value.map { (name, $0) } })
    }

    // MARK: an e-mail address

    @Sendable func verifyEmail(_ request: PageRequest) async throws -> Response {
        try hosted.flows.login.limit.admitVisit(request.context)
        let text = request.parameters[Self.ticket] ?? ""
        let ticket = try await emailTickets.ticket(text, context: request.context)
        return request.show(
            VerifyEmailPage(
                form: request.form(.verifyEmail, [HiddenField(Self.ticket, text)]), email: ticket.email.description))
    }

    @Sendable func sendVerifyEmail(_ request: PageRequest) async throws -> Response {
        try hosted.flows.login.limit.admitVisit(request.context)
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
    init(_ origin: Origin, _ uri: EnrollmentURI, form: PageForm, _ request: PageRequest) {
        func code(_ text: String) -> Code { Code(text, modules: request.hosted.qrCode(text) ?? []) }
        self.init(
            origin, form: form,
            approver: code(uri.link(toApprover: EndpointPath.approver.url(below: request.tenant.issuer))),
            otherApp: code(uri.text), ticket: uri.transactionID, app: App(of: request.tenant))
    }
}

extension EnrollDevicePage.App {
    fileprivate init?(of tenant: Tenant) {
        let app = tenant.settings.approvalApp
        guard app.isPresent else { return nil }
        func store(_ link: AppLink?) -> Store? { link.flatMap { link in PageURL(link.text).map { ($0, link.host) } } }
        self.init(
            name: app.name ?? tenant.name, icon: app.icon.flatMap { PageURL($0.text) }, apple: store(app.apple),
            google: store(app.google))
    }
}
