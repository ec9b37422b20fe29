import HTTPModel
import Localization
import OAuthWire
import OpenSSLCrypto
@testable import Pages
import Primitives
import TestSupport
import Testing

@Suite("Answers with pages")
struct ResponseTests {
    private func directives(_ response: Response) -> [String: String] {
        let policy = response.fields["Content-Security-Policy"] ?? ""
        return policy.split(separator: ";").reduce(into: [:]) { result, part in
            let words = part.split(separator: " ")
            result[String(words[0])] = words.dropFirst().joined(separator: " ")
        }
    }

    @Test("RFC 9700 4.16 and CSP 3: the policy allows only what the page needs")
    func policy() throws {
        let samples = Samples()
        for (name, page) in try samples.pages() {
            let response = page.response(in: samples.frame)
            var expected = [
                "default-src": "'none'", "style-src": "'self'", "img-src": "'self'", "frame-ancestors": "'none'",
                "base-uri": "'none'",
            ]
            if !page.images.isEmpty { expected["img-src"] = "'self' https://logo.example" }
            if page.script != nil { expected["script-src"] = "'self'" }
            if page is WebMessagePage {
                let script = try #require(try Markup.read(page.html(in: samples.frame)).all("script").first)
                let hash = OpenSSLHashing().sha256(Array(script.text.utf8))
                expected["script-src"] = "'sha256-\(Base64.encode(hash))'"
                expected["frame-ancestors"] = "https://client.example"
            }
            if !page.formsLeadAway { expected["form-action"] = "'self'" }
            #expect(directives(response) == expected, "\(name)")
        }
    }

