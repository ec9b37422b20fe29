import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import Localization
import OAuthWire
import Pages

/// The second factor: the phone's decision, a code, or a first phone.
struct SecondFactorEndpoints: Sendable {
    let pages: HostedPages
    private var hosted: HostedLogin { pages.hosted }
    /// Seconds after which a browser begins to wait for the phone by itself. No more, since with a longer time browsers
    /// make an entry of their history of it.
    static let refresh = 1

    // MARK: the phone

    /// Looking at the page sends the request, once. The browser then waits for what comes of it by itself.
    @Sendable func push(_ visit: PageRequest) async throws -> Response {
        try await pages.opened(visit, at: .push) { transaction in
            guard transaction.pushNumber != nil else { return try await send(visit, transaction) }
            if visit.parameters[PageRequest.wait] != nil, visit.context.request.method == .get {
                return try await wait(visit, transaction)
            }
            return try await pushed(visit, transaction, asked: false)
        }
    }

    /// Answers when there is something new, and by leading there: until then the browser goes on showing the page, with
    /// the keyboard's focus where it was (WCAG 2.2, failure F41 of 2.2.1). So that is what it gets for having waited
    /// long enough, too.
    private func wait(_ visit: PageRequest, _ transaction: LoginTransaction) async throws -> Response {
        let goesOn = try await hosted.secondFactor.awaitDecision(transaction, now: visit.now)
        return visit.redirect(to: address(visit, transaction, waiting: goesOn))
    }

    private func address(_ visit: PageRequest, _ transaction: LoginTransaction, waiting: Bool) -> String {
        visit.url(.push, state: transaction.id, waiting ? [(PageRequest.wait, "1")] : []).text
    }

    /// "Continue", or "send again" where the last request has expired.
    @Sendable func sendPush(_ visit: PageRequest) async throws -> Response {
        try await pages.opened(visit, at: .push) { transaction in
            guard visit.parameters[Self.again] != nil, case .expired = try await status(visit, transaction) else {
                return try await pushed(visit, transaction, asked: true)
            }
            return try await send(visit, transaction)
        }
    }

    private static let again = "again"

    private func status(_ visit: PageRequest, _ transaction: LoginTransaction) async throws -> SecondFactor.PushStatus {
        try await hosted.secondFactor.checkPush(transaction, now: visit.now)
    }

    private func send(_ visit: PageRequest, _ transaction: LoginTransaction) async throws -> Response {
        do {
            let sent = try await hosted.secondFactor.sendPush(
                transaction, language: visit.language(transaction.request.uiLocales), now: visit.now)
            return waiting(visit, sent)
        } catch let failure as InteractionFailure where failure.reason != .otherStep {
            var page = pushPage(visit, transaction)
            page.problem = failure.text()
            return visit.show(page, for: transaction).retrying(after: failure)
        }
    }

    private func pushed(_ visit: PageRequest, _ transaction: LoginTransaction, asked: Bool) async throws -> Response {
        switch try await status(visit, transaction) {
        case .decided(let answer): return visit.answer(answer)
        case .waiting where !asked: return waiting(visit, transaction)
        case .waiting:
            var page = pushPage(visit, transaction)
            page.hasNotAnswered = true
            return refreshing(visit.show(page, for: transaction), visit, transaction)
        case .expired:
            var page = pushPage(visit, transaction)
            page.problem = localized.secondFactor.expired
            page.resend = visit.form(.push, state: transaction.id, [HiddenField(Self.again, "1")])
            return visit.show(page, for: transaction)
        }
    }

    private func waiting(_ visit: PageRequest, _ transaction: LoginTransaction) -> Response {
        refreshing(visit.show(pushPage(visit, transaction), for: transaction), visit, transaction)
    }

    /// A header and no element of the page: a page that reloads is hard to read aloud, and a reader can turn this off.
    private func refreshing(_ response: Response, _ visit: PageRequest, _ transaction: LoginTransaction) -> Response {
        var response = response
        let url = address(visit, transaction, waiting: true)
        response.fields.append("Refresh", "\(Self.refresh); url=\(url)")
        return response
    }

    private func pushPage(_ visit: PageRequest, _ transaction: LoginTransaction) -> MultiFactorPushPage {
        MultiFactorPushPage(
            form: visit.form(.push, state: transaction.id), number: transaction.pushNumber,
            useCode: HostedPath.code.serves(transaction) ? visit.url(.code, state: transaction.id) : nil,
            account: visit.account(transaction))
    }

    // MARK: a code

    @Sendable func code(_ visit: PageRequest) async throws -> Response {
        try await pages.opened(visit, at: .code) { transaction in
            visit.show(codePage(visit, transaction), for: transaction)
        }
    }

    @Sendable func sendCode(_ visit: PageRequest) async throws -> Response {
        try await pages.opened(visit, at: .code) { transaction in
            do {
                return visit.answer(
                    try await hosted.secondFactor.logIn(
                        transaction, code: visit.parameters[FieldName.code] ?? "", now: visit.now))
            } catch let failure as InteractionFailure where failure.reason != .otherStep {
                var page = codePage(visit, transaction)
                page.codeProblem = failure.text(.wrongCode)
                page.problem = failure.text(but: .wrongCode)
                return visit.show(page, for: transaction).retrying(after: failure)
            }
        }
    }

    private func codePage(_ visit: PageRequest, _ transaction: LoginTransaction) -> MultiFactorCodePage {
        MultiFactorCodePage(
            form: visit.form(.code, state: transaction.id),
            usePhone: HostedPath.push.serves(transaction) ? visit.url(.push, state: transaction.id) : nil,
            account: visit.account(transaction))
    }

    // MARK: neither

    @Sendable func none(_ visit: PageRequest) async throws -> Response {
        try await pages.opened(visit, at: .noFactor) { transaction in
            visit.show(
                NoFactorPage(
                    form: visit.form(.noFactor, state: transaction.id), client: transaction.client.name,
                    account: visit.account(transaction)),
                for: transaction)
        }
    }

    @Sendable func sendNone(_ visit: PageRequest) async throws -> Response {
        try await pages.opened(visit, at: .noFactor) { transaction in
            visit.answer(try await hosted.secondFactor.giveUp(transaction, now: visit.now))
        }
    }

    // MARK: a first phone

    @Sendable func enroll(_ visit: PageRequest) async throws -> Response {
        try await pages.opened(visit, at: .enrollDevice) { transaction in
            try await enrollPage(visit, transaction, asked: false)
        }
    }

    /// A user who has a phone by now is at another step, so `opened` led on.
    @Sendable func sendEnroll(_ visit: PageRequest) async throws -> Response {
        try await pages.opened(visit, at: .enrollDevice) { transaction in
            try await enrollPage(visit, transaction, asked: true)
        }
    }

    private func enrollPage(_ visit: PageRequest, _ transaction: LoginTransaction, asked: Bool) async throws -> Response
    {
        let (uri, transaction) = try await hosted.secondFactor.enrollment(transaction, now: visit.now)
        let problem = localized.enrollment.notAdded
        return visit.show(
            EnrollDevicePage(
                form: visit.form(.enrollDevice, state: transaction.id),
                code: .modules(hosted.qrCode(uri.text) ?? []), uri: uri.text, problem: asked ? problem : nil,
                account: visit.account(transaction)),
            for: transaction)
    }
}
