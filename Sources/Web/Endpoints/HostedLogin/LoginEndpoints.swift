import AuthorizationCore
import Flows
import HTTPModel
import Localization
import OAuthWire
import Pages
import Primitives

/// Logging in and signing up, and choosing as whom.
struct LoginEndpoints: Sendable {
    let pages: HostedPages
    private var hosted: HostedLogin { pages.hosted }

    // MARK: log in

    @Sendable func logIn(_ visit: PageRequest) async throws -> Response {
        try await pages.opened(visit, at: .logIn) { transaction in
            visit.show(loginPage(visit, transaction, email: transaction.request.loginHint ?? ""), for: transaction)
        }
    }

    @Sendable func sendLogin(_ visit: PageRequest) async throws -> Response {
        try await pages.opened(visit, at: .logIn, reauthenticating: true) { transaction in
            let email = visit.parameters[FieldName.username] ?? ""
            do {
                return visit.answer(
                    try await hosted.logIn.logIn(
                        transaction, email: email, password: visit.parameters[FieldName.password] ?? "",
                        now: visit.now))
            } catch let failure as InteractionFailure where failure.reason != .otherStep {
                return visit.show(loginPage(visit, transaction, email: email, failure), for: transaction)
                    .retrying(after: failure)
            }
        }
    }

    private func loginPage(
        _ visit: PageRequest, _ transaction: LoginTransaction, email: String, _ failure: InteractionFailure? = nil
    ) -> LoginPage {
        let state = transaction.id
        let hasDatabase = transaction.choices.database != nil
        return LoginPage(
            form: hasDatabase ? visit.form(.logIn, state: state) : nil, client: transaction.client.name,
            username: FieldInput(email, problem: failure?.text(.email)), problem: failure?.text(but: .email),
            connections: connections(visit, transaction),
            forgotPassword: hasDatabase ? visit.url(.forgotPassword, state: state) : nil,
            signUp: transaction.choices.allowsSignUp ? visit.url(.signUp, state: state) : nil)
    }

    private func connections(_ visit: PageRequest, _ transaction: LoginTransaction) -> [ConnectionChoice] {
        transaction.choices.upstreams.map { connection in
            ConnectionChoice(
                displayName: connection.displayName,
                url: visit.url(.connection, state: transaction.id, [("connection", connection.name)]))
        }
    }

    // MARK: sign up

    @Sendable func signUp(_ visit: PageRequest) async throws -> Response {
        try await pages.opened(visit, at: .signUp) { transaction in
            visit.show(signUpPage(visit, transaction, email: transaction.request.loginHint ?? ""), for: transaction)
        }
    }

    @Sendable func sendSignUp(_ visit: PageRequest) async throws -> Response {
        try await pages.opened(visit, at: .signUp, reauthenticating: true) { transaction in
            let email = visit.parameters[FieldName.email] ?? ""
            let name = visit.parameters[FieldName.name]
            do {
                return visit.answer(
                    try await hosted.signUp.signUp(
                        transaction, email: email, password: visit.parameters[FieldName.password] ?? "", name: name,
                        language: visit.language(transaction.request.uiLocales), now: visit.now))
            } catch let failure as InteractionFailure where failure.reason != .otherStep {
                return visit.show(
                    signUpPage(visit, transaction, email: email, name: name ?? "", failure), for: transaction
                ).retrying(after: failure)
            }
        }
    }

    private func signUpPage(
        _ visit: PageRequest, _ transaction: LoginTransaction, email: String, name: String = "",
        _ failure: InteractionFailure? = nil
    ) -> SignUpPage {
        SignUpPage(
            form: visit.form(.signUp, state: transaction.id), client: transaction.client.name,
            email: FieldInput(email, problem: failure?.text(.email)), name: FieldInput(name),
            passwordProblem: failure?.text(.password),
            passwordRule: PasswordPolicy(minimumLength: visit.tenant.settings.passwordMinimumLength).rule,
            problem: failure?.text(but: .email, .password), connections: connections(visit, transaction),
            logIn: visit.url(.logIn, state: transaction.id))
    }

    // MARK: as whom

    @Sendable func account(_ visit: PageRequest) async throws -> Response {
        try await pages.opened(visit, at: .selectAccount) { transaction in
            let user = transaction.user
            return visit.show(
                SelectAccountPage(
                    form: visit.form(.selectAccount, state: transaction.id), client: transaction.client.name,
                    name: user?.name ?? user?.email ?? user?.id.rawValue ?? "",
                    email: user?.name == nil ? nil : user?.email),
                for: transaction)
        }
    }

    /// Another account can be chosen at every step; every page that says whose login it is offers that.
    @Sendable func sendAccount(_ visit: PageRequest) async throws -> Response {
        guard visit.parameters[FieldName.account] == FieldName.another else {
            return try await pages.opened(visit, at: .selectAccount) { transaction in
                visit.answer(try await hosted.logIn.selectAccount(transaction, other: false, now: visit.now))
            }
        }
        let transaction = try await hosted.transactions.open(
            visit.state, browser: visit.browser, configuration: visit.context.configuration, now: visit.now)
        return visit.answer(try await hosted.logIn.selectAccount(transaction, other: true, now: visit.now))
    }
}

extension PageRequest {
    /// Whose login a page belongs to.
    func account(_ transaction: LoginTransaction) -> AccountInUse? {
        transaction.user.map { user in
            AccountInUse(
                name: user.email ?? user.name ?? user.id.rawValue,
                change: form(
                    .selectAccount, state: transaction.id, [HiddenField(FieldName.account, FieldName.another)]))
        }
    }
}

extension InteractionFailure {
    /// The texts of that reason. Nil if it is none of the reasons.
    func text(_ reason: Reason) -> LocalizedText? { ([self] + others).first { $0.reason == reason }?.text }

    /// The texts of a reason that is none of these. Nil if there is no other.
    func text(but reasons: Reason...) -> LocalizedText? {
        ([self] + others).first { !reasons.contains($0.reason) }?.text
    }

    private var text: LocalizedText {
        LocalizedText { language in texts.map { $0[language] }.joined(separator: " ") }
    }
}

extension Response {
    /// Says when to try again, where there were too many attempts (RFC 6585 clause 4).
    func retrying(after failure: InteractionFailure) -> Response {
        guard let seconds = failure.retryAfter else { return self }
        var response = self
        response.status = 429
        response.fields.append("Retry-After", String(seconds))
        return response
    }
}
