import AuthorizationCore
import Flows
import HTTPModel
import OAuthWire
import Pages
import Primitives

/// "I forgot my password", and the page behind the link that comes by mail.
struct PasswordEndpoints: Sendable {
    let hosted: HostedLogIn

    @Sendable func forgot(_ visit: Visit) async throws -> Response { visit.show(forgotPage(visit)) }

    @Sendable func sendForgot(_ visit: Visit) async throws -> Response {
        let email = visit.parameters[FieldName.email] ?? ""
        do {
            try await hosted.recovery.request(
                email: email, language: visit.language(), client: await client(of: visit), tenant: visit.tenant,
                remoteAddress: visit.browser.remoteAddress, now: visit.now)
        } catch let failure as InteractionFailure {
            return visit.show(forgotPage(visit, email: email, failure)).retrying(after: failure)
        }
        return visit.show(ForgotPasswordSentPage(email: email, logIn: logIn(visit)))
    }

    /// The client of the log-in that the person came from. Nil without one, and after its end.
    private func client(of visit: Visit) async -> ClientID? {
        guard !visit.state.isEmpty else { return nil }
        return try? await hosted.transactions.open(
            visit.state, browser: visit.browser, directory: visit.context.directory, now: visit.now
        ).client.id
    }

    /// The way on after a new password: to the page where the client begins a log-in (OIDC Core 4), or else to the
    /// tenant's own.
    private static func wayOn(_ client: ClientID?, _ directory: TenantDirectory) -> PageURL? {
        if let url = client.flatMap({ directory.client($0) })?.initiateLoginURL {
            let issuer = PercentEncoding.encode(directory.tenant.issuer)
            return PageURL("\(url)\(url.contains("?") ? "&" : "?")iss=\(issuer)")
        }
        return directory.tenant.settings.defaultRedirectionURL.flatMap { PageURL($0) }
    }

    private func forgotPage(
        _ visit: Visit, email: String = "", _ failure: InteractionFailure? = nil
    ) -> ForgotPasswordPage {
        ForgotPasswordPage(
            form: visit.form(.forgotPassword, state: visit.state),
            email: FieldInput(email, problem: failure?.text(.email)), problem: failure?.text(but: .email),
            logIn: logIn(visit))
    }

    /// Back to the log-in that the person came from; from a mail there is none to go back to.
    private func logIn(_ visit: Visit) -> PageURL? {
        visit.state.isEmpty ? nil : visit.url(.logIn, state: visit.state)
    }

    private static let ticket = "ticket"

    @Sendable func reset(_ visit: Visit) async throws -> Response {
        let ticket = visit.parameters[Self.ticket] ?? ""
        let user = try await hosted.recovery.user(ticket: ticket, tenant: visit.tenant, now: visit.now).user
        return visit.show(resetPage(visit, ticket, user))
    }

    @Sendable func sendReset(_ visit: Visit) async throws -> Response {
        let ticket = visit.parameters[Self.ticket] ?? ""
        let password = visit.parameters[FieldName.password] ?? ""
        let (user, resultURL, client) = try await hosted.recovery.user(
            ticket: ticket, tenant: visit.tenant, now: visit.now)
        guard password == visit.parameters[FieldName.passwordAgain] ?? "" else {
            var page = resetPage(visit, ticket, user)
            page.passwordAgainProblem = LocalizedText(
                en: "The two passwords differ.", fr: "Les deux mots de passe diffèrent.")
            return visit.show(page)
        }
        do {
            try await hosted.recovery.reset(
                ticket: ticket, password: password, tenant: visit.tenant,
                remoteAddress: visit.browser.remoteAddress, now: visit.now)
        } catch let failure as InteractionFailure {
            var page = resetPage(visit, ticket, user)
            page.passwordProblem = failure.text(.password)
            page.problem = failure.text(but: .password)
            return visit.show(page)
        }
        let changed: @Sendable (Visit) -> Response = { visit in
            resultURL.map { visit.redirect(to: $0) }
                ?? visit.show(PasswordChangedPage(goOn: Self.wayOn(client, visit.context.directory)))
        }
        visit.remember(.done(changed))
        var response = changed(visit)
        // Every session of the user has ended.
        response.fields.append("Set-Cookie", Cookie.session.removal)
        return response
    }

    private func resetPage(_ visit: Visit, _ ticket: String, _ user: User) -> ResetPasswordPage {
        ResetPasswordPage(
            form: visit.form(.resetPassword, [HiddenField(Self.ticket, ticket)]), email: user.email ?? "",
            passwordRule: PasswordPolicy(minimumLength: visit.tenant.settings.passwordMinimumLength).rule)
    }
}
