import APIDescription
import Flows
import HTTPModel
import OAuthWire
import Pages
import Routing

extension HostedPages {
    var routes: [Route] {
        let authorization = AuthorizationEndpoints(pages: self)
        let logIn = LoginEndpoints(pages: self)
        let password = PasswordEndpoints(hosted: hosted)
        let factor = SecondFactorEndpoints(pages: self)
        let consent = ConsentEndpoints(pages: self)
        let upstream = UpstreamEndpoints(pages: self)
        let logOut = LogoutEndpoints(hosted: hosted)
        let ticket = TicketEndpoints(hosted: hosted)
        let approval = ApprovalPageEndpoints(pages: self)
        let account = AccountEndpoints(hosted: hosted)
        let recovery = RecoveryCodeEndpoints(pages: self)
        let routes = [
            // OIDC Core 3.1.2.1 asks for both methods.
            Route(
                EndpointPath.authorization, .oauth, answersHead: false, work: .new,
                [
                    .get: (.authorization("authorize"), authorization.authorize),
                    .post: (.authorization("authorize_by_post"), authorization.authorize),
                ]),
            Route(EndpointPath.icon, .oauth, [.get: (.icon, authorization.icon)]),
            Route(EndpointPath.welcome, .oauth, [.get: (.welcome, WelcomeEndpoint(pages: self).welcome)]),
            Route(
                EndpointPath.upstreamCallback, .oauth, answersHead: false,
                [.get: (.hosted("upstream_callback", "Come back from a provider"), page(upstream.callback))]),
            Route(
                EndpointPath.logOutAtOnce, .oauth, answersHead: false,
                [.get: (.logOutAtOnce, page(logOut.logOutAtOnce))]),
            Route(
                EndpointPath.endSession, .oauth, answersHead: false,
                [
                    .get: (.endSession("end_session"), page(logOut.logOut)),
                    .post: (.endSession("end_session_by_post"), page(logOut.logOut)),
                ]),
            Route(
                HostedPath.logOut, .oauth,
                [.post: (.hosted("confirm_log_out", "Log out after all"), form(logOut.sendLogout))]),
            Route(
                HostedPath.connection, .oauth, answersHead: false,
                [.get: (.hosted("connection", "Go to a provider"), page(upstream.connection))]),
            Route(
                HostedPath.enrollShortly, .oauth,
                [.get: (.hosted("enroll_link", "Go to the page that adds a phone"), page(ticket.leadToEnroll))]),
            Route(
                HostedPath.approve, .oauth, answersHead: false,
                [
                    .get: (.approval("approve_page", "Show a request"), page(approval.show)),
                    .post: (.approval("approve", "Send the page's form"), form(approval.send)),
                ]),
            Route(path: Assets.prefix + "{name}", .oauth, [.get: (.asset, authorization.asset)]),
        ]
        let forms: [(HostedPath, Handle, Handle)] = [
            (.logIn, logIn.logIn, logIn.sendLogin), (.signUp, logIn.signUp, logIn.sendSignUp),
            (.selectAccount, logIn.account, logIn.sendAccount),
            (.forgotPassword, password.forgot, password.sendForgot),
            (.resetPassword, password.reset, password.sendReset),
            (.verifyEmail, ticket.verifyEmail, ticket.sendVerifyEmail),
            (.enrollByTicket, ticket.enroll, ticket.sendEnroll),
            (.push, factor.push, factor.sendPush), (.code, factor.code, factor.sendCode),
            (.noFactor, factor.none, factor.sendNone),
            (.recoveryCode, recovery.code, recovery.sendCode),
            (.offerRecoveryCodes, recovery.offer, recovery.sendOffer),
            (.enrollDevice, factor.enroll, factor.sendEnroll), (.consent, consent.show, consent.send),
        ]
        return routes + AccountPath.allCases.map { self.route($0, account) }
            + forms.map { path, show, send in
                let name = path.rawValue.dropFirst("/u/".count).map { $0 == "-" ? "_" : $0 }
                return Route(
                    path, .oauth, work: path.beginsAnew ? .new : .begun,
                    [
                        .get: (.hosted(String(name) + "_page", "Show the page"), page(show)),
                        .post: (.hosted(String(name), "Send the page's form"), form(send)),
                    ])
            }
    }

    private func route(_ path: AccountPath, _ account: AccountEndpoints) -> Route {
        let (show, send) = account.handlers(of: path)
        // Not the name of the page on which one chooses an account.
        let name = "own" + path.rawValue.map { "/-".contains($0) ? "_" : String($0) }.joined()
        var methods: [HTTPMethod: (operation: Operation, handle: Route.Handle)] = [
            .get: (.hosted(name + "_page", "Show a page of the person's account"), page(show))
        ]
        if let send { methods[.post] = (.hosted(name, "Change the person's account"), form(send)) }
        return Route(path, .oauth, answersHead: false, methods)
    }
}

extension HostedPath {
    init(_ step: AuthorizationStep) {
        self =
            switch step {
            case .logIn, .done: .logIn
            case .signUp: .signUp
            case .selectAccount: .selectAccount
            case .upstream: .connection
            case .enrollDevice: .enrollDevice
            case .multiFactor(let factors):
                factors.push
                    ? .push : factors.oneTimePassword ? .code : factors.recoveryCode ? .recoveryCode : .noFactor
            case .recoveryCodes: .offerRecoveryCodes
            case .consent: .consent
            }
    }

    /// True for an account, or a mail with a link, that the person can ask for later.
    var beginsAnew: Bool { self == .signUp || self == .forgotPassword }

    /// True if the page can be shown at the transaction's step. Logging in and signing up lead to each other, and so do
    /// the phone and its codes.
    func serves(_ transaction: LoginTransaction) -> Bool {
        switch (self, transaction.step) {
        case (.logIn, .logIn), (.logIn, .signUp): true
        case (.signUp, .logIn), (.signUp, .signUp): transaction.choices.allowsSignUp
        case (.connection, .logIn), (.connection, .signUp), (.connection, .upstream): true
        case (.push, .multiFactor(let factors)): factors.push
        case (.noFactor, .multiFactor(let factors)): !factors.canBeGiven
        case (.code, .multiFactor(let factors)): factors.oneTimePassword
        case (.recoveryCode, .multiFactor(let factors)): factors.recoveryCode
        default: self == HostedPath(transaction.step) && transaction.step != .done
        }
    }
}
