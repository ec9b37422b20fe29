import OAuthWire
import TestSupport
import Testing

@testable import Pages

@Suite("Every page: languages")
struct LanguageTests {
    /// All that a person can see or hear of a page, without what came from outside.
    private func words(_ root: Markup.Element, outside: Set<String>) -> [String] {
        let attributes = root.all.flatMap { element in
            ["alt", "aria-label", "title", "placeholder"].compactMap { element[$0] }
        }
        return (root.texts + attributes).filter { !outside.contains($0) && $0.contains(where: \.isLetter) }
    }

    @Test("No text of a French page is that of the English one, and no English word is left")
    func french() throws {
        var samples = Samples(outside: "§", problem: LocalizedText(en: "¶ not", fr: "¶ pas"))
        samples.rule = samples.problem
        let outside: Set<String> = [
            "§", "EUR", "x", "X", "Deep", "Instructed amount", "Amount", "Currency", "Creditor name", "Parts", "Empty",
            "Nothing", "otpauth://totp/a?b=c",
        ]
        let english: Set<String> = [
            "a", "access", "account", "address", "allow", "an", "and", "are", "as", "at", "back", "by", "can", "check",
            "close", "code",
            "continue", "deny", "enter", "error", "for", "forgot", "go", "have", "here", "if", "in", "instead", "is",
            "it", "log", "logged", "me", "name", "new", "not", "of", "or", "out", "password", "phone", "scan", "send",
            "sign", "that", "the", "this", "to", "up", "use", "we", "with", "you", "your",
        ]
        let both: Set<String> = ["a", "code", "continue"]
        let documents = try samples.documents()
        for pair in stride(from: 0, to: documents.count, by: 2) {
            let (name, _, root) = documents[pair + 1]
            let french = words(root, outside: outside)
            let common = Set(french).intersection(words(documents[pair].root, outside: outside))
            #expect(common.isEmpty, "\(name)")
            for text in french {
                let tokens = text.lowercased().split { !$0.isLetter }.map(String.init)
                #expect(english.subtracting(both).isDisjoint(with: tokens), "\(name): \(text)")
            }
        }
    }

    @Test("French has its own spaces before ? ! ; : and within guillemets, and curly apostrophes")
    func typography() throws {
        func typeset(_ text: String) -> String {
            Typography.typeset(LocalizedText(en: "Why ?", fr: text), in: .french)
        }
        #expect(typeset("Oublié ?") == "Oublié\u{202F}?")
        #expect(typeset("Non ! Si ; voilà : « oui »") == "Non\u{202F}! Si\u{202F}; voilà\u{A0}: «\u{A0}oui\u{A0}»")
        #expect(typeset("a?b=c:d") == "a?b=c:d")
        #expect(Typography.typeset(LocalizedText(en: "Why ?", fr: ""), in: .english) == "Why ?")
        for (name, _, root) in try Samples().documents() where name.hasSuffix(".fr") {
            for text in root.texts {
                for wrong in [" ?", " !", " ;", " :", "'"] { #expect(!text.contains(wrong), "\(name): \(text)") }
            }
        }
    }

    @Test("Another language is offered in its own name")
    func translations() throws {
        var frame = Samples().frame
        frame.translations = [PageFrame.Translation(.french, PageURL(path: "/u/login", query: [("ui_locales", "fr")]))]
        let root = try Markup.read(LoggedOutPage().html(in: frame))
        let link = try #require(root.all("nav").first?.all("a").first)
        #expect(link.text == "Français")
        #expect(link["lang"] == "fr" && link["hreflang"] == "fr" && link["href"] == "/u/login?ui_locales=fr")
    }
}
