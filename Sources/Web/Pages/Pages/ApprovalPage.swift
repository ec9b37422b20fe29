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
    package var answering: Answering
    /// The name of the person who is logged in.
    package var user: String
    /// The web app, which answers with this browser's key if it has one.
    package var approver: PageURL?

    package init(
        asker: Asker, api: String, message: String, scopes: [ShownScope], details: [JSONObject] = [],
        presentation: [JSONObject] = [], timeLeft: Int, answering: Answering, user: String, approver: PageURL?
    ) {
        self.asker = asker
        self.api = api
        self.message = message
        self.scopes = scopes
        self.details = details
        self.presentation = presentation
        self.timeLeft = timeLeft
        self.answering = answering
        self.user = user
        self.approver = approver
    }

    package var title: LocalizedText { localized.approval.title }
    package var isForLogin: Bool { false }

    package var heading: HTML { HTML { Node.phrase(localized.approval.heading, .isolated(asker.name)) } }

    package var images: [PageURL] { asker.logo.map { [$0] } ?? [] }

    package var sign: HTML {
        HTML {
            if let logo = asker.logo { Tag.img(.classes("logo"), .src(logo), .alt("")) }
        }
    }

    package var content: HTML {
        HTML {
            if let isFirstParty = asker.isFirstParty {
                Components.lead(
                    Node.phrase(
                        isFirstParty ? localized.approval.ours : localized.approval.foreign, .isolated(asker.tenant)))
            }
            Tag.p(.classes("message")) { Node.isolated(message) }
            Tag.p { Node.phrase(localized.approval.api, Tag.strong { Node.isolated(api) }) }
            requested
            Tag.p(.classes("hint")) { localized.approval.timeLeft(timeLeft) }
            answers
            Tag.p(.classes("who")) { Node.phrase(localized.logout.loggedInAs, .isolated(user)) }
        }
    }

    @HTMLBuilder
    private var requested: [Node] {
        let listed = scopes.filter { !$0.isOffline }
        if !listed.isEmpty {
            Tag.h2 { localized.consent.able }
            Tag.ul(.classes("scopes")) {
                for scope in listed { Tag.li { scope.words } }
            }
        }
        if !details.isEmpty {
            Tag.h2 { localized.consent.inDetail }
            DetailCards(details: details, presentation: presentation).html
        }
        if scopes.contains(where: \.isOffline) {
            Tag.p(.classes("notice")) { localized.consent.offline }
        }
    }

    @HTMLBuilder
    private var answers: [Node] {
        switch answering {
        case .here(let form):
            Components.form(form) {
                Tag.div(.classes("decision")) {
                    reject
                    Components.submit(localized.consent.allow, name: FieldName.decision, value: FieldName.allow)
                }
            }
            rejection(form)
            withKey
        case .byNumber(let form, let numbers):
            Components.form(form) {
                Tag.p { localized.approval.pick }
                Tag.div(.classes("numbers")) {
                    for number in numbers {
                        Tag.button(
                            .type(.submit), .classes("button secondary"), .name(FieldName.pick), .value(number)
                        ) { Node.text(number) }
                    }
                }
                reject
            }
            rejection(form)
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

    /// A form of its own, so that the Enter key in its field rejects.
    private func rejection(_ form: PageForm) -> Node {
        Tag.details {
            Tag.summary { localized.approval.giveReason }
            Components.form(form) {
                Components.field(
                    FieldName.reason, localized.approval.reason, type: .text, .off, input: FieldInput(),
                    isOptional: true)
                reject
                Components.submit(
                    localized.approval.report, .secondary, name: FieldName.decision, value: FieldName.report)
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

/// Tells that the request needs no answer any more.
package struct ApprovalEndedPage: Page {
    package enum Ending: Sendable, CaseIterable { case allowed, rejected, withdrawn, expired }

    package let ending: Ending

    package init(_ ending: Ending) { self.ending = ending }

    package var title: LocalizedText {
        switch ending {
        case .allowed: localized.approval.allowed
        case .rejected: localized.approval.rejected
        case .withdrawn: localized.approval.withdrawn
        case .expired: localized.approval.expired
        }
    }

    package var isForLogin: Bool { false }

    package var sign: HTML { HTML { if ending == .allowed { Components.sign(.done) } } }

    package var content: HTML {
        HTML {
            Components.lead(ending == .allowed ? localized.approval.allowedLead : localized.approval.endedLead)
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
