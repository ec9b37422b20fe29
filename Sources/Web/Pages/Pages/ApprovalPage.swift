import ApprovalWire
package import Localization
package import Primitives

/// Shows a request for the person's approval as a phone does, and takes the answer if this browser may give it.
package struct ApprovalPage: Page {
    /// Application that asks.
    package struct Asker: Sendable, Equatable {
        let name: String
        let logo: PageURL?
        /// True if it belongs to the tenant. Nil shows nothing about that.
        let isFirstParty: Bool?
        /// Name of the tenant.
        let tenant: String

        package init(name: String, logo: PageURL?, isFirstParty: Bool?, tenant: String) {
            self.name = name
            self.logo = logo.flatMap { $0.isWeb ? $0 : nil }
            self.isFirstParty = isFirstParty
            self.tenant = tenant
        }
    }

    /// Way in which the person answers.
    package enum Answering: Sendable, Equatable {
        /// With ``FieldName/decision``: ``FieldName/allow`` or ``FieldName/deny``.
        case here(PageForm)
        /// Instead of an allow, with one of the numbers as ``FieldName/pick``.
        case byNumber(PageForm, [String])
        /// Instead of an allow, with the number that the person types as ``FieldName/pick``.
        case byTypedNumber(PageForm)
        /// With the key of a device.
        case onPhone
    }

    package var asker: Asker
    package var api: String
    package var message: String
    package var scopes: [ShownScope]
    package var details: [JSONObject]
    /// The record's `presentation`: a node for each detail, or nothing.
    package var presentation: [JSONObject]
    /// Whole seconds until the request expires.
    package var timeLeft: Int
    /// Shown to browsers without scripts. Nil shows the seconds alone.
    package var expiresAt: Timestamp?
    package var answering: Answering
    /// The name of the person who is logged in.
    package var user: String
    /// The web app, which answers with this browser's key if it has one.
    package var approver: PageURL?
    /// True after a form that allowed a long request without saying that it was read.
    package var isUnread = false
    /// ``Assets/approvalScript``. Nil makes a page without a script.
    package let script: Asset?

    package init(
        asker: Asker, api: String, message: String, scopes: [ShownScope], details: [JSONObject] = [],
        presentation: [JSONObject] = [], timeLeft: Int, expiresAt: Timestamp? = nil, answering: Answering,
        user: String, approver: PageURL?, assets: Assets? = nil
    ) {
        self.asker = asker
        self.api = api
        self.message = message
        self.scopes = scopes
        self.details = details
        self.presentation = presentation
        self.timeLeft = timeLeft
        self.expiresAt = expiresAt
        self.answering = answering
        self.user = user
        self.approver = approver
        script = assets?.approvalScript
    }

    package var title: LocalizedText { localized.approval.title }
    package var isForLogin: Bool { false }

    package var problems: [Problem] { isUnread ? Components.problems(nil, [(FieldName.read, notRead)]) : [] }

    private var notRead: LocalizedText { localized.card.notRead }

    private var headline: HeadlineLines { HeadlineLines(details: details, presentation: presentation) }

    private var asks: Node { Node.phrase(localized.approval.heading, .isolated(asker.name)) }

    /// Headline, or else the client with what it wants: never the client's own words.
    package var heading: HTML { headline.isEmpty ? HTML { asks } : HTML { headline.html } }

    package var images: [PageURL] { asker.logo.map { [$0] } ?? [] }

    package var sign: HTML {
        HTML {
            if let logo = asker.logo { Tag.img(.classes("logo"), .src(logo), .alt("")) }
            if !headline.isEmpty { Tag.p(.classes("asks")) { asks } }
        }
    }

    package var content: HTML {
        HTML {
            quotation
            if let isFirstParty = asker.isFirstParty {
                Components.lead(
                    Node.phrase(
                        isFirstParty ? localized.approval.ours : localized.approval.foreign, .isolated(asker.tenant)))
            }
            Tag.p { Node.phrase(localized.approval.api, Tag.strong { Node.isolated(api) }) }
            requested
            clock
            answers
            Tag.p(.classes("who")) { Node.phrase(localized.logout.loggedInAs, .isolated(user)) }
        }
    }

    /// The client's own words, visibly somebody's.
    private var quotation: Node {
        Tag.figure(.classes("says")) {
            Tag.figcaption { Node.phrase(localized.card.says, .isolated(asker.name)) }
            Tag.blockquote { Node.read(message) }
        }
    }

    private var clock: Node {
        Tag.p(.classes("hint"), .role(.timer)) {
            Node.phrase(localized.card.timeLeft, Tag.span(.left(timeLeft)) { localized.approval.span(timeLeft) })
            Tag.span(.classes("until")) {
                if let expiresAt {
                    LocalizedText { language in
                        let moment = Timestamp(seconds: expiresAt.seconds)
                        let time = PresentedValue.Content.time(moment).text(in: language) ?? moment.iso8601
                        return language.texts.card.until(time)
                    }
                }
            }
        }
    }

    @HTMLBuilder
    private var requested: [Node] {
        let listed = scopes.filter { !$0.isOffline }
        if !listed.isEmpty {
            Tag.h2 { localized.consent.able }
            Tag.ul(.classes("scopes")) {
                for scope in listed { Tag.li(.part) { scope.words } }
            }
        }
        if !details.isEmpty {
            Tag.h2 { localized.consent.inDetail }
            DetailCards(details: details, presentation: presentation).html
        }
        if scopes.contains(where: \.isOffline) {
            Tag.p(.classes("notice"), .part) { localized.consent.offline }
        }
    }

    /// Parts of a request that a person looks over without scrolling far.
    private static let shortParts = 10

    /// True if a person without scripts has to say that they have read it.
    package func isLong(in language: Language) -> Bool { parts(in: language) > Self.shortParts }

    private func parts(in language: Language) -> Int {
        heading.nodes.parts(in: language) + quotation.parts(in: language) + requested.parts(in: language)
    }

    /// Stands before the answers that allow. A script takes the place of the check box, which other browsers show.
    private var reading: Node {
        .translated(
            Localized { language in
                let count = parts(in: language)
                let box = count > Self.shortParts ? [confirmation(count)] : []
                let rest = Tag.div(.classes("unread"), .unseen) {
                    Tag.p { Node.phrase(localized.card.unread, Tag.span { Node.text(String(count)) }) }
                    Tag.button(.type(.button), .classes("button secondary")) { localized.card.nextPart }
                }
                return box + [rest]
            })
    }

    private func confirmation(_ count: Int) -> Node {
        let problem = "\(FieldName.read)-problem"
        return Tag.div(.classes(isUnread ? "read wrong" : "read")) {
            Tag.input(
                .type(.checkbox), .id(FieldName.read), .name(FieldName.read), .value(FieldName.all), .required,
                .autocomplete(.off), isUnread ? .invalid : nil, .describedBy(isUnread ? [problem] : []))
            Tag.label(.for(FieldName.read)) { localized.card.readAll(count) }
            if isUnread { Tag.p(.id(problem), .classes("problem")) { notRead } }
        }
    }

    /// The button names what it allows.
    private var allow: Node {
        Tag.button(
            .type(.submit), .classes("button primary"), .name(FieldName.decision), .value(FieldName.allow), .allows
        ) {
            Node.translated(
                Localized { [details, presentation] language in
                    let shown = RequestPresentation(
                        details: details, presentation: presentation, language: language.rawValue)
                    guard let action = shown.action(in: language) else { return [.words(localized.consent.allow)] }
                    return [.phrase(localized.card.allow, .isolated(action))]
                })
        }
    }

    @HTMLBuilder
    private var answers: [Node] {
        switch answering {
        case .here(let form):
            Components.form(form) {
                reading
                Tag.div(.classes("decision")) {
                    reject
                    allow
                }
            }
            refusals(form)
            withKey
        case .byNumber(let form, let numbers):
            Components.form(form) {
                reading
                Tag.p { localized.approval.pick }
                Tag.div(.classes("numbers")) {
                    for number in numbers {
                        Tag.button(
                            .type(.submit), .classes("button secondary"), .name(FieldName.pick), .value(number),
                            .allows
                        ) { Node.text(number) }
                    }
                }
                reject
            }
            refusals(form)
            withKey
        case .byTypedNumber(let form):
            Components.form(form) {
                reading
                Tag.p { localized.approval.type }
                Components.number(FieldName.pick, localized.approval.typeField)
                allow
            }
            // A form of its own, so that an empty field does not keep the person from rejecting.
            Components.form(form) { reject }
            refusals(form)
            withKey
        case .onPhone:
            Tag.p(.classes("notice")) { localized.approval.onPhone }
            if let approver {
                Components.buttonLink(approver, .secondary) { localized.approval.withKey }
            }
        }
    }

    private var reject: Node {
        Components.submit(localized.approval.reject, .secondary, name: FieldName.decision, value: FieldName.deny)
    }

    /// Forms of their own, so that the Enter key in the field rejects.
    @HTMLBuilder
    private func refusals(_ form: PageForm) -> [Node] {
        Components.form(form) {
            Components.submit(localized.approval.report, .secondary, name: FieldName.decision, value: FieldName.report)
        }
        Tag.details {
            Tag.summary { localized.approval.giveReason }
            Components.form(form) {
                Components.field(
                    FieldName.reason, localized.approval.reason, type: .text, .off, input: FieldInput(),
                    isOptional: true)
                reject
            }
        }
    }

    @HTMLBuilder
    private var withKey: [Node] {
        if let approver {
            Components.aside(after: localized.approval.hasKey, localized.approval.withKey, approver)
        }
    }
}

/// Says no more than that this account has no such request: neither the application nor whether there is one.
package struct ApprovalOtherAccountPage: Page {
    /// Logs in anew. The field ``FieldName/account`` is ``FieldName/another``.
    package var form: PageForm
    /// The name of the person who is logged in.
    package var user: String

    package init(form: PageForm, user: String) {
        self.form = form
        self.user = user
    }

    package var title: LocalizedText { localized.approval.otherAccount }
    package var status: Int { 404 }
    package var formsLeadAway: Bool { true }
    package var isForLogin: Bool { false }

    package var content: HTML {
        HTML {
            Components.lead(Node.phrase(localized.logout.loggedInAs, Tag.strong { Node.isolated(user) }))
            Tag.p { localized.approval.otherAccountLead }
            Components.form(form) { Components.submit(localized.form.anotherAccount) }
        }
    }
}
