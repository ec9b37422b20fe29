import AuthorizationCore
import Flows
import HTTPModel
import Localization
import OAuthWire
import Pages
import Primitives

/// What every hosted page's handler has in common: it works for a `PageRequest`, and what fails is shown as a page.
struct HostedPages: Sendable {
    let hosted: HostedLogin
    /// Gets the private detail of an error, with the request's id.
    let log: @Sendable (_ requestID: String, _ detail: String, _ status: Int) -> Void

    typealias Handle = @Sendable (PageRequest) async throws -> Response

    /// A page that is looked at.
    func page(_ body: @escaping Handle) -> Route.Handle {
        { context in await respond(context, body) }
    }

    /// The same, where `unreadable` answers for parameters that could not be read.
    func page(unreadable: @escaping @Sendable (PageRequest, OAuthError) throws -> Response, _ body: @escaping Handle)
        -> Route.Handle
    {
        { context in
            await respond(context, unreadable: unreadable, body)
        }
    }

    /// A form of ours that was sent. The same form is answered once, and leads to the same place if it comes again.
    func form(_ body: @escaping Handle) -> Route.Handle {
        { context in
            await respond(context) { visit in
                try visit.requireOwnForm()
                let key = hosted.key(of: visit) + hosted.sender(of: visit)
                return await hosted.repeatedForms.answer(key) {
                    await respond(context) { visit in try await answered(visit, before: body) }
                }
            }
        }
    }

    private func answered(_ visit: PageRequest, before body: Handle) async throws -> Response {
        switch hosted.repeatedForms.earlier(hosted.key(of: visit), now: visit.now) {
        case .answer(let earlier, let sender):
            return try await again(visit, earlier, isSameRequest: sender == hosted.sender(of: visit))
        case .done(let show): return show(visit)
        case nil: return try await body(visit)
        }
    }

    private func again(
        _ visit: PageRequest, _ earlier: RepeatableAnswer, isSameRequest: Bool
    ) async throws -> Response {
        guard
            let answer = try await hosted.transactions.repeated(
                earlier, isSameRequest: isSameRequest, browser: visit.browser, tenant: visit.tenant, now: visit.now)
        else {
            return visit.show(DonePage(title: localized.ending.done, explanation: localized.ending.doneLead))
        }
        return visit.answer(answer)
    }

    private func respond(
        _ context: EndpointCall,
        unreadable: (PageRequest, OAuthError) throws -> Response = { visit, problem in visit.failure(problem) },
        _ body: Handle
    ) async -> Response {
        let visit = PageRequest(context, hosted)
        do {
            if let problem = visit.problem { return try unreadable(visit, problem) }
            return try await orEnded(visit) { try await body(visit) }
        } catch let failure as AuthorizationPageFailure {
            let response = visit.failure(failure)
            if let detail = failure.detail { log(context.request.id, detail, response.status) }
            return response
        } catch let failure as InteractionFailure where failure.reason == .otherStep {
            // The person used the browser's back button, or another tab: show where the login is.
            return visit.redirect(to: visit.url(.logIn, state: visit.state).text)
        } catch let failure as any TransientError where failure.isTransient {
            log(context.request.id, "\(failure)", 503)
            return visit.internalFailure(status: 503)
        } catch {
            log(context.request.id, "\(error)", 500)
            return visit.internalFailure(status: 500)
        }
    }

    /// Who goes back to a page of a login that ended well a moment ago is told so, or gets the answer that was lost on
    /// its way. Not who sends a form, which may say something else; the one that says no more than that the phone has
    /// answered may come when the waiting page was told so, too.
    private func orEnded(_ visit: PageRequest, _ body: () async throws -> Response) async throws -> Response {
        do {
            return try await body()
        } catch let failure as AuthorizationPageFailure
            where failure.reason == .transaction && failure != .foreignBrowser
        {
            let request = visit.context.request
            guard request.method == .get || request.path == HostedPath.push.rawValue,
                case .answer(let earlier, _) = hosted.repeatedForms.earlier(
                    hosted.loginKey(of: visit), now: visit.now)
            else { throw failure }
            return try await again(visit, earlier, isSameRequest: false)
        }
    }

    /// The transaction of the page's address, where it is at a step that the page serves; otherwise what leads to
    /// the page of its step. `reauthenticating` is for what a person proves who they are with.
    func opened(
        _ visit: PageRequest, at path: HostedPath, reauthenticating: Bool = false,
        _ body: (LoginTransaction) async throws -> Response
    ) async throws -> Response {
        var transaction = try await hosted.transactions.open(
            visit.state, browser: visit.browser, configuration: visit.context.configuration, now: visit.now)
        if reauthenticating { transaction = try await hosted.logIn.reauthenticating(transaction, now: visit.now) }
        guard path.serves(transaction) else {
            if transaction.step == .done {
                return visit.answer(try await hosted.transactions.proceed(transaction, now: visit.now))
            }
            return visit.redirect(to: visit.url(HostedPath(transaction.step), state: transaction.id).text)
        }
        return try await body(transaction)
    }
}

extension HostedPath {
    /// Whether the page can be shown at the transaction's step: logging in and signing up lead to each other, and so
    /// do the phone and its codes.
    func serves(_ transaction: LoginTransaction) -> Bool {
        switch (self, transaction.step) {
        case (.logIn, .logIn), (.logIn, .signUp): true
        case (.signUp, .logIn), (.signUp, .signUp): transaction.choices.allowsSignUp
        case (.connection, .logIn), (.connection, .signUp), (.connection, .upstream): true
        case (.push, .multiFactor(let factors)): factors.push
        case (.noFactor, .multiFactor(let factors)): !factors.canBeGiven
        case (.code, .multiFactor(let factors)): factors.oneTimePassword
        default: self == HostedPath(transaction.step) && transaction.step != .done
        }
    }
}

extension PageRequest {
    func show(_ page: some Page, for transaction: LoginTransaction, isRepeatable: Bool = true) -> Response {
        show(page, requested: transaction.request.uiLocales, isRepeatable: isRepeatable)
    }
}
