import AuthorizationCore
import Flows
import HTTPModel
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

extension ManagementRefusal {
    /// Names the sets of scopes of which a person needs one.
    init(needing sets: [[String]]) {
        self.init(403, sets.map { $0.joined(separator: " + ") }.joined(separator: ", "))
    }
}

/// One request of an administrator to a page of the dashboard.
struct DashboardVisit: Sendable {
    let request: PageRequest
    let path: DashboardPath
    let visitor: PageVisitor
    let calls: PersonalManagement

    /// Names the person of a form, because another may log in in the same browser meanwhile.
    private static let person = "person"

    private var subject: String { "dashboard of \(visitor.user.id)" }

    var isOwnForm: Bool {
        request.hosted.formTokens.accepts(
            request.parameters[Self.person], binding: request.browser.bindingCookie, shown: subject)
    }

    /// A value for the form of a change, which is done once however often the form is sent.
    func once() -> HiddenField {
        HiddenField(
            Self.onceName,
            request.hosted.formTokens.once(
                binding: request.binding, shown: onceSubject, request.hosted.flows.random, now: request.now))
    }

    enum FormUse { case first, sentBefore, tooOld }

    /// Uses the form's value up, on every node. Counts towards the person's limit, since each use is a row for an hour.
    func useForm() async throws -> FormUse {
        let use = request.hosted.formTokens.use(
            of: request.parameters[Self.onceName], binding: request.browser.bindingCookie, shown: onceSubject,
            now: request.now)
        guard let use else { return .tooOld }
        try calls.count()
        let isFirst = try await request.hosted.flows.oneTimeValues.use(
            use.hash, tenant: request.tenant.id, until: use.end)
        return isFirst ? .first : .sentBefore
    }

    private static let onceName = "once"
    private var onceSubject: String { "\(subject) at \(path.rawValue)" }

    /// A parameter of the address or of the form. Nil if it is absent or empty.
    func given(_ name: String) -> String? {
        request.parameters[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    // MARK: operations

    func answer(_ operation: String, _ values: [String] = [], query: [(String, String)] = []) async throws -> JSONValue
    {
        let query = query.map { ManagementRequest.Pair($0.0, $0.1) }
        return try await calls.answer(ManagementRequest(operation, values, query: query))
    }

    /// Nil if the person's scopes do not allow the operation.
    func ifAllowed(
        _ operation: String, _ values: [String] = [], query: [(String, String)] = []
    ) async throws -> JSONValue? {
        guard calls.allows(operation) else { return nil }
        return try await answer(operation, values, query: query)
    }

    // MARK: addresses and forms

    func url(_ path: DashboardPath, _ query: [(name: String, value: String)] = []) -> PageURL {
        let locales = request.chosenLocales.map { [(name: "ui_locales", value: $0)] } ?? []
        return PageURL(encodedPath: path.path, query: query + locales)
    }

    func url(
        _ section: DashboardPath.Section, _ object: String? = nil, _ part: String? = nil,
        _ query: [(name: String, value: String)] = []
    ) -> PageURL { url(DashboardPath(section, object, part), query) }

    /// A form that is sent to this page.
    func form(_ hidden: [HiddenField] = []) -> PageForm {
        let person = request.hosted.formTokens.token(binding: request.binding, shown: subject)
        let locales = request.chosenLocales.map { [HiddenField("ui_locales", $0)] } ?? []
        return PageForm(
            action: PageURL(encodedPath: path.path),
            csrf: request.hosted.formTokens.token(binding: request.binding),
            hidden: [HiddenField(Self.person, person)] + hidden + locales)
    }

    // MARK: pages

    func page(
        _ title: LocalizedText, name: String? = nil, lead: Words? = nil, _ blocks: [DashboardBlock]
    ) -> DashboardPage {
        var page = DashboardPage(
            title, name: name, lead: lead, blocks, navigation: navigation,
            script: request.hosted.assets.dashboardScript)
        page.trail = trail
        return page
    }

    func show(
        _ title: LocalizedText, name: String? = nil, lead: Words? = nil, _ blocks: [DashboardBlock]
    ) -> Response { request.show(page(title, name: name, lead: lead, blocks)) }

    /// The section of an object's page, and the object of a part's.
    private var trail: [(words: Words, url: PageURL)] {
        guard let section = path.section, let object = path.object else { return [] }
        let list = (words: Words.ours(DashboardSections.title(of: section)), url: url(section))
        guard path.part != nil else { return [list] }
        return [list, (words: .theirs(object), url: url(section, object))]
    }

    private var navigation: DashboardPage.Navigation {
        DashboardPage.Navigation(
            start: url(DashboardPath()),
            groups: DashboardSections.groups.compactMap { group in
                let links = group.sections.filter { DashboardSections.isShown($0, calls) }.map { section in
                    DashboardPage.Navigation.Link(
                        DashboardSections.title(of: section), url(section), isCurrent: section == path.section)
                }
                return links.isEmpty ? nil : (group.title, links)
            },
            person: visitor.user.accountName, logOut: nil)
    }

    /// For a person without any scope of the API.
    func refused() -> Response {
        var page = page(
            localized.dashboard.frame.title, lead: .ours(localized.dashboard.frame.noScopes),
            [.facts([DashboardBlock.Fact(.ours(localized.dashboard.frame.you), [.id(visitor.user.id.rawValue)])])])
        page.failureStatus = 403
        return request.show(page)
    }

    /// A refusal of an operation of a page without a form. A form shows it beside its fields.
    func page(for refusal: ManagementRefusal) -> Response {
        let texts = localized.dashboard.frame
        let lead: LocalizedText =
            switch refusal.status {
            case 403: texts.forbidden
            case 404: texts.gone
            default: texts.refused
            }
        var page = page(texts.didNotWork, lead: .ours(lead), [.text(.theirs(refusal.message))])
        page.failureStatus = refusal.status
        return request.show(page)
    }
}
