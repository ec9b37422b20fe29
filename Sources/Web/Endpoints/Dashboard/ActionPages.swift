import AuthorizationCore
import Flows
import HTTPModel
import JSONSchema
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// Pages of one change: the form, what the change would do with the same as commands, and the outcome. Nothing that was
/// typed is lost if the change is refused.
struct ActionPages: Sendable {
    private let action: DashboardAction
    private let visit: DashboardVisit
    private let form: SchemaForm

    private static let step = "step"
    private static let review = "review"
    private static let change = "change"
    private static let edit = "edit"
    /// Hash of the object as the form showed it first.
    private static let version = "version"

    init(_ action: DashboardAction, _ visit: DashboardVisit) {
        self.action = action
        self.visit = visit
        form = SchemaForm(
            action.form ?? visit.calls.body(of: action.operation), members: action.members(visit),
            withheld: visit.calls.withheld(in: action.operation))
    }

    private var texts: Localized<Texts.Dashboard.Frame> { localized.dashboard.frame }

    /// The object with its version, which tells an administrator of others' changes.
    private func current() async throws -> (object: JSONObject, version: String) {
        let object = try await object()
        let state = try await action.state(visit)
        if action.current == nil, state.isNull { return (object, "") }
        // Other members change without an administrator, such as the time of a user's last login.
        let shown = form.isEmpty ? JSONValue.object(object) : form.values(of: object)
        // A MAC, since the state may be guessed by somebody who may not read it.
        let text = JSONWriter.string([shown, state])
        return (object, visit.request.hosted.formTokens.token(binding: "", shown: text))
    }

    private func object() async throws -> JSONObject {
        guard let operation = action.current else { return [:] }
        // A removal needs no scope to read.
        if action.isFinal, !visit.calls.allows(operation) { return [:] }
        return try await visit.answer(operation, action.values(visit)).objectValue ?? [:]
    }

    // MARK: the form

    func show() async throws -> Response {
        if let refusal { throw refusal }
        let (current, version) = try await current()
        if form.isEmpty { return reviewPage(current, version) }
        return formPage(current, version, form.fields(from: current))
    }

    /// Refuses a person who lacks the scopes of the operation, or of all that the form would send. Nil for others.
    private var refusal: ManagementRefusal? {
        guard visit.calls.allows(action.operation) else {
            return ManagementRefusal(needing: visit.calls.needs(action.operation))
        }
        let fixed = action.fixed(visit).map { [$0.name] }
        let members = (action.members(visit) ?? []).map { $0.split(separator: ".").map(String.init) }
        let withheld = visit.calls.withheld(in: action.operation)
        guard let member = fixed.first(where: withheld.contains) ?? (form.isEmpty ? members.first : nil) else {
            return nil
        }
        return ManagementRefusal(needing: visit.calls.needs(action.operation, toSend: member))
    }

    private func formPage(
        _ current: JSONObject, _ version: String, _ fields: [DashboardField], problem: LocalizedText? = nil,
        _ more: [DashboardBlock] = []
    ) -> Response {
        var page = visit.page(
            action.title, lead: action.lead.map(Words.ours),
            more + [
                .form(
                    DashboardForm(
                        visit.form([HiddenField(Self.version, version)]), fields,
                        [AccountPage.Button(.ours(texts.goOn), name: Self.step, value: Self.review)]))
            ])
        page.problem = problem
        return visit.request.show(page, isRepeatable: false)
    }

    // MARK: the sent form

    /// - Parameter isRecent: False if the person has to prove themselves again first.
    func send(isRecent: Bool) async throws -> Response {
        if let refusal { throw refusal }
        let (current, version) = try await current()
        let read = form.read(visit.request.parameters, over: current)
        let isChanged = (visit.given(Self.version) ?? "") != version
        if isChanged, form.isEmpty { return reviewPage(current, version, problem: texts.changedMeanwhile) }
        if isChanged {
            return formPage(
                current, version, read.fields, problem: texts.changedMeanwhile,
                [.changes(form.changes(of: read.body, over: current))])
        }
        if !read.problems.isEmpty { return formPage(current, version, read.fields) }
        switch visit.request.parameters[Self.step] {
        case Self.change where isRecent: break
        case Self.change:
            return reviewPage(current, version, read.body, problem: texts.proveAgain, proves: true)
        case Self.edit: return formPage(current, version, read.fields)
        default: return reviewPage(current, version, read.body)
        }
        switch try await visit.useForm() {
        case .tooOld: return reviewPage(current, version, read.body, problem: texts.tooOld)
        case .sentBefore: return sentBefore()
        case .first: return try await perform(current, version, read)
        }
    }

