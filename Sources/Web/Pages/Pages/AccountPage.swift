package import Localization
package import Primitives

/// A page of a person's own account: links to its sections, or a list of things with buttons, and forms.
package struct AccountPage: Page {
    package struct Field: Sendable, Equatable {
        package enum Kind: Sendable { case text, time, oldPassword, newPassword, recoveryCode }

        let name: String
        let label: LocalizedText
        let kind: Kind
        var input: FieldInput
        var hint: LocalizedText?

        package init(
            _ name: String, _ label: LocalizedText, _ kind: Kind, _ input: FieldInput = FieldInput(),
            hint: LocalizedText? = nil
        ) {
            self.name = name
            self.label = label
            self.kind = kind
            self.input = input
            self.hint = hint
        }
    }

    package struct Button: Sendable, Equatable {
        let words: Words
        let isPrimary: Bool
        let name: String?
        let value: String?

        package init(_ words: Words, isPrimary: Bool = true, name: String? = nil, value: String? = nil) {
            self.words = words
            self.isPrimary = isPrimary
            self.name = name
            self.value = value
        }
    }

    /// A thing in a list.
    package struct Item: Sendable {
        let title: Words
        let facts: [Words]
        let blocks: [Block]

        package init(_ title: Words, _ facts: [Words] = [], _ blocks: [Block] = []) {
            self.title = title
            self.facts = facts
            self.blocks = blocks
        }
    }

    package indirect enum Block: Sendable {
        case text(Words)
        /// The person whose account it is.
        case person(String)
        /// A small heading.
        case heading(LocalizedText)
        case links([(words: LocalizedText, url: PageURL)])
        case link(LocalizedText, PageURL, isPrimary: Bool)
        /// A quiet line that ends with a link.
        case aside(LocalizedText, LocalizedText, PageURL)
        case items([Item])
        /// `account` is for password managers.
        case form(PageForm, [Field], [Button], account: String?)
        /// Codes to write down.
        case codes([String])
        /// The contents of a request, as on the approval page.
        case request(RequestRecordShown)
    }

    package var title: LocalizedText
    package var lead: Words?
    package var blocks: [Block]
    /// Leads to the account's first page. Nil on that page, and on pages of a login.
    package var back: PageURL?
    package var problem: LocalizedText?

    package init(
        _ title: LocalizedText, lead: Words? = nil, _ blocks: [Block], back: PageURL?, problem: LocalizedText? = nil
    ) {
        self.title = title
        self.lead = lead
        self.blocks = blocks
        self.back = back
        self.problem = problem
    }

    package var problems: [Problem] {
        Components.problems(problem, Self.fields(blocks).map { ($0.name, $0.input.problem) })
    }

    private static func fields(_ blocks: [Block]) -> [Field] {
        blocks.flatMap { block -> [Field] in
            switch block {
            case .form(_, let fields, _, _): fields
            case .items(let items): items.flatMap { self.fields($0.blocks) }
            default: []
            }
        }
    }

    /// A change may have to be proven first, at another provider, too.
    package var formsLeadAway: Bool { true }
    package var isForLogin: Bool { false }

    package var content: HTML {
        HTML {
            if let lead { Components.lead(lead.node) }
            for block in blocks { Self.render(block) }
            if let back { Components.aside(localized.account.back, back) }
        }
    }

    private static func render(_ block: Block) -> [Node] {
        switch block {
        case .text(let words): [Tag.p { words.node }]
        case .person(let name):
            [Components.lead(Node.phrase(localized.account.loggedInAs, Tag.strong { Node.isolated(name) }))]
        case .heading(let words): [Tag.h2 { words }]
        case .links(let links):
            [
                Tag.ul(.classes("choices sections")) {
                    for link in links {
                        Tag.li { Components.buttonLink(link.url, .secondary) { link.words } }
                    }
                }
            ]
        case .link(let words, let url, let isPrimary):
            [Components.buttonLink(url, isPrimary ? .primary : .secondary) { words }]
        case .aside(let question, let words, let url): [Components.aside(after: question, words, url)]
        case .items(let items): items.map(item)
        case .form(let form, let fields, let buttons, let account): [self.form(form, fields, buttons, account)]
        case .codes(let codes):
            [
                Tag.ol(.classes("codes")) {
                    for code in codes { Tag.li { Tag.code { Node.text(code) } } }
                }
            ]
        case .request(let shown): shown.nodes
        }
    }

    private static func item(_ item: Item) -> Node {
        Tag.div(.classes("detail-card")) {
            Tag.h2 { item.title.node }
            for fact in item.facts { Tag.p(.classes("hint")) { fact.node } }
            for block in item.blocks { render(block) }
        }
    }

    private static func form(_ form: PageForm, _ fields: [Field], _ buttons: [Button], _ account: String?) -> Node {
        Components.form(form) {
            if let account { Components.accountName(account) }
            for field in fields { self.field(field) }
            for button in buttons {
                Tag.button(
                    .type(.submit), .classes("button \(button.isPrimary ? "primary" : "secondary")"),
                    button.name.map(Attribute.name), button.value.map(Attribute.value)
                ) { button.words.node }
            }
        }
    }

    private static func field(_ field: Field) -> Node {
        switch field.kind {
        case .text:
            Components.field(
                field.name, field.label, type: .text, .off, input: field.input, hint: field.hint)
        case .time:
            Components.field(field.name, field.label, type: .time, nil, input: field.input, hint: field.hint)
        case .oldPassword:
            Components.field(
                field.name, field.label, type: .password, .currentPassword, input: field.input, hint: field.hint)
        case .newPassword:
            Components.newPassword(
                field.label, name: field.name, rule: field.hint, problem: field.input.problem)
        case .recoveryCode:
            Components.field(
                field.name, field.label, type: .text, .off, input: field.input, hint: field.hint,
                attributes: Attribute.verbatim + [.maximumLength(40)])
        }
    }
}

/// The contents of a decided request, in its reader's language.
package struct RequestRecordShown: Sendable {
    let cards: DetailCards
    /// Empty if nothing counts more than the rest.
    let headline: HeadlineLines
    let message: String
    let scopes: [ShownScope]

    /// - Parameter language: Shows it in that language. Nil is the reader's.
    package init(
        message: String, scopes: [ShownScope], details: [JSONObject], presentation: [JSONObject],
        language: Language? = nil
    ) {
        cards = DetailCards(details: details, presentation: presentation, language: language)
        headline = HeadlineLines(details: details, presentation: presentation, language: language)
        self.message = message
        self.scopes = scopes
    }

    var nodes: [Node] {
        let list = Tag.ul(.classes("scopes")) { for scope in scopes { Tag.li { scope.words } } }
        let words = Tag.p(.classes("message")) { Node.isolated(message) }
        return (message.isEmpty ? [] : [words]) + (scopes.isEmpty ? [] : [list]) + [cards.html]
    }

    /// With the headline that pages of a decision have elsewhere.
    var whole: [Node] { (headline.isEmpty ? [] : [Tag.p { headline.html }]) + nodes }
}

/// Says that a path has no page, and leads on.
package struct AbsentPage: Page {
    package var links: [(words: LocalizedText, url: PageURL)]

    package init(links: [(words: LocalizedText, url: PageURL)]) { self.links = links }

    package var title: LocalizedText { localized.account.absent.title }
    package var status: Int { 404 }
    package var isForLogin: Bool { false }

    package var content: HTML {
        HTML {
            Components.lead(localized.account.absent.lead)
            for link in links { Components.buttonLink(link.url, .secondary) { link.words } }
        }
    }
}
