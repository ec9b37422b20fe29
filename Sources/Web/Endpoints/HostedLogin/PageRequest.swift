import Audit
import AuthorizationCore
import Flows
import HTTPModel
import Localization
import OAuthWire
import Pages
import Primitives
import Routing

/// One request of a browser to a hosted page, with its cookies, its language and its pages.
struct PageRequest: FailurePages {
    let call: EndpointCall
    let hosted: HostedLogin
    /// Parameters of the query for GET, of the body for POST.
    let parameters: Parameters
    /// Reason why the parameters could not be read. Then there are none.
    let problem: OAuthError?
    /// The login transaction in the page's address. A provider's callback has it within its own `state`.
    let state: String
    let browser: Browser
    /// The browser's binding cookie, or one made for it now.
    let binding: String
    private let bindsNow: Bool
    let chosenLocales: String?

    init(_ call: EndpointCall, _ hosted: HostedLogin) {
        self.call = call
        self.hosted = hosted
        let request = call.request
        do throws(OAuthError) {
            parameters =
                request.method == .post
                ? try Parameters(body: request.body, mediaType: request.fields.mediaType)
                : try Parameters(query: request.query)
            problem = nil
        } catch {
            parameters = Parameters()
            problem = error
        }
        let known = Cookie.binding.value(in: request.fields)
        let state = Self.state(call, parameters)
        self.state = state
        browser = Browser(
            sessionCookie: Cookie.session.value(in: request.fields), bindingCookie: known,
            proofCookie: state.isEmpty ? nil : hosted.proofCookie(of: state).value(in: request.fields))
        binding = known ?? Identifiers.handle(hosted.flows.random)
        bindsNow = known == nil
        chosenLocales = parameters["ui_locales"]
    }

    var http: Request { call.request }
    var context: RequestContext { call.context }
    var tenant: Tenant { call.tenant }
    var now: Timestamp { call.now }

    private static func state(_ call: EndpointCall, _ parameters: Parameters) -> String {
        let named = parameters[FieldName.state] ?? ""
        guard call.isAt(EndpointPath.upstreamCallback) else { return named }
        return UpstreamAttempt.transaction(of: named) ?? ""
    }

    /// Throws for a form that was not sent from a page of this server in this browser.
    func requireOwnForm() throws(AuthorizationPageFailure) {
        let origin = http.fields["Origin"]
        guard hosted.formTokens.accepts(parameters[FieldName.csrf], binding: browser.bindingCookie),
            // Modern browsers name the origin of a form.
            origin.map({ tenant.isIssuer($0) }) ?? true
        else { throw .foreignBrowser }
    }

    // MARK: pages

    func language(_ requested: String? = nil) -> Language {
        .preferred(uiLocales: chosenLocales ?? requested, acceptLanguage: http.fields["Accept-Language"])
    }

    /// `requested` are the `ui_locales` of the authorization request.
    func frame(_ requested: String? = nil, isRepeatable: Bool = true, waiting: Waiting? = nil) -> PageFrame {
        let language = language(requested)
        return PageFrame(
            branding: Pages.Branding(tenant), language: language, links: links,
            translations: isRepeatable ? translations(than: language) : [],
            assets: hosted.assets, keepsOpener: isOfLogin && LoginID.answersOpener(state),
            waiting: waiting)
    }

    /// True if the path is one of a login's pages, or the callback of other providers.
    private var isOfLogin: Bool {
        HostedPath.allCases.contains { call.isAt($0) } || call.isAt(EndpointPath.upstreamCallback)
    }

    private var links: [PageFrame.Link] {
        let links = tenant.settings.links
        return [(.support, links.support), (.privacy, links.privacy), (.terms, links.terms)].compactMap { kind, url in
            url.flatMap { PageURL($0) }.map { PageFrame.Link(kind, $0) }
        }
    }

    /// Translations of a page, if GET can repeat it: neither the result of a form nor a used answer.
    private func translations(than shown: Language) -> [PageFrame.Translation] {
        guard http.method != .post else { return [] }
        return Language.allCases.filter { $0 != shown }.map { language in
            var query = (try? FormFields(parsing: Array((http.query ?? "").utf8)))?.pairs ?? []
            query.removeAll { $0.name == "ui_locales" || $0.name == Self.wait }
            query.append(("ui_locales", language.rawValue))
            return PageFrame.Translation(language, PageURL(encodedPath: http.path, query: query))
        }
    }