    /// Leads to the object, which shows whether the first form changed it.
    private func sentBefore() -> Response {
        let section = visit.path.section ?? .users
        // A list shows what became of objects that were made or deleted, and of what a tenant has once.
        var object = visit.path.object.flatMap { [DashboardPath.new, SingletonSection.object].contains($0) ? nil : $0 }
        if case .list = action.outcome { object = nil }
        var page = visit.page(
            action.title, lead: .ours(texts.sentBefore),
            [.links([DashboardBlock.Link(.ours(texts.showObject), visit.url(section, object), isPrimary: true)])])
        page.failureStatus = 409
        return visit.request.show(page, isRepeatable: false)
    }

    private func request(_ body: JSONObject) -> ManagementRequest {
        let hasBody = visit.calls.body(of: action.operation) != nil
        var whole = action.fixed(visit)
        for (name, value) in action.compose(body) { whole[name] = value }
        return ManagementRequest(
            action.operation, action.values(visit), body: hasBody ? .object(whole) : nil)
    }

    private func perform(_ current: JSONObject, _ version: String, _ read: SchemaForm.Reading) async throws -> Response
    {
        let answer: JSONValue
        do {
            answer = try await visit.calls.answer(request(read.body))
        } catch let refusal as ManagementRefusal {
            let (fields, rest) = form.placing(refusal, in: read.fields)
            return formPage(
                current, version, fields, problem: rest.isEmpty ? nil : LocalizedText { _ in rest })
        }
        let section = visit.path.section ?? .users
        switch action.outcome {
        case .object: return leading(visit.url(section, visit.path.object, nil, Self.done))
        case .list: return leading(visit.url(section, nil, nil, Self.done))
        case .created(let member):
            return leading(visit.url(section, answer[member]?.stringValue, nil, Self.done))
        case .shown(let blocks):
            return visit.request.show(
                visit.page(action.title, [.notice(.ours(texts.done))] + blocks(answer, visit) + terminal(read.body)),
                isRepeatable: false)
        }
    }

    private func leading(_ url: PageURL) -> Response { visit.request.redirect(to: url.text) }

    private static let done = [(name: DashboardVisit.done, value: "1")]

    // MARK: the review

    private func reviewPage(
        _ current: JSONObject, _ version: String, _ body: JSONObject = [:], problem: LocalizedText? = nil,
        proves: Bool = false
    ) -> Response {
        let kept = form.kept(visit.request.parameters).map { HiddenField($0.name, $0.value) }
        var buttons = [AccountPage.Button(.ours(action.title), name: Self.step, value: Self.change)]
        if !form.isEmpty {
            buttons.append(
                AccountPage.Button(.ours(texts.backToForm), isPrimary: false, name: Self.step, value: Self.edit))
        }
        let changes = form.changes(of: body, over: current)
        var blocks: [DashboardBlock] = []
        if action.isFinal { blocks.append(.warning(.ours(texts.lasting))) }
        if proves {
            blocks.append(
                .links([DashboardBlock.Link(.ours(texts.prove), visit.url(.confirmation), isPrimary: true)]))
        }
        if !changes.isEmpty {
            blocks.append(.changes(changes))
            blocks += action.preview(body, current, visit)
        } else if !form.isEmpty {
            blocks.append(.text(.ours(texts.nothingChanges)))
        }
        blocks.append(
            .form(DashboardForm(visit.form([HiddenField(Self.version, version), visit.once()] + kept), [], buttons)))
        var page = visit.page(
            action.title, lead: action.lead.map(Words.ours), blocks + terminal(body))
        page.problem = problem
        return visit.request.show(page, isRepeatable: false, branding: branding(with: body))
    }

    /// A page that says what a change of the branding does wears it already.
    private func branding(with body: JSONObject) -> Pages.Branding? {
        guard visit.path.section == .branding else { return nil }
        guard let changed = body["branding"] else { return nil }
        var branding = Pages.Branding(visit.request.tenant)
        if let logo = changed["logo_url"] { branding.logo = logo.stringValue.flatMap { PageURL($0) } }
        if let colour = changed["primary_color"] {
            branding.colour =
                colour.stringValue.flatMap { Colour(hex: String($0.drop { $0 == "#" })) }
                ?? Pages.Branding.defaultColour
        }
        return branding
    }

    private func terminal(_ body: JSONObject) -> [DashboardBlock] {
        TerminalLines(visit).blocks(request(body), action, body)
    }
}

extension DashboardVisit {
    /// Parameter of a page that a change led to.
    static let done = "done"

    /// Says that a change was made.
    var doneNotice: [DashboardBlock] {
        given(Self.done) == nil ? [] : [.notice(.ours(localized.dashboard.frame.done))]
    }
}
