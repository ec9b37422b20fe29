import Localization
import Pages
import TestSupport
import Testing

@Suite("Every page: untrusted text stays text")
struct EscapingTests {
    static let attacks = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' autofocus onfocus='alert(1)",
        "javascript:alert(1)",
        "</title></textarea><svg/onload=alert(1)>", "<!--", "]]>", "&lt;b&gt;&#x3c;", "{0} {1} {2",
        "a\u{0}b\u{1B}[31m\r\nc",
        "\u{202E}evil\u{2066}", "\\\"\\u003cscript",
    ]

    @Test("The markup is the same for any untrusted text", arguments: attacks)
    func markup(text: String) throws {
        /// Elements with the names of their attributes. Values may differ, the structure may not.
        func skeleton(_ root: Markup.Element) -> [String] {
            root.all.map { element in
                "\(element.name) " + element.attributes.map(\.name).filter { $0 != "value" }.joined(separator: " ")
            }
        }
        let problem = LocalizedText { _ in text }
        let hostile = Samples(outside: text, problem: problem, rule: problem)
        var plain = Samples()
        // A blank or odd name of a scope or member has the same elements as any other.
        plain.outside = "x y"
        for (page, model) in zip(try hostile.documents(), try plain.documents()) {
            #expect(skeleton(page.root) == skeleton(model.root), "\(page.name)")
        }
    }

    @Test("Untrusted text is shown unchanged, except characters that cannot be seen", arguments: attacks)
    func shown(text: String) throws {
        let unseen = ["\u{0}": "0000", "\u{1B}": "001B", "\r": "000D", "\u{202E}": "202E", "\u{2066}": "2066"]
        let expected = text.unicodeScalars.map { scalar in
            unseen[String(scalar)].map { "‹U+\($0)›" } ?? String(scalar)
        }.joined()
        let unchanged = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.value < 0x20 && !"\r\n\t".unicodeScalars.contains($0) ? "\u{FFFD}" : $0 }))
        for (name, _, root) in try Samples(outside: text).documents() where !expected.isEmpty {
            // Every page names the tenant.
            #expect(root.all("footer").first?.text.contains(expected) == true, "\(name)")
            for field in root.all("input") where field["name"] == FieldName.state {
                #expect(field["value"] == unchanged, "\(name)")
            }
        }
    }

    @Test("Addresses lead only to this server, http or https with any untrusted text", arguments: attacks)
    func addresses(text: String) throws {
        for (name, page, root) in try Samples(outside: text).documents() {
            for element in root.all {
                for attribute in ["href", "src", "action"] {
                    guard let value = element[attribute] else { continue }
                    let isOurs = value.hasPrefix("/") && !value.hasPrefix("//") || value.hasPrefix("#")
                    let isKnown =
                        [Samples.approver, Samples.logo, Samples.store, "otpauth://totp/a?b=c"].contains(value)
                        || page is FormPostPage && value.hasPrefix("https://")
                    #expect(isOurs || isKnown, "\(name): \(value)")
                    #expect(value.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "\(name): \(value)")
                }
            }
        }
    }

    @Test("Untrusted right-to-left text does not change the direction of ours")
    func directions() throws {
        let name = "\u{202E}evil"
        for (page, _, root) in try Samples(outside: name).documents() {
            let main = try #require(root.all("main").first)
            let isolated = main.all.filter { ["bdi", "code", "input", "button", "span"].contains($0.name) }
            let count = main.texts.count { $0.contains(name) }
            #expect(isolated.filter { $0.texts.contains(name) && $0.name != "button" }.count >= count, "\(page)")
        }
    }
}
