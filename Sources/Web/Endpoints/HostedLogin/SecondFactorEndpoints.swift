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
    private let phone: PushFactor
    private let oneTimePassword: OneTimePasswordFactor
    private let firstDevice: EnrollFirstDevice

    init(pages: HostedPages) {
        self.pages = pages
        let (hosted, ports) = (pages.hosted, pages.hosted.ports)
        phone = PushFactor(
            store: ports.store, transactions: hosted.transactions, vault: hosted.vault,
            secrets: ports.keys.transactions,
            random: ports.random, delivery: ports.delivery, decisions: hosted.decisions, timer: ports.timer,
            hold: ports.pageHold)
        oneTimePassword = OneTimePasswordFactor(
            store: ports.store, transactions: hosted.transactions, hashing: ports.hashing, sealer: ports.sealer)
        firstDevice = EnrollFirstDevice(
            store: ports.store, sealer: ports.sealer, enroll: hosted.enroll, decisions: hosted.decisions,
            timer: ports.timer, hold: ports.pageHold)
    }

    // MARK: the phone

    /// Showing the page sends the request, once. The browser then waits for the decision by itself.
    @Sendable func push(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .push) { transaction in
            guard transaction.pushNumber != nil else { return try await send(request, transaction) }
            if request.parameters[PageRequest.wait] != nil, request.http.method == .get {
                return try await wait(request, transaction)
            }
            return try await pushed(request, transaction, isSubmitted: false)
        }
    }

    /// Redirects once the page has something new to show or the wait is over. Until then the browser keeps showing the
    /// page, and the keyboard's focus stays (WCAG 2.2, failure F41 of 2.2.1).
    private func wait(_ request: PageRequest, _ transaction: LoginTransaction) async throws -> Response {
        let goesOn = try await phone.awaitDecision(transaction)
        return request.redirect(to: address(request, transaction, waiting: goesOn))
    }

    private func address(_ request: PageRequest, _ transaction: LoginTransaction, waiting: Bool) -> String {
        request.url(.push, state: transaction.id, waiting ? [(PageRequest.wait, "1")] : []).text
    }

    /// Handles "Continue", and "send again" if the last request has expired.
    @Sendable func sendPush(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .push) { transaction in
            guard request.parameters[Self.again] != nil, case .expired = try await phone.check(transaction) else {
                return try await pushed(request, transaction, isSubmitted: true)
            }
            return try await send(request, transaction)
        }
    }

    private static let again = "again"

    private func send(_ request: PageRequest, _ transaction: LoginTransaction) async throws -> Response {
        do {
            let sent = try await phone.send(transaction, language: request.language(transaction.request.uiLocales))
            return waiting(request, sent)
        } catch let failure as InteractionFailure where failure.reason != .otherStep {
            var page = pushPage(request, transaction)
            page.problem = failure.text()
            return request.show(page, for: transaction).retrying(after: failure)
        }
    }

    private func pushed(_ request: PageRequest, _ transaction: LoginTransaction, isSubmitted: Bool) async throws
        -> Response
    {
        switch try await phone.check(transaction) {
        case .decided(let answer): return request.answer(answer)
        case .waiting where !isSubmitted: return waiting(request, transaction)
        case .waiting:
            var page = pushPage(request, transaction)
            page.hasNotAnswered = true
            return request.show(page, for: transaction).refreshing(address(request, transaction, waiting: true))
        case .expired:
            var page = pushPage(request, transaction)
            page.problem = localized.secondFactor.expired
            page.resend = request.form(.push, state: transaction.id, [HiddenField(Self.again, "1")])
            return request.show(page, for: transaction)
        }
    }

    private func waiting(_ request: PageRequest, _ transaction: LoginTransaction) -> Response {
        request.show(pushPage(request, transaction), for: transaction)
            .refreshing(address(request, transaction, waiting: true))
    }

    private func pushPage(_ request: PageRequest, _ transaction: LoginTransaction) -> MultiFactorPushPage {
        MultiFactorPushPage(
            form: request.form(.push, state: transaction.id), number: transaction.pushNumber?.description,
            isNumberPicked: transaction.isPushNumberPicked,
            useCode: HostedPath.code.serves(transaction) ? request.url(.code, state: transaction.id) : nil,
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
            account: request.account(transaction))
    }

    // MARK: neither

    @Sendable func none(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .noFactor) { transaction in
            request.show(
                NoFactorPage(
                    form: request.form(.noFactor, state: transaction.id), client: transaction.client.name,
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
            guard request.http.method == .get, let waits = request.parameters[PageRequest.wait].flatMap({ Int($0) })
            else {
                return try await enrollPage(request, transaction, isSubmitted: false)
            }
            let goesOn = try await firstDevice.awaitDevice(transaction) && waits < PageRequest.waitLimit
            return request.redirect(to: enrollAddress(request, transaction, waits: goesOn ? waits + 1 : nil))
        }
    }

    private func enrollAddress(_ request: PageRequest, _ transaction: LoginTransaction, waits: Int?) -> String {
        request.url(
            .enrollDevice, state: transaction.id, waits.map { [(PageRequest.wait, String($0))] } ?? []
        ).text
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
        page.problem = isSubmitted ? localized.enrollment.notAdded : nil
        return request.show(page, for: transaction).refreshing(enrollAddress(request, transaction, waits: 1))
    }
}
