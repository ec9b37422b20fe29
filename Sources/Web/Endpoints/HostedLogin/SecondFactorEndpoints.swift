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
    var phone: PushFactor { pages.hosted.flows.login.phone }
    private var oneTimePassword: OneTimePasswordFactor { pages.hosted.flows.login.oneTimePassword }
    private var firstDevice: EnrollFirstDevice { pages.hosted.flows.login.firstDevice }

    // MARK: the phone

    /// Showing the page sends the request, once. The browser then waits for the decision by itself.
    @Sendable func push(_ request: PageRequest) async throws -> Response {
        if let wait = request.wait {
            return try await pages.opened(request, at: .push) { transaction in
                try await request.waited(
                    wait, for: transaction.id, at: { address(request, .push, transaction, wait: $0) },
                    while: { [phone] in try await phone.awaitDecision(transaction, atOnce: $0) })
            }
        }
        return try await inTurn(request) { transaction in
            guard transaction.pushNumber != nil else { return try await send(request, transaction) }
            return try await shown(
                try await phone.check(transaction), request, transaction, isSubmitted: false)
        }
    }

    /// All pages of a login learn of the decision at once, and the first takes the login on. The others come after it
    /// and find its answer, instead of a request that is used up.
    private func inTurn(
        _ request: PageRequest, _ body: @escaping @Sendable (LoginTransaction) async throws -> Response
    ) async throws -> Response {
        try await pages.hosted.repeatedForms.inTurn(pages.hosted.loginKey(of: request)) { [pages] in
            try await pages.opened(request, at: .push, body)
        }
    }

    private func address(
        _ request: PageRequest, _ path: HostedPath, _ transaction: LoginTransaction, wait: String?
    ) -> PageURL {
        request.url(path, state: transaction.id, wait.map { [(PageRequest.wait, $0)] } ?? [])
    }

    /// Handles "Continue", and "send again" if the last request has expired.
    @Sendable func sendPush(_ request: PageRequest) async throws -> Response {
        try await inTurn(request) { transaction in
            let status = try await phone.check(transaction)
            guard request.parameters[Self.again] != nil, status.takesAnother else {
                return try await shown(status, request, transaction, isSubmitted: true)
            }
            return try await send(request, transaction)
        }
    }

    private static let again = "again"

    private func send(_ request: PageRequest, _ transaction: LoginTransaction) async throws -> Response {
        do {
            let sent = try await phone.send(
                transaction, language: request.language(transaction.request.uiLocales),
                browser: BrowserSoftware(request.http.fields))
            return waiting(request, sent, pushPage(request, sent))
        } catch let failure as InteractionFailure where failure.reason != .otherStep {
            var page = pushPage(request, transaction)
            page.problem = failure.text()
            return request.show(page, for: transaction).retrying(after: failure)
        }
    }

    private func shown(
        _ status: PushFactor.Status, _ request: PageRequest, _ transaction: LoginTransaction, isSubmitted: Bool
    ) async throws -> Response {
        switch status {
        case .decided(let answer): return request.answer(answer)
        case .waiting where !isSubmitted: return waiting(request, transaction, pushPage(request, transaction))
        case .waiting:
            var page = pushPage(request, transaction)
            page.hasNotAnswered = true
            return waiting(request, transaction, page)
        case .expired, .superseded:
            var page = pushPage(request, transaction)
            page.problem = status.problem
            page.resend = request.form(.push, state: transaction.id, [HiddenField(Self.again, "1")])
            return request.show(page, for: transaction)
        }
    }

    private func waiting(
        _ request: PageRequest, _ transaction: LoginTransaction, _ page: MultiFactorPushPage
    ) -> Response {
        request.show(
            page, for: transaction, waiting: request.waiting { address(request, .push, transaction, wait: $0) })
    }

    private func pushPage(_ request: PageRequest, _ transaction: LoginTransaction) -> MultiFactorPushPage {
        MultiFactorPushPage(
            form: request.form(.push, state: transaction.id), number: transaction.pushNumber?.description,
            matching: transaction.pushMatching.map { $0 == .type ? .type : .pick },
            useCode: HostedPath.code.serves(transaction) ? request.url(.code, state: transaction.id) : nil,
            useRecoveryCode: recovery(request, transaction),
            account: request.account(transaction))
    }

    // MARK: a code

    @Sendable func code(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .code) { transaction in
            request.show(codePage(request, transaction), for: transaction)
        }
    }

    @Sendable func sendCode(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .code) { transaction in
            do {
                return request.answer(
                    try await oneTimePassword.logIn(transaction, code: request.parameters[FieldName.code] ?? ""))
            } catch let failure as InteractionFailure where failure.reason != .otherStep {
                var page = codePage(request, transaction)
                page.codeProblem = failure.text(.wrongCode)
                page.problem = failure.text(but: .wrongCode)
                return request.show(page, for: transaction).retrying(after: failure)
            }
        }
    }

    private func codePage(_ request: PageRequest, _ transaction: LoginTransaction) -> MultiFactorCodePage {
        MultiFactorCodePage(
            form: request.form(.code, state: transaction.id),
            usePhone: HostedPath.push.serves(transaction) ? request.url(.push, state: transaction.id) : nil,
            useRecoveryCode: recovery(request, transaction),
            account: request.account(transaction))
    }

    private func recovery(_ request: PageRequest, _ transaction: LoginTransaction) -> PageURL? {
        HostedPath.recoveryCode.serves(transaction) ? request.url(.recoveryCode, state: transaction.id) : nil
    }

    // MARK: neither

    @Sendable func none(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .noFactor) { transaction in
            request.show(
                NoFactorPage(
                    form: request.form(.noFactor, state: transaction.id), client: transaction.goalName,
                    account: request.account(transaction)),
                for: transaction)
        }
    }

    @Sendable func sendNone(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .noFactor) { transaction in
            request.answer(try await phone.giveUp(transaction))
        }
    }

    // MARK: a first phone

    /// The login goes on by itself once the phone is enrolled, on this device or another.
    @Sendable func enroll(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .enrollDevice) { transaction in
            if let wait = request.wait {
                return try await request.waited(
                    wait, for: transaction.id, at: { address(request, .enrollDevice, transaction, wait: $0) },
                    while: { [firstDevice] in try await firstDevice.awaitDevice(transaction, atOnce: $0) })
            }
            return try await enrollPage(request, transaction, isSubmitted: false)
        }
    }

    /// A user who has a phone meanwhile is at another step, to which `opened` leads.
    @Sendable func sendEnroll(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .enrollDevice) { transaction in
            try await enrollPage(request, transaction, isSubmitted: true)
        }
    }

    private func enrollPage(_ request: PageRequest, _ transaction: LoginTransaction, isSubmitted: Bool) async throws
        -> Response
    {
        let (uri, transaction) = try await firstDevice.enrollment(transaction)
        var page = EnrollDevicePage(
            .login(request.account(transaction)), uri, form: request.form(.enrollDevice, state: transaction.id), request
        )
        page.problem = isSubmitted ? page.notAdded : nil
        page.isWaiting = request.isWaiting
        return request.show(
            page, for: transaction,
            waiting: request.waiting { address(request, .enrollDevice, transaction, wait: $0) })
    }
}

extension PushFactor.Status {
    /// True if the request has ended without a decision, so that another may be sent.
    fileprivate var takesAnother: Bool { problem != nil }

    fileprivate var problem: LocalizedText? {
        switch self {
        case .expired: localized.secondFactor.expired
        case .superseded: localized.secondFactor.superseded
        case .waiting, .decided: nil
        }
    }
}