    /// A page of the login, with the state and the language that the person chose.
    func url(_ path: HostedPath, state: String? = nil, _ more: [(name: String, value: String)] = []) -> PageURL {
        var query: [(name: String, value: String)] = []
        if let state, !state.isEmpty { query.append((FieldName.state, state)) }
        query += more
        if let chosenLocales { query.append(("ui_locales", chosenLocales)) }
        return PageURL(path: path.rawValue, query: query)
    }

    /// A page of the person's account, in the language that the person chose.
    func url(_ path: AccountPath, _ more: [(name: String, value: String)] = []) -> PageURL {
        let locales = chosenLocales.map { [(name: "ui_locales", value: $0)] } ?? []
        return PageURL(path: path.rawValue, query: more + locales)
    }

    func form(_ path: AccountPath, _ more: [HiddenField]) -> PageForm {
        let locales = chosenLocales.map { [HiddenField("ui_locales", $0)] } ?? []
        return PageForm(
            action: PageURL(path: path.rawValue), csrf: hosted.formTokens.token(binding: binding),
            hidden: more + locales)
    }

    func form(_ path: HostedPath, state: String? = nil, _ more: [HiddenField] = []) -> PageForm {
        var hidden = more
        if let state, !state.isEmpty { hidden.append(HiddenField(FieldName.state, state)) }
        if let chosenLocales { hidden.append(HiddenField("ui_locales", chosenLocales)) }
        return PageForm(
            action: PageURL(path: path.rawValue), csrf: hosted.formTokens.token(binding: binding), hidden: hidden)
    }

    func show(
        _ page: some Page, requested: String? = nil, isRepeatable: Bool = true, waiting: Waiting? = nil,
        branding: Pages.Branding? = nil
    ) -> Response {
        var frame = frame(requested, isRepeatable: isRepeatable, waiting: waiting)
        if let branding { frame.branding = branding }
        var response = page.response(in: frame)
        if bindsNow { response.fields.append("Set-Cookie", Cookie.binding.setting(binding, lifetime: nil)) }
        return response
    }

    // MARK: own pages

    /// Calls `body` for the person who is logged in as the page demands, or has the person log in first.
    func visited(_ page: OwnPage, _ body: (PageVisitor) async throws -> Response) async throws -> Response {
        let login = hosted.flows.pages.login
        let visitor = try await login.visitor(at: page, uiLocales: chosenLocales, browser: browser, context: context)
        guard let visitor else {
            return answer(
                try await login.begin(for: page, uiLocales: chosenLocales, browser: browser, context: context))
        }
        return try await body(visitor)
    }

    // MARK: going on

