import Localization
import OAuthWire
import Pages
import Primitives
import TestSupport
import Testing

@Suite("Single pages")
struct PageTests {
    private let samples = Samples()

    private func read(_ page: some Page) throws -> Markup.Element {
        try #require(try Markup.read(page.html(in: samples.frame)).all("main").first)
    }

    private func details(_ text: String) throws -> ConsentPage {
        ConsentPage(
            form: samples.form, client: "Agent", scopes: [], details: try AuthorizationDetails(parsing: text))
    }

    @Test("RFC 9396 2: every member of every object is shown, with its value as written")
    func authorizationDetails() throws {
        let main = try read(
            details(
                """
                [{"type":"payment_initiation","instructedAmount":{"currency":"EUR","amount":"123.50"},"rate":1.50,
                  "urgent":true,"creditor_accounts":[{"iban":"DE02"},{"iban":"FR76"}],"note":null},
                 {"type":"account"}]
                """))
        let cards = main.all("div").filter { $0["class"] == "detail-card" }
        #expect(cards.count == 2)
        let card = try #require(cards.first)
        #expect(
            card.texts == [
                "payment_initiation", "instructedAmount", "currency", "EUR", "amount", #""123.50""#, "rate", "1.50",
                "urgent", "yes", "creditor_accounts", "iban", "DE02", "iban", "FR76", "note", "none",
            ])
        #expect(cards.last?.texts == ["account"])
    }

    @Test(
        "A member's name is unchanged, so that no two names look alike",
        arguments: ["instructedAmount", "creditor_name", "max-uses", "IBAN", "Amount", "amount", "https://x.example/a"])
    func memberNames(name: String) throws {
        let page = ConsentPage(
            form: samples.form, client: "Agent", scopes: [],
            details: try AuthorizationDetails([.object(["type": "t", name: "v"])], limits: nil))
        #expect(try read(page).all("dt").map(\.text) == [name])
    }

    @Test("OIDC Core 11: offline access has its own sentence")
    func offlineAccess() throws {
        func notices(_ scopes: [String]) throws -> Int {
            let page = ConsentPage(form: samples.form, client: "Agent", scopes: scopes.map { .init($0) })
            return try read(page).all("p").count { $0["class"] == "notice" }
        }
        #expect(try notices(["openid"]) == 0)
        #expect(try notices(["openid", "offline_access"]) == 1)
    }

    @Test("A scope is shown by its description, else by our text, else by its name")
    func scopes() throws {
        let page = ConsentPage(
            form: samples.form, client: "Agent",
            scopes: [.init("read:x", description: "Read all x"), .init("email"), .init("write:x")])
        let list = try #require(try read(page).all("ul").first)
        #expect(list.all("li").map(\.text) == ["Read all x", "See your e-mail address", "write:x"])
    }

    @Test("Consent has two buttons in one form")
    func decision() throws {
        let form = try #require(try read(details("[{\"type\":\"a\"}]")).all("form").first)
        let buttons = form.all("button")
        #expect(buttons.map { $0["name"] } == [FieldName.decision, FieldName.decision])
        #expect(buttons.map { $0["value"] } == [FieldName.deny, FieldName.allow])
    }

    @Test("ISO/IEC 18004 6.3.8: the QR code is drawn module for module with a quiet zone of four")
    func drawing() throws {
        let page = EnrollDevicePage(
            .login(nil), form: samples.form,
            approver: .init("a", modules: [[true, true, false], [false, false, false], [true, false, true]]),
            otherApp: .init("otpauth://totp/x", modules: [[true]]), ticket: "t")
        let drawings = try read(page).all("svg")
        #expect(drawings.map { $0["viewBox"] } == ["0 0 11 11", "0 0 9 9"])
        #expect(
            drawings.map { $0.all("path").first?["d"] } == [
                "M4 4h2v1h-2zM4 6h1v1h-1zM6 6h1v1h-1z", "M4 4h1v1h-1z",
            ])
    }

    @Test("A QR code has at least 240 pixels, and four for each module", arguments: [(33, "240"), (77, "340")])
    func drawingSize(modules: Int, width: String) throws {
        let code = EnrollDevicePage.Code(
            "a", modules: Array(repeating: Array(repeating: true, count: modules), count: modules))
        let page = EnrollDevicePage(.login(nil), form: samples.form, approver: code, otherApp: code, ticket: "t")
        for drawing in try read(page).all("svg") {
            #expect(drawing["width"] == width && drawing["height"] == width)
        }
    }

    @Test("Pages at which nobody logs in have the tenant's name alone at their foot")
    func foot() throws {
        func foot(_ page: some Page) throws -> String {
            try #require(try Markup.read(page.html(in: samples.frame)).all("footer").first).text
        }
        #expect(try foot(PhoneAddedPage(phone: "Pixel")) == "Zoë 42")
        #expect(try foot(ApprovalEndedPage(.allowed, client: "Agent")) == "Zoë 42")
        #expect(try foot(LoginPage(form: samples.form, client: "App")) == "Log in to Zoë 42")
    }

    @Test("A person who has not scanned the code is told to, with the tenant's app if it has one")
    func notAdded() throws {
        func problem(_ app: EnrollDevicePage.App?) -> String {
            let code = EnrollDevicePage.Code("a", modules: [])
            return EnrollDevicePage(
                .login(nil), form: samples.form, approver: code, otherApp: code, ticket: "t", app: app
            ).notAdded[.english]
        }
        #expect(problem(nil).hasSuffix("Scan the code with the phone’s camera first."))
        #expect(problem(.init(name: "Bank\u{202E}")).hasSuffix("with \u{2068}Bank‹U+202E›\u{2069} first."))
    }

    @Test("The enrolment page links to the approver in another window, and to other apps with an otpauth address only")
    func enrolmentLink() throws {
        func links(_ approver: String, _ uri: String) throws -> [String] {
            let page = EnrollDevicePage(
                .login(nil), form: samples.form, approver: .init(approver, modules: []),
                otherApp: .init(uri, modules: []), ticket: "t")
            return try read(page).all("a").compactMap { link in link["href"].map { "\($0) \(link["target"] ?? "")" } }
        }
        let approver = "https://login.example/approver#enroll=x&account=a%40b"
        #expect(try links(approver, "otpauth://totp/x?y=z") == ["\(approver) _blank", "otpauth://totp/x?y=z "])
        #expect(try links("javascript:alert(1)", "javascript:alert(1)") == [])
        #expect(try links("otpauth://x", "https://evil.example") == [])
    }

    private func enrollment(_ app: EnrollDevicePage.App?) throws -> Markup.Element {
        try read(
            EnrollDevicePage(
                .link(account: "ann@example.org", tenant: "Example Bank"), form: samples.form,
                approver: .init("https://login.example/approver#enroll=x", modules: [[true]]),
                otherApp: .init("otpauth://totp/x", modules: [[true, true]]), ticket: Samples.ticket, app: app))
    }

    @Test("The page of a link names the account, and shows the code in groups whose gaps are no text")
    func enrolmentCode() throws {
        let main = try enrollment(nil)
        #expect(main.text.contains("to the account ann@example.org at Example Bank"))
        let codes = main.all("code").filter { $0["class"] == "groups" }
        #expect(codes.map(\.text) == [Samples.ticket, Samples.ticket])
        let groups = ["n2xq", "0DkT", "rCfM", "Z0OV", "nN3c", "J2Jw", "5Cw1", "yR8p"]
        #expect(codes.first?.all("span").map(\.text) == groups)
        #expect(main.text.contains("Or open https://login.example/approver on the phone"))
    }

    @Test("The tenant's app comes first, with its stores' hosts; without one the web app comes first")
    func enrolmentApp() throws {
        let link = try #require(PageURL("https://apps.example/1"))
        let main = try enrollment(
            .init(
                name: "Bank Approvals", icon: PageURL(Samples.logo), apple: (link, "apps.example"),
                google: (link, "play.example")))
        #expect(main.all("svg").map { $0["viewBox"] } == ["0 0 10 10", "0 0 9 9"])
        #expect(main.all("img").map { $0["src"] } == [Samples.logo])
        let stores = try #require(main.all("ul").first { $0["class"] == "stores" }).all("a")
        #expect(stores.map(\.text) == ["For iPhone, from apps.example", "For Android, from play.example"])
        #expect(stores.allSatisfy { $0["target"] == "_blank" })
        #expect(try enrollment(nil).all("svg").map { $0["viewBox"] } == ["0 0 9 9", "0 0 10 10"])
    }

    @Test("Form Post Response Mode 2: the answer's parameters, to the redirect URI")
    func formPost() throws {
        let redirect = try #require(PageURL("https://client.example/callback"))
        let fields = [HiddenField("code", "c"), HiddenField("state", "s"), HiddenField("iss", "https://i.example/")]
        let page = try #require(FormPostPage(action: redirect, fields: fields, assets: Samples.assets))
        let form = try #require(try read(page).all("form").first)
        #expect(form["action"] == "https://client.example/callback")
        #expect(form.all("input").map { HiddenField($0["name"] ?? "", $0["value"] ?? "") } == fields)
        #expect(form.all("button").allSatisfy { $0["name"] == nil })
        let app = try #require(PageURL("app:/cb", schemes: ["app"]))
        #expect(FormPostPage(action: app, fields: [], assets: Samples.assets) == nil)
    }

    @Test("The page that waits for the phone contains only the form's own fields")
    func push() throws {
        let main = try read(MultiFactorPushPage(form: samples.form))
        #expect(main.all("input").compactMap { $0["name"] } == [FieldName.csrf, FieldName.state])
    }
}
