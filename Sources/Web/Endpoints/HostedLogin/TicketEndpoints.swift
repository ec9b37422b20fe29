import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import OAuthWire
import Pages
import Routing

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
            page.problem = LocalizedText(
                en: "No phone was added yet. Scan the code with the app first.",
                fr: "Aucun téléphone n’a encore été ajouté. Scannez d’abord le code avec l’application.")
            return visit.show(page)
        } catch is AuthorizationPageFailure {
            return visit.show(
                DonePage(
                    title: LocalizedText(en: "This code is over", fr: "Ce code n’est plus valable"),
                    explanation: LocalizedText(
                        en: "If you have scanned it, your phone shows that it was added. You can close this page.",
                        fr:
                            "Si vous l’avez scanné, votre téléphone l’indique. Vous pouvez fermer cette page."
                    )))
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
            return visit.show(
                DonePage(
                    title: LocalizedText(en: "Address confirmed", fr: "Adresse confirmée"),
                    explanation: LocalizedText(
                        en: "Thank you. You can close this page.", fr: "Merci. Vous pouvez fermer cette page.")))
        }
        visit.remember(.done(confirmed))
        return confirmed(visit)
    }
}
