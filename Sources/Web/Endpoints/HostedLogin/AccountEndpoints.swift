import AuthorizationCore
import Flows
import HTTPModel
import Localization
import OAuthWire
import Pages
import Primitives

/// The pages of a person's own account. Reading needs the person's session; a change of what the person logs in with
/// needs a recent second factor, for which the login's own steps ask.
///
/// Each form names its person, because another may log in in the same browser meanwhile.
struct AccountEndpoints: Sendable {
    let hosted: HostedLogin
    var account: ReadAccount { hosted.flows.pages.account }
    var changes: ChangeAccount { hosted.flows.pages.changes }

    /// Handlers of each path. Nil means that a page has no form.
    func handlers(of path: AccountPath) -> (show: HostedPages.Handle, send: HostedPages.Handle?) {
        switch path {
        case .start: (start, nil)
        case .phones: (phones, nil)
        case .phone: (phone, sendPhone)
        case .lostPhones: (lostPhones, sendLostPhone)
        case .addPhone: (addPhone, sendAddPhone)
        case .passkeys: (passkeys, sendPasskeys)
        case .recoveryCodes: (recoveryCodes, sendRecoveryCodes)
        case .sessions: (sessions, sendSessions)
        case .applications: (applications, sendApplications)
        case .history: (history, nil)
        case .receipt: (receipt, nil)
        case .password: (password, sendPassword)
        case .preferences: (preferences, sendPreferences)
        case .export: (export, sendExport)
        case .deletion: (deletion, sendDeletion)
        }
    }

    // MARK: the visitor

    /// Names the person of a form.
    static let person = "person"
    /// Names the thing that a form changes.
    static let item = "item"

    /// Has the person log in first. `forChange` asks for a recent proof, too.
    func visited(
        _ request: PageRequest, _ path: AccountPath, forChange: Bool = false,
        _ body: (PageVisitor) async throws -> Response
    ) async throws -> Response {
        try await request.visited(.account(path, isForChange: forChange), body)
    }

    /// Handles a form: changes, and leads to `next` unless `body` returns a page. The form of another person, and one
    /// whose object is gone, change nothing.
    func sent(
        _ request: PageRequest, _ path: AccountPath, forChange: Bool = false, next: AccountPath? = nil,
        _ body: (PageVisitor) async throws -> Response?
    ) async throws -> Response {
        try await visited(request, path, forChange: forChange) { visitor in
            let isOwn = hosted.formTokens.accepts(
                request.parameters[Self.person], binding: request.browser.bindingCookie,
                shown: Self.subject(visitor))
            if isOwn {
                do {
                    if let response = try await body(visitor) { return response }
                } catch ChangeAccount.Failure.gone {
                    // Another tab or device changed it meanwhile.
                }
            }
            return request.redirect(to: request.url(next ?? path).text)
        }
    }

    private static func subject(_ visitor: PageVisitor) -> String { "account of \(visitor.user.id)" }

    func form(
        _ request: PageRequest, _ path: AccountPath, _ visitor: PageVisitor, item: String? = nil
    ) -> PageForm {
        let person = hosted.formTokens.token(binding: request.binding, shown: Self.subject(visitor))
        let item = item.map { [HiddenField(Self.item, $0)] } ?? []
        return request.form(path, [HiddenField(Self.person, person)] + item)
    }

    func show(
        _ request: PageRequest, _ title: LocalizedText, lead: LocalizedText? = nil, _ blocks: [AccountPage.Block],
        problem: LocalizedText? = nil, back: AccountPath? = .start
    ) -> Response {
        request.show(
            AccountPage(
                title, lead: lead.map { .ours($0) }, blocks, back: back.map { request.url($0) }, problem: problem))
    }

    /// A button alone in its form.
    func button(_ form: PageForm, _ words: LocalizedText, isPrimary: Bool = false) -> AccountPage.Block {
        .form(form, [], [AccountPage.Button(.ours(words), isPrimary: isPrimary)], account: nil)
    }

    static func date(_ time: Timestamp) -> String {
        let text = time.iso8601
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }

    // MARK: the start

    @Sendable private func start(_ request: PageRequest) async throws -> Response {
        try await visited(request, .start) { visitor in
            let texts = localized.account
            var links: [(words: LocalizedText, url: PageURL)] = [
                (texts.phones.title, request.url(.phones)), (localized.passkeys.title, request.url(.passkeys)),
                (texts.recovery.title, request.url(.recoveryCodes)), (texts.sessions.title, request.url(.sessions)),
                (texts.applications.title, request.url(.applications)), (texts.history.title, request.url(.history)),
            ]
            let hasPassword = try await changes.hasPassword(visitor, request.context)
            if hasPassword {
                links.append((texts.password.title, request.url(.password)))
            }
            links += [
                (texts.preferences.title, request.url(.preferences)), (texts.export.title, request.url(.export)),
            ]
            if request.tenant.settings.allowsAccountDeletion {
                links.append((texts.deletion.title, request.url(.deletion)))
            }
            var blocks: [AccountPage.Block] = [.person(visitor.user.accountName), .links(links)]
            if hasPassword, try await account.mayOfferPasskey(to: visitor, request.context) {
                blocks.insert(
                    .aside(localized.passkeys.offer, localized.passkeys.add, request.url(.passkeys)), at: 1)
            }
            return request.show(AccountPage(texts.title, lead: nil, blocks, back: nil))
        }
    }
}
