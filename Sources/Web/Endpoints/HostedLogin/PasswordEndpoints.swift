import AuthorizationCore
import Flows
import HTTPModel
import Localization
import OAuthWire
import Pages
import Primitives

/// "I forgot my password", and the page behind the link that comes by mail.
struct PasswordEndpoints: Sendable {
    let hosted: HostedLogin

    @Sendable func forgot(_ visit: PageRequest) async throws -> Response { visit.show(forgotPage(visit)) }

    @Sendable func sendForgot(_ visit: PageRequest) async throws -> Response {
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

    /// The client of the login that the person came from. Nil without one, and after its end.
    private func client(of visit: PageRequest) async -> ClientID? {
        guard !visit.state.isEmpty else { return nil }
        return try? await hosted.transactions.open(
            visit.state, browser: visit.browser, configuration: visit.context.configuration, now: visit.now
        ).client.id
    }

    /// The way on after a new password: to the page where the client begins a login (OIDC Core 4), or else to the
    /// tenant's own.
    private static func wayOn(_ client: ClientID?, _ configuration: TenantConfiguration) -> PageURL? {
        if let url = client.flatMap({ configuration.client($0) })?.initiateLoginURL {
            let issuer = PercentEncoding.encode(configuration.tenant.issuer)
            return PageURL("\(url)\(url.contains("?") ? "&" : "?")iss=\(issuer)")
        }
        return configuration.tenant.settings.defaultRedirectionURL.flatMap { PageURL($0) }
    }

    private func forgotPage(
        _ visit: PageRequest, email: String = "", _ failure: InteractionFailure? = nil
    ) -> ForgotPasswordPage {
        ForgotPasswordPage(
            form: visit.form(.forgotPassword, state: visit.state),
            email: FieldInput(email, problem: failure?.text(.email)), problem: failure?.text(but: .email),
            logIn: logIn(visit))
    }

    /// Back to the login that the person came from; from a mail there is none to go back to.
    private func logIn(_ visit: PageRequest) -> PageURL? {
        visit.state.isEmpty ? nil : visit.url(.logIn, state: visit.state)
    }

    private static let ticket = "ticket"

    @Sendable func reset(_ visit: PageRequest) async throws -> Response {
        let ticket = visit.parameters[Self.ticket] ?? ""
        let user = try await hosted.recovery.user(ticket: ticket, tenant: visit.tenant, now: visit.now).user
        return visit.show(resetPage(visit, ticket, user))
    }

    @Sendable func sendReset(_ visit: PageRequest) async throws -> Response {
        let ticket = visit.parameters[Self.ticket] ?? ""
        let password = visit.parameters[FieldName.password] ?? ""
        let (user, resultURL, client) = try await hosted.recovery.user(
            ticket: ticket, tenant: visit.tenant, now: visit.now)
        guard password == visit.parameters[FieldName.passwordAgain] ?? "" else {
            var page = resetPage(visit, ticket, user)
            page.passwordAgainProblem = localized.password.differs
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
        let changed: @Sendable (PageRequest) -> Response = { visit in
            resultURL.map { visit.redirect(to: $0) }
                ?? visit.show(PasswordChangedPage(goOn: Self.wayOn(client, visit.context.configuration)))
        }
        visit.remember(.done(changed))
        var response = changed(visit)
        // Every session of the user has ended.
        response.fields.append("Set-Cookie", Cookie.session.removal)
        return response
    }

    private func resetPage(_ visit: PageRequest, _ ticket: String, _ user: User) -> ResetPasswordPage {
        ResetPasswordPage(
            form: visit.form(.resetPassword, [HiddenField(Self.ticket, ticket)]), email: user.email ?? "",
            passwordRule: PasswordPolicy(minimumLength: visit.tenant.settings.passwordMinimumLength).rule)
    }
}
