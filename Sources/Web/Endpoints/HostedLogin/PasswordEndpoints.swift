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
    private var recovery: RecoverPassword { hosted.flows.login.recovery }

    @Sendable func forgot(_ request: PageRequest) async throws -> Response { request.show(forgotPage(request)) }

    @Sendable func sendForgot(_ request: PageRequest) async throws -> Response {
        let email = request.parameters[FieldName.email] ?? ""
        do {
            try await recovery.request(
                email: email, language: request.language(), client: await client(of: request), context: request.context)
        } catch let failure as InteractionFailure {
            return request.show(forgotPage(request, email: email, failure)).retrying(after: failure)
        }
        return request.show(ForgotPasswordSentPage(email: email, logIn: logIn(request)))
    }

    /// The client of the login that the person came from. Nil if there was none, or it ended.
    private func client(of request: PageRequest) async -> ClientID? {
        guard !request.state.isEmpty else { return nil }
        return try? await hosted.flows.login.transactions.open(
            request.state, browser: request.browser, context: request.context
        ).clientID
    }

    /// The next address after a new password: the page where the client begins a login (OIDC Core 4), or else the
    /// tenant's own.
    private static func wayOn(_ client: ClientID?, _ configuration: TenantConfiguration) -> PageURL? {
        if let url = client.flatMap({ configuration.client($0) })?.initiateLoginURL {
            let issuer = PercentEncoding.encode(configuration.tenant.issuer)
            return PageURL("\(url)\(url.contains("?") ? "&" : "?")iss=\(issuer)")
        }
        return configuration.tenant.settings.defaultRedirectionURL.flatMap { PageURL($0) }
    }

    private func forgotPage(
        _ request: PageRequest, email: String = "", _ failure: InteractionFailure? = nil
    ) -> ForgotPasswordPage {
        ForgotPasswordPage(
            form: request.form(.forgotPassword, state: request.state),
            email: FieldInput(email, problem: failure?.text(.email)), problem: failure?.text(but: .email),
            logIn: logIn(request))
    }

    /// The page of the login that the person came from. Nil if they came from a mail.
    private func logIn(_ request: PageRequest) -> PageURL? {
        request.state.isEmpty ? nil : request.url(.logIn, state: request.state)
    }

    private static let ticket = "ticket"

    @Sendable func reset(_ request: PageRequest) async throws -> Response {
        try hosted.flows.login.limit.admitVisit(request.context)
        let ticket = request.parameters[Self.ticket] ?? ""
        let user = try await recovery.user(ticket: ticket, context: request.context).user
        return request.show(resetPage(request, ticket, user))
    }

    @Sendable func sendReset(_ request: PageRequest) async throws -> Response {
        try hosted.flows.login.limit.admitVisit(request.context)
        let ticket = request.parameters[Self.ticket] ?? ""
        let password = request.parameters[FieldName.password] ?? ""
        let (user, resultURL, client) = try await recovery.user(ticket: ticket, context: request.context)
        guard password == request.parameters[FieldName.passwordAgain] ?? "" else {
            var page = resetPage(request, ticket, user)
            page.passwordAgainProblem = localized.password.differs
            return request.show(page)
        }
        do {
            try await recovery.reset(ticket: ticket, password: password, context: request.context)
        } catch let failure as InteractionFailure {
            var page = resetPage(request, ticket, user)
            page.passwordProblem = failure.text(.password)
            page.problem = failure.text(but: .password)
            return request.show(page)
        }
        let changed: @Sendable (PageRequest) -> Response = { request in
            resultURL.map { request.redirect(to: $0) }
                ?? request.show(PasswordChangedPage(goOn: Self.wayOn(client, request.context.configuration)))
        }
        request.remember(.done(changed))
        var response = changed(request)
        // Every session of the user has ended.
        response.fields.append("Set-Cookie", Cookie.session.removal)
        return response
    }

    private func resetPage(_ request: PageRequest, _ ticket: String, _ user: User) -> ResetPasswordPage {
        ResetPasswordPage(
            form: request.form(.resetPassword, [HiddenField(Self.ticket, ticket)]),
            email: user.email?.description ?? "",
            passwordRule: PasswordPolicy(minimumLength: request.tenant.settings.passwordMinimumLength).rule)
    }
}
