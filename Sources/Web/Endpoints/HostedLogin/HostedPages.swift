package import Flows
package import HTTPModel
import Localization
import OAuthWire
import Pages
package import Routing

/// Runs the handlers of hosted pages: each gets a `PageRequest`, and its failures are shown as pages.
struct HostedPages: Sendable {
    let hosted: HostedLogin
    let errors: ErrorRenderer

    typealias Handle = @Sendable (PageRequest) async throws -> Response

    /// Handles a request for a page. `unreadable` answers if the parameters could not be read.
    func page(
        unreadable: @escaping @Sendable (PageRequest, OAuthError) throws -> Response = { $0.failure($1) },
        _ body: @escaping Handle
    ) -> Route.Handle {
        { call in await respond(call, unreadable: unreadable, body) }
    }

    /// Handles a form of these pages. The same form is processed once, and leads to the same place if it comes again.
    func form(_ body: @escaping Handle) -> Route.Handle {
        { call in
            await respond(call) { request in
                try request.requireOwnForm()
                let key = hosted.key(of: request) + hosted.sender(of: request)
                return await hosted.repeatedForms.answer(key) {
                    await respond(call) { request in try await answered(request, before: body) }
                }
            }
        }
    }

    private func answered(_ request: PageRequest, before body: Handle) async throws -> Response {
        switch hosted.repeatedForms.earlier(hosted.key(of: request), now: request.now) {
        case .answer(let earlier, let sender):
            return try await again(request, earlier, isSameRequest: sender == hosted.sender(of: request))
        case .done(let show): return show(request)
        case nil: return try await body(request)
        }
    }

    private func again(
        _ request: PageRequest, _ earlier: RepeatableAnswer, isSameRequest: Bool
    ) async throws -> Response {
        guard
            let answer = try await hosted.flows.login.completion.repeated(
                earlier, isSameRequest: isSameRequest, browser: request.browser, context: request.context)
        else { return request.show(DonePage(title: localized.ending.done, explanation: localized.ending.doneLead)) }
        return request.answer(answer)
    }

    private func respond(
        _ call: EndpointCall, unreadable: (PageRequest, OAuthError) throws -> Response = { $0.failure($1) },
        _ body: Handle
    ) async -> Response {
        let request = PageRequest(call, hosted)
        return await errors.answering(call.request, in: .page(request)) {
            if let problem = request.problem { return try unreadable(request, problem) }
            do {
                return try await orEnded(request) { try await body(request) }
            } catch let failure as InteractionFailure where failure.reason == .otherStep {
                // The person used the browser's back button, or another tab: lead them to the login's step.
                return request.redirect(to: request.url(.logIn, state: request.state).text)
            }
        }
    }

    /// A browser that returns to a page of a login that just ended gets its answer again, in case it was lost. A form
    /// does not, since it may say something else. The form of the phone's page does: it only says that the phone has
    /// answered, and may come after the waiting page learned that.
    private func orEnded(_ request: PageRequest, _ body: () async throws -> Response) async throws -> Response {
        do {
            return try await body()
        } catch let failure as AuthorizationPageFailure
            where failure.reason == .transaction && failure != .foreignBrowser
        {
            let isOfPush = request.call.isAt(HostedPath.push)
            guard request.http.method == .get || isOfPush,
                case .answer(let earlier, let sender) = hosted.repeatedForms.earlier(
                    hosted.loginKey(of: request), now: request.now)
            else { throw failure }
            // Another page of the same browser, sent before the answer replaced its cookies.
            let isTogether =
                (request.browser.sessionCookie ?? request.browser.proofCookie) != nil
                && sender == hosted.sender(of: request)
            return try await again(request, earlier, isSameRequest: isOfPush && isTogether)
        }
    }

    /// Opens the transaction of the page's address. If the page does not serve its step, leads to the page that does.
    /// `reauthenticating` is true for a form that proves the user.
    func opened(
        _ request: PageRequest, at path: HostedPath, reauthenticating: Bool = false,
        _ body: (LoginTransaction) async throws -> Response
    ) async throws -> Response {
        var transaction = try await hosted.flows.login.transactions.open(
            request.state, browser: request.browser, context: request.context)
        if reauthenticating { transaction = try await hosted.flows.login.transactions.reauthenticating(transaction) }
        guard path.serves(transaction) else {
            if transaction.step == .done {
                return request.answer(try await hosted.flows.login.transactions.proceed(transaction))
            }
            return request.redirect(to: request.url(HostedPath(transaction.step), state: transaction.id).text)
        }
        return try await body(transaction)
    }
}

extension AuthorizationPageFailure: ResponseError {
    package var logDetail: String? { detail }

    package func response(in style: ErrorStyle, to request: Request) -> Response {
        OAuthError(code ?? .invalidRequest, ErrorDescription(text[.english])).response(in: style, to: request)
    }
}

extension PageRequest {
    func show(
        _ page: some Page, for transaction: LoginTransaction, isRepeatable: Bool = true, waiting: Waiting? = nil
    ) -> Response {
        show(page, requested: transaction.request.uiLocales, isRepeatable: isRepeatable, waiting: waiting)
    }
}
