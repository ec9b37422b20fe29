import AuthorizationCore
import Flows
import HTTPModel
import Localization
import OAuthWire
import Pages
import Primitives

/// The pages for logging in, signing up and choosing an account.
struct LoginEndpoints: Sendable {
    let pages: HostedPages
    private var passwordLogin: PasswordLogin { pages.hosted.flows.login.password }
    private var passkeyLogin: PasskeyLogin { pages.hosted.flows.login.passkey }
    private var newAccount: SignUp { pages.hosted.flows.login.signUp }
    private var transactions: LoginTransactions { pages.hosted.flows.login.transactions }

    // MARK: log in

    @Sendable func logIn(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .logIn) { transaction in
            request.show(loginPage(request, transaction, name: transaction.request.loginHint ?? ""), for: transaction)
        }
    }

    @Sendable func sendLogin(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .logIn, reauthenticating: true) { transaction in
            let name = request.parameters[FieldName.username] ?? ""
            do {
                if let passkey = request.parameters[FieldName.passkey] {
                    return request.answer(try await passkeyLogin.logIn(transaction, by: passkey))
                }
                return request.answer(
                    try await passwordLogin.logIn(
                        transaction, name: name, password: request.parameters[FieldName.password] ?? ""))
            } catch let failure as InteractionFailure where failure.reason != .otherStep {
                return request.show(loginPage(request, transaction, name: name, failure), for: transaction)
                    .retrying(after: failure)
            }
        }
    }

    private func loginPage(
        _ request: PageRequest, _ transaction: LoginTransaction, name: String, _ failure: InteractionFailure? = nil
    ) -> LoginPage {
        let state = transaction.id
        let hasDatabase = transaction.choices.database != nil
        return LoginPage(
            form: hasDatabase ? request.form(.logIn, state: state) : nil, client: transaction.goalName,
            hasUsernames: transaction.choices.database?.hasUsernames == true,
            username: FieldInput(name, problem: failure?.text(.email)), problem: failure?.text(but: .email),
            passkey: passkey(request, transaction, wasTried: failure?.reason == .passkey),
            connections: connections(request, transaction),
            forgotPassword: hasDatabase ? request.url(.forgotPassword, state: state) : nil,
            signUp: transaction.choices.allowsSignUp ? request.url(.signUp, state: state) : nil)
    }

    private func passkey(
        _ request: PageRequest, _ transaction: LoginTransaction, wasTried: Bool
    ) -> PasskeyRequest? {
        passkeyLogin.offer(transaction).map { offer in
            PasskeyRequest(
                .logIn(waits: !wasTried), form: request.form(.logIn, state: transaction.id),
                challenge: Base64URL.encode(offer.challenge), host: offer.relyingParty, assets: request.hosted.assets)
        }
    }

    private func connections(_ request: PageRequest, _ transaction: LoginTransaction) -> [ConnectionChoice] {
        transaction.choices.upstreams.map { connection in
            ConnectionChoice(
                displayName: connection.displayName,
                url: request.url(.connection, state: transaction.id, [("connection", connection.name)]))
        }
    }

    // MARK: sign up

    @Sendable func signUp(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .signUp) { transaction in
            // A hint without an @ is a username, which nobody signs up with.
            let hint = transaction.request.loginHint ?? ""
            return request.show(
                signUpPage(request, transaction, email: hint.contains("@") ? hint : ""), for: transaction)
        }
    }

    @Sendable func sendSignUp(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .signUp, reauthenticating: true) { transaction in
            let email = request.parameters[FieldName.email] ?? ""
            let name = request.parameters[FieldName.name]
            do {
                return request.answer(
                    try await newAccount.signUp(
                        transaction, email: email, password: request.parameters[FieldName.password] ?? "", name: name,
                        language: request.language(transaction.request.uiLocales)))
            } catch let failure as InteractionFailure where failure.reason != .otherStep {
                return request.show(
                    signUpPage(request, transaction, email: email, name: name ?? "", failure), for: transaction
                ).retrying(after: failure)
            }
        }
    }

    private func signUpPage(
        _ request: PageRequest, _ transaction: LoginTransaction, email: String, name: String = "",
        _ failure: InteractionFailure? = nil
    ) -> SignUpPage {
        SignUpPage(
            form: request.form(.signUp, state: transaction.id), client: transaction.goalName,
            email: FieldInput(email, problem: failure?.text(.email)), name: FieldInput(name),
            passwordProblem: failure?.text(.password),
            passwordRule: PasswordPolicy(minimumLength: request.tenant.settings.passwordMinimumLength).rule,
            problem: failure?.text(but: .email, .password), connections: connections(request, transaction),
            logIn: request.url(.logIn, state: transaction.id))
    }

    // MARK: choose an account

    @Sendable func account(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .selectAccount) { transaction in
            let user = transaction.user
            return request.show(
                SelectAccountPage(
                    form: request.form(.selectAccount, state: transaction.id), client: transaction.goalName,
                    name: user?.name ?? user?.accountName ?? "",
                    email: user?.name == nil ? nil : user?.email?.description),
                for: transaction)
        }
    }

    /// Handled at every step, since every page that names the user offers another account.
    @Sendable func sendAccount(_ request: PageRequest) async throws -> Response {
        guard request.parameters[FieldName.account] == FieldName.another else {
            return try await pages.opened(request, at: .selectAccount) { transaction in
                request.answer(try await transactions.selectAccount(transaction, other: false))
            }
        }
        let transaction = try await transactions.open(request.state, browser: request.browser, context: request.context)
        return request.answer(try await transactions.selectAccount(transaction, other: true))
    }
}

extension PageRequest {
    /// The user whose login a page belongs to.
    func account(_ transaction: LoginTransaction) -> AccountInUse? {
        transaction.user.map { user in
            AccountInUse(
                name: user.accountName,
                change: form(
                    .selectAccount, state: transaction.id, [HiddenField(FieldName.account, FieldName.another)]))
        }
    }
}

extension InteractionFailure {
    /// Text of the failure with `reason`. Nil means that there is none.
    func text(_ reason: Reason) -> LocalizedText? { ([self] + others).first { $0.reason == reason }?.text }

    /// Text of a failure with another reason. Nil means that there is none.
    func text(but reasons: Reason...) -> LocalizedText? {
        ([self] + others).first { !reasons.contains($0.reason) }?.text
    }

    private var text: LocalizedText { LocalizedText { language in texts.map { $0[language] }.joined(separator: " ") } }
}

extension Response {
    /// Tells when to try again, if there were too many attempts (RFC 6585 clause 4).
    func retrying(after failure: InteractionFailure) -> Response {
        guard let seconds = failure.retryAfter else { return self }
        var response = self
        response.status = 429
        response.fields.append("Retry-After", String(seconds))
        return response
    }
}
