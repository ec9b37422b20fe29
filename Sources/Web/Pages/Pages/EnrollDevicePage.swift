package import Localization
import Primitives

/// Enrols a phone for approvals: by the web app, which any phone's camera opens, or by the tenant's app, if it has one.
/// Other apps scan a code of their own.
package struct EnrollDevicePage: Page {
    /// A QR code's content, and its modules: row by row, true for dark, without the quiet zone.
    package struct Code: Sendable {
        package let text: String
        package let modules: [[Bool]]

        package init(_ text: String, modules: [[Bool]]) {
            self.text = text
            self.modules = modules
        }
    }

    /// The tenant's app, which scans the code for other apps.
    package struct App: Sendable {
        /// A store's page and its host.
        package typealias Store = (link: PageURL, host: String)

        let name: String
        let icon: PageURL?
        let apple: Store?
        let google: Store?

        package init(name: String, icon: PageURL? = nil, apple: Store? = nil, google: Store? = nil) {
            self.name = name
            self.icon = icon
            self.apple = apple
            self.google = google
        }
    }

    package enum Origin: Sendable {
        /// A login, which waits for the phone.
        case login(AccountInUse?)
        /// An operator's link. `account` nil means that the user has neither an address nor a name.
        case link(account: String?, tenant: String)
    }

    package var origin: Origin
    /// Continues once the phone is enrolled.
    package var form: PageForm
    /// The link that enrols the browser which opens it.
    package var approver: Code
    /// An `otpauth` URI for other apps.
    package var otherApp: Code
    /// The ticket, which both codes have.
    package var ticket: String
    package var app: App?
    /// False if newer pages took this one's place, so that it does not go on by itself.
    package var isWaiting: Bool
    package var problem: LocalizedText?

    package init(
        _ origin: Origin, form: PageForm, approver: Code, otherApp: Code, ticket: String, app: App? = nil,
        isWaiting: Bool = true, problem: LocalizedText? = nil
    ) {
        self.origin = origin
        self.form = form
        self.approver = approver
        self.otherApp = otherApp
        self.ticket = ticket
        self.app = app
        self.isWaiting = isWaiting
        self.problem = problem
    }

    package var title: LocalizedText { localized.enrollment.title }
    package var isForLogin: Bool { false }

    package var formsLeadAway: Bool {
        switch origin {
        case .login: true
        case .link: false
        }
    }

    package var problems: [Problem] { Components.problems(problem) }

    /// The problem of a person who says that the code was scanned before a phone was added.
    package var notAdded: LocalizedText {
        app.map { localized.enrollment.notAddedByApp(Node.isolatedText($0.name)) } ?? localized.enrollment.notAdded
    }

    package var images: [PageURL] { app?.icon.map { [$0] } ?? [] }

    package var content: HTML {
        HTML {
            if case .link(let account?, let tenant) = origin {
                Components.lead(
                    Node.phrase(localized.enrollment.account, Tag.strong { Node.isolated(account) }, .isolated(tenant)))
            }
            Components.lead(localized.enrollment.lead)
            if let app {
                way(app.introduction, appCode)
                otherWay(localized.enrollment.cannotScan, appTexts)
                otherWay(localized.enrollment.inBrowser, [way(browserSteps, browserCode)] + browserTexts)
            } else {
                way(browserSteps, browserCode)
                otherWay(localized.enrollment.cannotScan, browserTexts)
                let steps = [Tag.p(.classes("camera")) { localized.enrollment.scanOther }]
                otherWay(localized.enrollment.otherApp, [way(steps, appCode)] + appTexts)
            }
            Tag.p(.classes("hint")) { isWaiting ? localized.enrollment.waiting : localized.enrollment.displaced }
            Components.form(form) { Components.submit(localized.enrollment.scanned, .secondary) }
            if case .login(let account) = origin { Components.account(account) }
        }
    }

    /// One way to add a phone. On a phone, the stylesheet shows the link before the code, and not the steps for a
    /// camera.
    private func way(_ steps: [Node], _ code: [Node]) -> Node {
        Tag.div(.classes("way")) {
            steps
            Tag.p(.classes("elsewhere")) { localized.enrollment.elsewhere }
            code
        }
    }

    private func otherWay(_ summary: LocalizedText, _ content: [Node]) -> Node {
        Tag.details {
            Tag.summary { summary }
            content
        }
    }

    // MARK: the web app

    private var browserSteps: [Node] {
        [
            Tag.ol(.classes("steps camera")) {
                Tag.li { localized.enrollment.open }
                Tag.li { localized.enrollment.scan }
            }
        ]
    }

    @HTMLBuilder
    private var browserCode: [Node] {
        Tag.div(.classes("code")) { approver.drawing(localized.enrollment.picture) }
        if let link = PageURL(approver.text), link.isWeb {
            Tag.p(.classes("aside")) {
                localized.enrollment.onPhone
                Node.text(" ")
                // The page stays, because it tells when the phone has been added.
                Tag.a(.href(link), .inNewWindow) { localized.enrollment.openApprover }
            }
        }
    }

    @HTMLBuilder
    private var browserTexts: [Node] {
        Tag.p { localized.enrollment.copy }
        Tag.p { Tag.code { Node.text(approver.text) } }
        Tag.p {
            Node.phrase(localized.enrollment.type, Tag.code { Node.text(String(approver.text.prefix { $0 != "#" })) })
        }
        Tag.p { typedCode }
    }

    // MARK: another app

    @HTMLBuilder
    private var appCode: [Node] {
        Tag.div(.classes("code")) { otherApp.drawing(localized.enrollment.pictureOther) }
        if let link = PageURL(otherApp.text, schemes: ["otpauth"]), !link.isWeb {
            Components.aside(after: localized.enrollment.onPhone, localized.enrollment.openOther, link)
        }
    }

    @HTMLBuilder
    private var appTexts: [Node] {
        Tag.p { localized.enrollment.copyOther }
        Tag.p { Tag.code { Node.text(otherApp.text) } }
        Tag.p { localized.enrollment.typeOther }
        Tag.p { typedCode }
    }

    /// The ticket in groups of four to read and type. The gaps are no text, so that a copy has none.
    private var typedCode: Node {
        Tag.code(.classes("groups")) {
            for start in stride(from: 0, to: ticket.count, by: 4) {
                Tag.span { Node.text(String(ticket.dropFirst(start).prefix(4))) }
            }
        }
    }
}

