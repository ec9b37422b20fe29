import Flows
import HTTPModel
import Localization
import OAuthWire
import Pages

/// Recovery codes within a login: a code instead of a lost phone, and the offer after a first phone.
struct RecoveryCodeEndpoints: Sendable {
    let pages: HostedPages
    private var factor: RecoveryCodeFactor { pages.hosted.flows.login.recoveryCodes }
    private var changes: ChangeAccount { pages.hosted.flows.pages.changes }

    // MARK: a code

    @Sendable func code(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .recoveryCode) { transaction in
            request.show(page(request, transaction), for: transaction)
        }
    }

    /// After a right code, the person first replaces the lost phone. The login waits meanwhile.
    @Sendable func sendCode(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .recoveryCode) { transaction in
            do {
                let answer = try await factor.logIn(transaction, code: request.parameters[FieldName.code] ?? "")
                var response = request.answer(answer)
                if case .interact(let paused) = answer.next {
                    response.fields.set(
                        "Location", request.url(AccountPath.lostPhones, [(FieldName.state, paused.id)]).text)
                }
                return response
            } catch let failure as InteractionFailure where failure.reason != .otherStep {
                return request.show(page(request, transaction, failure), for: transaction).retrying(after: failure)
            }
        }
    }

    private func page(
        _ request: PageRequest, _ transaction: LoginTransaction, _ failure: InteractionFailure? = nil
    ) -> AccountPage {
        let texts = localized.account.recovery
        let back = HostedPath(transaction.step)
        return AccountPage(
            texts.enter, lead: .ours(texts.enterLead),
            [
                .form(
                    request.form(.recoveryCode, state: transaction.id),
                    [
                        AccountPage.Field(
                            FieldName.code, texts.field, .recoveryCode,
                            FieldInput(problem: failure?.text(.wrongCode)))
                    ], [AccountPage.Button(.ours(localized.form.continue))], account: nil)
            ]
                + (back == .recoveryCode
                    ? []
                    : [
                        .link(
                            localized.account.phones.notLost, request.url(back, state: transaction.id), isPrimary: false
                        )
                    ]),
            back: nil, problem: failure?.text(but: .wrongCode))
    }

    // MARK: the offer

    @Sendable func offer(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .offerRecoveryCodes) { transaction in
            let texts = localized.account.recovery
            let form = request.form(.offerRecoveryCodes, state: transaction.id)
            return request.show(
                AccountPage(
                    texts.offer, lead: .ours(texts.offerLead),
                    [
                        .form(
                            form, [],
                            [
                                AccountPage.Button(.ours(texts.make)),
                                AccountPage.Button(.ours(texts.later), isPrimary: false, name: Self.later, value: "1"),
                            ], account: nil)
                    ], back: nil), for: transaction)
        }
    }

    private static let later = "later"

    @Sendable func sendOffer(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .offerRecoveryCodes) { transaction in
            let transactions = pages.hosted.flows.login.transactions
            guard request.parameters[Self.later] == nil else {
                return request.answer(try await transactions.endOffer(transaction, pausing: false))
            }
            let visitor = try transactions.visitor(transaction)
            // The account's page asks for a new proof first.
            guard visitor.isRecent else { return request.redirect(to: request.url(.recoveryCodes).text) }
            let codes = try await changes.makeRecoveryCodes(by: visitor, request.context)
            _ = try await transactions.endOffer(transaction, pausing: true)
            return AccountEndpoints.codesPage(request, codes, next: request.url(.logIn, state: transaction.id))
        }
    }
}