    @Test("Every page has form-action, except those whose form may end at a client")
    func formAction() throws {
        let leading = try Samples().pages().filter { $0.page.formsLeadAway }.map { "\(type(of: $0.page))" }
        #expect(
            Set(leading) == [
                "LoginPage", "SignUpPage", "SelectAccountPage", "MultiFactorPushPage", "MultiFactorCodePage",
                "EnrollDevicePage", "ConsentPage", "FormPostPage", "LogoutConfirmPage", "ResetPasswordPage",
                "VerifyEmailPage", "NoFactorPage", "PasskeysPage", "AccountPage", "ApprovalOtherAccountPage",
            ])
        let staying = try Samples().pages().filter { !$0.page.formsLeadAway }.map(\.name)
        #expect(staying.contains("forgot-password") && staying.contains("enroll-device-link"))
    }

    @Test("The policy names the logo's origin")
    func logoSource() throws {
        var frame = Samples().frame
        frame.branding.logo = PageURL("https://cdn.example/logo.svg")
        #expect(directives(Samples.loggedOut.response(in: frame))["img-src"] == "'self' https://cdn.example")
    }

    @Test("A logo with an address of another scheme is left out")
    func logoScheme() throws {
        var frame = Samples().frame
        frame.branding.logo = PageURL("app:/logo", schemes: ["app"])
        let response = Samples.loggedOut.response(in: frame)
        #expect(directives(response)["img-src"] == "'self'")
        #expect(try Markup.read(Samples.loggedOut.html(in: frame)).all("img").isEmpty)
    }

    @Test("WCAG 2.2, 1.1.1: a logo is beside the tenant's name in text, and is the page's icon")
    func logo() throws {
        var frame = Samples().frame
        frame.branding.logo = PageURL(path: "/logo.svg")
        let header = try #require(try Markup.read(Samples.loggedOut.html(in: frame)).all("header").first)
        #expect(header.all("img").first?["alt"] == "")
        #expect(header.text.contains(frame.branding.name))
        let links = try Markup.read(Samples.loggedOut.html(in: frame)).all("link")
        #expect(links.first { $0["rel"] == "icon" }?["href"] == "/logo.svg")
    }

    @Test("Help, privacy notice and terms are linked below the page in its language; without any, there is no list")
    func links() throws {
        var frame = Samples().frame
        func footer() throws -> Markup.Element {
            try #require(try Markup.read(Samples.loggedOut.html(in: frame)).all("footer").first)
        }
        #expect(try footer().all("nav").isEmpty)
        let url = try #require(PageURL("https://help.example/?a=1&b=2"))
        frame.links = PageFrame.Link.Kind.allCases.map { PageFrame.Link($0, url) }
        for language in Language.allCases {
            frame.language = language
            let texts = language.texts.frame
            let links = try footer().all("a")
            #expect(links.map(\.text) == [texts.help, texts.privacy, texts.terms])
            #expect(links.allSatisfy { $0["href"] == url.text })
        }
    }

    @Test("Security header fields of a page")
    func fields() {
        var frame = Samples().frame
        frame.language = .french
        let response = Samples.loggedOut.response(in: frame)
        #expect(response.status == 200)
        for (name, value) in [
            ("Content-Type", "text/html; charset=utf-8"), ("Content-Language", "fr"), ("Cache-Control", "no-store"),
            ("X-Frame-Options", "DENY"), ("Referrer-Policy", "same-origin"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
        ] {
            #expect(response.fields.values(of: name) == [value])
        }
        #expect(response.fields["Permissions-Policy"]?.contains("camera=()") == true)
        guard case .bytes(let bytes) = response.body else {
            Issue.record("no bytes")
            return
        }
        #expect(bytes == Samples.loggedOut.html(in: frame))
    }

    @Test("A page that holds an answer loads nothing from other hosts and sends no referrer")
    func answers() throws {
        var frame = Samples().frame
        frame.branding.logo = PageURL("https://cdn.example/logo.svg")
        for (name, page) in try Samples().pages() where page.holdsAnswer {
            let response = page.response(in: frame)
            #expect(response.fields["Referrer-Policy"] == "no-referrer", "\(name)")
            #expect(directives(response)["img-src"] == "'self'", "\(name)")
            let root = try Markup.read(page.html(in: frame))
            for element in root.all {
                for attribute in ["href", "src", "action"] {
                    #expect(element[attribute]?.contains("://") != true, "\(name)")
                }
            }
        }
        #expect(try Samples().pages().filter { $0.page.holdsAnswer }.map(\.name) == ["web-message", "app-callback"])
    }

    @Test("RFC 9700 4.16: only the origin that a page answers may frame it; other pages allow no frame")
    func frames() throws {
        let samples = Samples()
        for (name, page) in try samples.pages() {
            let isFramed = page is WebMessagePage
            let response = page.response(in: samples.frame)
            #expect(response.fields.values(of: "X-Frame-Options") == (isFramed ? [] : ["DENY"]), "\(name)")
        }
        for origin in ["http://[::1]:3000", "https://a;script-src", "app://x"] {
            let target = try #require(WebOrigin(registering: origin))
            let page = WebMessagePage(target: target, parameters: FormFields(), assets: Samples.assets)
            #expect(directives(page.response(in: samples.frame))["frame-ancestors"] == "'none'", "\(origin)")
        }
    }

    @Test("HTML 7.1.3: pages cut off the opening window unless it waits for an answer")
    func openers() throws {
        var frame = Samples().frame
        for (keeps, policy) in [(true, "unsafe-none"), (false, "same-origin")] {
            frame.keepsOpener = keeps
            for (name, page) in try Samples().pages() {
                let response = page.response(in: frame)
                #expect(response.fields.values(of: "Cross-Origin-Opener-Policy") == [policy], "\(name)")
            }
        }
    }

    @Test("RFC 9110 15: 200, 400 with a problem, or an error's own status")
    func status() {
        let frame = Samples().frame
        let problem = LocalizedText { _ in "x" }
        let page = LoginPage(form: nil, client: "App", problem: problem)
        #expect(page.response(in: frame).status == 400)
        let error = ErrorPage(status: 403, title: problem, explanation: problem, requestID: "r")
        #expect(error.response(in: frame).status == 403)
    }
}