extension EnrollDevicePage.App {
    @HTMLBuilder
    fileprivate var introduction: [Node] {
        Tag.p(.classes("app")) {
            if let icon { Tag.img(.classes("icon"), .src(icon), .alt(""), .width(48), .height(48)) }
            Tag.strong { Node.isolated(name) }
        }
        Tag.ol(.classes("steps")) {
            Tag.li {
                Node.phrase(localized.enrollment.install, .isolated(name))
                if apple != nil || google != nil {
                    Tag.ul(.classes("stores")) {
                        if let apple { store(apple, localized.enrollment.forApple) }
                        if let google { store(google, localized.enrollment.forGoogle) }
                    }
                }
            }
            Tag.li(.classes("camera")) { Node.phrase(localized.enrollment.scanWithApp, .isolated(name)) }
        }
    }

    private func store(_ store: Store, _ words: Localized<@Sendable (Place) -> Phrase>) -> Node {
        Tag.li { Tag.a(.href(store.link), .inNewWindow) { Node.phrase(words, .isolated(store.host)) } }
    }
}

/// Confirms that a phone was added by this page's link.
package struct PhoneAddedPage: Page {
    package let phone: String

    package init(phone: String) { self.phone = phone }

    package var title: LocalizedText { localized.enrollment.added }
    package var isForLogin: Bool { false }

    package var sign: HTML { HTML { Components.sign(.done) } }

    package var content: HTML {
        HTML {
            Components.lead(
                Node.phrase(localized.enrollment.addedLead, Tag.strong { Node.isolated(phone) }))
        }
    }
}

extension EnrollDevicePage.Code {
    /// Least width, and least width of a module, at which cameras read the code from a screen.
    private static let (width, moduleWidth) = (240, 4)

    /// Black on white in both colour modes, as scanners require, with a quiet zone of four modules (ISO/IEC 18004
    /// 6.3.8).
    func drawing(_ label: LocalizedText) -> Node {
        let quiet = 4
        let side = max(modules.count, modules.map(\.count).max() ?? 0) + 2 * quiet
        var runs: [Attribute.SquarePath] = []
        for (row, modules) in modules.enumerated() {
            var column = 0
            while column < modules.count {
                let length = modules[column...].prefix { $0 }.count
                if length > 0 {
                    runs.append(Attribute.SquarePath(column: column + quiet, row: row + quiet, length: length))
                }
                column += max(length, 1)
            }
        }
        let width = max(Self.width, side * Self.moduleWidth)
        return Tag.svg(
            .role(.img), .label(label), .viewBox(side: side), .width(width), .height(width), .crispEdges
        ) {
            Tag.rect(.width(side), .height(side), .fill(.white))
            Tag.path(.outline(runs), .fill(.black))
        }
    }
}
