import ApprovalWire
import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import OAuthWire
import Pages
import Primitives

/// The page to decide a request on. Looking at it decides nothing, and without the session of the request's person it
/// tells nothing of the request.
struct ApprovalPageEndpoints: Sendable {
    let pages: HostedPages
    private var login: PageLogin { pages.hosted.flows.pages.login }
    private var answers: AnswerOnPage { pages.hosted.flows.pages.answers }

    @Sendable func show(_ request: PageRequest) async throws -> Response {
        try await visited(request) { id, visitor in
            if let wait = request.wait {
                return try await request.waited(
                    wait, for: "\(request.browser.sessionCookie ?? "")\n\(id)",
                    at: { address(request, id, wait: $0) },
                    while: { [answers, context = request.context] atOnce in
                        try await answers.awaitChange(of: id, for: visitor, atOnce: atOnce, context)
                    })
            }
            return page(request, id, visitor, try await answers.view(of: id, for: visitor, request.context))
        }
    }

    /// Takes the answer and leads back to the page, which shows the decision. The form of another tab,
    /// a second click and a form that comes again lead there, too.
    @Sendable func send(_ request: PageRequest) async throws -> Response {
        try await visited(request) { id, visitor in
            if request.parameters[FieldName.account] == FieldName.another {
                return try await logIn(request, id, asOther: true)
            }
            if let answer = Self.answer(request) {
                let language = request.language()
                let effect = try await answers.answer(
                    id, answer, by: visitor,
                    mayBeUnread: { question in
                        !page(request, question, .onPhone, visitor).isLong(in: language)
                    }, request.context)
                if effect == .unread {
                    let view = try await answers.view(of: id, for: visitor, request.context)
                    return self.page(request, id, visitor, view, isUnread: true)
                }
            }
            return request.redirect(to: address(request, id).text)
        }
    }

    /// Nil for a form without a button of the page.
    private static func answer(_ request: PageRequest) -> AnswerOnPage.Answer? {
        let isRead = request.parameters[FieldName.read] == FieldName.all
        if let pick = request.parameters[FieldName.pick] {
            return MatchingNumber(pick).map { .allow(pick: $0, isRead: isRead) }
        }
        return switch request.parameters[FieldName.decision] {
        case FieldName.allow: .allow(isRead: isRead)
        case FieldName.deny: .reject(reason: request.parameters[FieldName.reason])
        case FieldName.report: .reject(reason: request.parameters[FieldName.reason], isReported: true)
        default: nil
        }
    }

    /// Has the person log in first. The answer to an unknown person is the same for every id.
    private func visited(
        _ request: PageRequest, _ body: (ConsentID, PageVisitor) async throws -> Response
    ) async throws -> Response {
        let id = ConsentID(request.parameters[HostedPath.request] ?? "")
        guard AuthReqIDHash.prefix(of: id) != nil else {
            return request.failure(OAuthError(.invalidRequest, "id must be that of a request, cns_ and 22 characters"))
        }
        let visitor = try await login.visitor(
            at: .approval(id), uiLocales: request.parameters["ui_locales"], browser: request.browser,
            context: request.context)
        guard let visitor else { return try await logIn(request, id, asOther: false) }
        return try await body(id, visitor)
    }

    private func logIn(_ request: PageRequest, _ id: ConsentID, asOther: Bool) async throws -> Response {
        request.answer(
            try await login.begin(
                for: .approval(id), uiLocales: request.parameters["ui_locales"], asOther: asOther,
                browser: request.browser,
                context: request.context))
    }

    private func address(_ request: PageRequest, _ id: ConsentID, wait: String? = nil) -> PageURL {
        let waiting = wait.map { [(PageRequest.wait, $0)] } ?? []
        return request.url(.approve, [(HostedPath.request, id.rawValue)] + waiting)
    }

    // MARK: pages

    private func page(
        _ request: PageRequest, _ id: ConsentID, _ visitor: PageVisitor, _ view: AnswerOnPage.View,
        isUnread: Bool = false
    ) -> Response {
        switch view {
        case .notTheirs:
            let form = self.form(request, id, [HiddenField(FieldName.account, FieldName.another)])
            return request.show(ApprovalOtherAccountPage(form: form, user: visitor.user.accountName))
        case .ended(let ending, let ended, let isElsewhere):
            let record = ended.record
            return request.show(
                ApprovalEndedPage(
                    .init(ending), isElsewhere: isElsewhere, client: record.client.name,
                    details: record.authorizationDetails, presentation: record.display.presentation))
        case .question(let question, let mayAnswer):
            let form = self.form(request, id)
            var page = self.page(
                request, question, mayAnswer ? Self.answering(form, question.record.display) : .onPhone, visitor)
            page.isUnread = isUnread
            return request.show(page, waiting: request.waiting { address(request, id, wait: $0) })
        }
    }

    private func page(
        _ request: PageRequest, _ question: BackchannelRequest, _ answering: ApprovalPage.Answering,
        _ visitor: PageVisitor
    ) -> ApprovalPage {
        ApprovalPage(
            question, answering, user: visitor.user.accountName, tenant: request.tenant.name, now: request.now,
            assets: pages.hosted.assets)
    }

    private static func answering(_ form: PageForm, _ display: RequestRecord.Display) -> ApprovalPage.Answering {
        if display.isNumberTyped { return .byTypedNumber(form) }
        let numbers = display.matchingChoices.map(\.description)
        return numbers.isEmpty ? .here(form) : .byNumber(form, numbers)
    }

    private func form(_ request: PageRequest, _ id: ConsentID, _ more: [HiddenField] = []) -> PageForm {
        request.form(.approve, [HiddenField(HostedPath.request, id.rawValue)] + more)
    }
}

extension ApprovalPage {
    /// The record is the source of all that is shown, as on a phone.
    fileprivate init(
        _ request: BackchannelRequest, _ answering: Answering, user: String, tenant: String, now: Timestamp,
        assets: Assets
    ) {
        let (record, display) = (request.record, request.record.display)
        self.init(
            asker: Asker(
                name: record.client.name, logo: display.clientLogo.flatMap { PageURL($0) },
                isFirstParty: display.isFirstParty, tenant: tenant),
            api: record.audience.name, message: record.bindingMessage,
            scopes: record.scope.map { ShownScope($0.value, description: $0.description) },
            details: record.authorizationDetails, presentation: display.presentation,
            timeLeft: Int((request.expiresAt - now).components.seconds), expiresAt: request.expiresAt,
            answering: answering, user: user,
            approver: PageURL("\(EndpointPath.approver.rawValue)#request=\(record.id)"), assets: assets)
    }
}

extension ApprovalEndedPage.Ending {
    fileprivate init(_ ending: AnswerOnPage.Ending) {
        self =
            switch ending {
            case .allowed: .allowed
            case .rejected: .rejected
            case .reported: .reported
            case .wrongNumber: .wrongNumber
            case .withdrawn: .withdrawn
            case .expired: .expired
            }
    }
}