    /// Redirects a form with 303, so that its fields go no further (RFC 9110 clause 15.4.4, RFC 9700 clause 4.12).
    func redirect(to url: String) -> Response {
        Response(
            status: http.method == .post ? 303 : 302,
            fields: ["Location": url, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"])
    }

    func answer(_ answer: AuthorizationAnswer) -> Response {
        var response: Response
        switch answer.next {
        case .interact(let transaction):
            response = redirect(to: url(HostedPath(transaction.step), state: transaction.id).text)
        case .respond(let back):
            response = self.back(with: back)
            remember(answer)
            forgetProof(&response)
        // The client closes its pop-up when it gets the answer, so the client tells the reason.
        case .ended(_, let answer) where answer.mode == .webMessage:
            response = back(with: answer)
            forgetProof(&response)
        case .ended(let text, let answer):
            response = show(
                ErrorPage(
                    status: 403, title: localized.error.notLoggedIn, explanation: text, requestID: http.id,
                    back: PageURL(answer.location, schemes: Self.schemes(of: answer.redirectURI))),
                isRepeatable: false)
            forgetProof(&response)
        }
        if let cookie = answer.proofCookie {
            response.fields.append(
                "Set-Cookie",
                hosted.proofCookie(of: state).setting(cookie, lifetime: LoginTransactions.lifetime))
        }
        if let cookie = answer.sessionCookie {
            response.fields.append(
                "Set-Cookie", Cookie.session.setting(cookie, lifetime: tenant.settings.sessionLifetime))
        }
        if let cookie = answer.bindingCookie {
            response.fields.append("Set-Cookie", Cookie.binding.setting(cookie, lifetime: nil))
        }
        return response
    }

    /// The transaction is over.
    private func forgetProof(_ response: inout Response) {
        guard browser.proofCookie != nil else { return }
        response.fields.append("Set-Cookie", hosted.proofCookie(of: state).removal)
    }

    /// Keeps the answer to which the login's pages and its last form lead from now on. Keeps nothing for a request that
    /// was answered without a page, which has no login and is anonymous.
    private func remember(_ answer: AuthorizationAnswer) {
        guard isOfLogin, let repeatable = answer.repeatable else { return }
        let outcome = RepeatedForms.Outcome.answer(repeatable, sender: hosted.sender(of: self))
        hosted.repeatedForms.remember(hosted.loginKey(of: self), outcome, now: now)
        if http.method == .post { remember(outcome) }
    }

    /// Keeps the outcome for the same form, in case it comes again.
    func remember(_ outcome: RepeatedForms.Outcome) {
        hosted.repeatedForms.remember(hosted.key(of: self), outcome, now: now)
    }

    /// Returns to the client, with a code or an error.
    private func back(with answer: AuthorizationResponse) -> Response {
        if let target = answer.messageTarget {
            var frame = frame(isRepeatable: false)
            frame.keepsOpener = true
            // Without a cookie, since a page in a frame has no form.
            return WebMessagePage(target: target, parameters: answer.parameters, assets: hosted.assets)
                .response(in: frame)
        }
        guard answer.mode == .formPost, let action = PageURL(answer.redirectURI),
            let page = FormPostPage(
                action: action, fields: answer.parameters.pairs.map { HiddenField($0.name, $0.value) },
                assets: hosted.assets)
        else { return redirect(to: answer.location) }
        return show(page)
    }

    private static func schemes(of uri: String) -> Set<String> { [uri.prefix { $0 != ":" }.lowercased()] }

    /// The form as an address to redirect to. Browsers send cookies with the redirect, but not with another site's form
    /// (`SameSite`). Nil for a request that needs no redirect.
    func asAddress(_ path: String, keeping names: [String]) -> String? {
        guard http.method == .post, browser.sessionCookie == nil, browser.bindingCookie == nil else { return nil }
        return "\(path)?\(parameters.encoded(only: names))"
    }

    // MARK: failures

    func response(for failure: any ResponseError) -> Response {
        switch failure {
        case let failure as AuthorizationPageFailure: self.failure(failure)
        case let failure as AuditBudgets.Exceeded: self.failure(.tooManyActions(retryAfter: failure.retryAfter))
        case let failure as UpstreamPageFailure: self.failure(failure)
        case let failure as ServerFailure:
            internalFailure(status: failure.error.status, retryAfter: failure.error.retryAfter)
        default: internalFailure(status: 500)
        }
    }

    private func failure(_ failure: AuthorizationPageFailure) -> Response {
        var response = show(
            ErrorPage(
                status: failure.retryAfter == nil ? 400 : 429, title: localized.error.didNotWork,
                explanation: failure.text, code: failure.code?.rawValue, requestID: http.id,
                retry: failure.reason == .superseded ? url(.logIn, state: state) : nil))
        if let seconds = failure.retryAfter { response.fields.append("Retry-After", String(seconds)) }
        return response
    }

    /// Leads back to the login page.
    private func failure(_ failure: UpstreamPageFailure) -> Response {
        show(
            ErrorPage(
                status: failure.status, title: localized.error.notLoggedIn, explanation: failure.refusal.text,
                requestID: http.id, retry: url(.logIn, state: failure.transaction.id)),
            for: failure.transaction, isRepeatable: false)
    }

    /// Shows the error to the person (RFC 6749 clause 4.1.2.1).
    func failure(_ problem: OAuthError) -> Response {
        show(
            ErrorPage(
                status: 400, title: localized.error.didNotWork, explanation: localized.error.damaged,
                code: "\(problem.code.rawValue): \(problem.description.text)", requestID: http.id))
    }

    private func internalFailure(status: Int, retryAfter: Int? = nil) -> Response {
        var response = show(
            ErrorPage(
                status: status, title: localized.error.wentWrong, explanation: localized.error.wentWrongLead,
                advice: localized.error.tryLater, requestID: http.id))
        if let retryAfter { response.fields.append("Retry-After", String(retryAfter)) }
        return response
    }
}
