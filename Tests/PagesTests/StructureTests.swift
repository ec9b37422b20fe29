import OAuthWire
import TestSupport
import Testing

@testable import Pages

@Suite("Every page: structure and accessibility")
struct StructureTests {
    let documents: [(name: String, page: any Page, root: Markup.Element)]

    init() throws { documents = try Samples().documents() }

    @Test("HTML 4.1.1: a language, a title, a viewport that can be zoomed, one stylesheet")
    func head() {
        for (name, _, root) in documents {
            #expect(root["lang"] == String(name.suffix(2)))
            #expect(root.all("title").map(\.text).allSatisfy { $0.hasSuffix("– Zoë 42") }, "\(name)")
            #expect(root.all("title").count == 1)
            #expect(root.all("link").compactMap { $0["rel"] } == ["stylesheet"])
            let viewport = root.all("meta").first { $0["name"] == "viewport" }
            #expect(viewport?["content"] == "width=device-width, initial-scale=1")
        }
    }

    @Test("WCAG 2.2, 1.3.1: each landmark once, one h1 and no level skipped")
    func landmarks() {
        for (name, _, root) in documents {
            for landmark in ["header", "main", "footer", "h1"] {
                #expect(root.all(landmark).count == 1, "\(name): \(landmark)")
            }
            #expect(root.all("main").first?.all("h1").first?.text.isEmpty == false)
            #expect(root.all.first { ["h1", "h2"].contains($0.name) }?.name == "h1")
        }
    }

    @Test("WCAG 2.2, 2.4.1: the first link skips to the content, or to the problem if there is one")
    func skipLink() throws {
        for (name, page, root) in documents {
            let first = try #require(root.all("a").first)
            #expect(first["href"] == (page.problems.isEmpty ? "#main" : "#problems"), "\(name)")
        }
    }

    @Test("HTML 3.2.6: ids are unique, and every referenced id exists")
    func ids() {
        for (name, _, root) in documents {
            let ids = root.all.compactMap { $0["id"] }
            #expect(Set(ids).count == ids.count, "\(name)")
            for element in root.all {
                var named = [element["for"]].compactMap(\.self)
                named += (element["aria-describedby"] ?? "").split(separator: " ").map(String.init)
                if let href = element["href"], href.hasPrefix("#") { named.append(String(href.dropFirst())) }
                for id in named { #expect(ids.contains(id), "\(name): \(id)") }
            }
        }
    }

    @Test("WCAG 2.2, 3.3.2: every visible field has a label and a purpose")
    func labels() {
        for (name, _, root) in documents {
            for input in root.all("input") where input["type"] != "hidden" && input["hidden"] == nil {
                let labels = root.all("label").filter { $0["for"] == input["id"] }
                #expect(labels.count == 1 && labels.first?.text.isEmpty == false, "\(name)")
                // HTML 4.10.18.7.1: no browser fills in a time.
                #expect(input["autocomplete"] != nil || input["type"] == "time", "\(name)")
                #expect(input["name"] != nil, "\(name)")
                if input["type"] == "password" { #expect(input["value"] == nil, "\(name)") }
            }
        }
    }

    @Test("WCAG 2.2, 3.3.1: a problem is in the title, above the form and at its field")
    func problems() throws {
        for (name, page, root) in documents {
            let alerts = root.shown.filter { $0["role"] == "alert" }
            #expect(alerts.count == (page.problems.isEmpty ? 0 : 1), "\(name)")
            let invalid = root.all("input").filter { $0["aria-invalid"] == "true" }
            #expect(invalid.compactMap { $0["id"] } == page.problems.compactMap(\.field), "\(name)")
            for field in invalid {
                #expect(field["aria-describedby"]?.hasSuffix("-problem") == true)
            }
            guard !page.problems.isEmpty else { continue }
            let alert = try #require(alerts.first)
            #expect(alert["id"] == "problems" && alert["tabindex"] == "-1")
            #expect(alert.all("li").count == page.problems.count)
            #expect(page.status == 400)
            #expect(root.all("title").first?.text.hasPrefix("Probl") == true)
        }
    }

    @Test("RFC 9700 4.7: every form uses POST and has the token, except the one sent to the client")
    func forms() {
        for (name, page, root) in documents {
            let forms = root.all("form")
            for form in forms {
                #expect(form["method"] == "post" && form["action"] != nil, "\(name)")
                #expect(!form.all("button").isEmpty)
                let tokens = form.all("input").filter { $0["name"] == FieldName.csrf && $0["type"] == "hidden" }
                #expect(tokens.map { $0["value"] } == (page is FormPostPage ? [] : ["cZoë 42"]), "\(name)")
            }
            #expect(root.all("input").count == forms.flatMap { $0.all("input") }.count)
            // A script shows the others, which may send its form.
            #expect(root.shown.allSatisfy { $0.name != "button" || $0["type"] == "submit" }, "\(name)")
        }
    }

    @Test("CSP 3: no style or event handler; pages load a script of this server or have a constant inline one")
    func inline() {
        for (name, page, root) in documents {
            #expect(root.all("style").isEmpty)
            #expect(root.all("script").count == (page.script != nil || page is WebMessagePage ? 1 : 0), "\(name)")
            for script in root.all("script") {
                if page is WebMessagePage {
                    #expect(script.text == String(decoding: PackageResources.web_message_js, as: UTF8.self))
                    #expect(script.attributes.map(\.name) == ["data-target", "data-response"])
                } else {
                    #expect(script["src"] == page.script?.path)
                    #expect(script.children.isEmpty)
                }
            }
            for element in root.all {
                for (attribute, _) in element.attributes {
                    #expect(attribute != "style" && !attribute.hasPrefix("on"), "\(name): \(attribute)")
                }
            }
        }
    }

    @Test("WCAG 2.2, 1.1.1: every picture has a text alternative")
    func pictures() {
        for (name, _, root) in documents {
            for picture in root.all("img") where !["logo", "icon"].contains(picture["class"]) {
                #expect(picture["alt"]?.isEmpty == false, "\(name)")
            }
            for picture in root.all("svg") {
                #expect(picture["role"] == "img" && picture["aria-label"]?.isEmpty == false, "\(name)")
            }
        }
    }

    @Test("HTML 4.10.18.7: fields have autocomplete names for password managers and phones")
    func autocomplete() throws {
        func tokens(_ name: String) throws -> [String] {
            let document = try #require(documents.first { $0.name == "\(name).en" })
            return document.root.all("input").compactMap { $0["autocomplete"] }
        }
        #expect(try tokens("login") == ["username webauthn", "current-password"])
        #expect(try tokens("sign-up") == ["email", "name", "new-password"])
        #expect(try tokens("reset-password") == ["username", "new-password", "new-password"])
        #expect(try tokens("multi-factor-code") == ["one-time-code"])
    }
}
