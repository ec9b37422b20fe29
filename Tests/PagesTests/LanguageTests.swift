import Localization
import TestSupport
import Testing

@testable import Pages

@Suite("Every page: languages")
struct LanguageTests {
    /// All visible or audible text of a page, without untrusted text.
    private func words(_ root: Markup.Element, outside: Set<String>) -> [String] {
        let attributes = root.all.flatMap { element in
            ["alt", "aria-label", "title", "placeholder"].compactMap { element[$0] }
        }
        return (root.texts + attributes).filter { !outside.contains($0) && $0.contains(where: \.isLetter) }
    }

    /// English words that the language shares.
    private static let shared: [String: Set<String>] = [
        "fr": ["a", "code", "continue"], "de": ["an", "code", "in", "name"],
    ]

    /// Texts of these words alone are the same in the language.
    private static let sharedTexts: [String: Set<String>] = ["de": ["Passkeys", "Passkey", "Name", "Problem"]]

    @Test(
        "No text equals the English one, and no English word is left",
        arguments: Language.allCases.filter { $0 != .english })
    func translated(language: Language) throws {
        let samples = Samples(
            outside: "§", problem: LocalizedText { "¶ \($0.rawValue)" }, rule: localized.password.isCommon)
        let outside: Set<String> = [
            "§", "EUR", "x", "X", "deep", "instructedAmount", "amount", "currency", "creditorName", "creditor_name",
            "parts", "empty", "payee", "value",
            "nothing", "otpauth://totp/a?b=c", Samples.approver, "€12.50", "iban", "note",
            "DE89 3704 0044 0532 0130 00", "https://login.example/approver", "n2xq", "0DkT", "rCfM", "Z0OV", "nN3c",
            "J2Jw",
            "5Cw1", "yR8p", "ABCD-EFGH",
        ]
        let english: Set<String> = [
            "a", "access", "account", "address", "allow", "an", "and", "are", "as", "at", "back", "by", "can", "check",
            "close", "code",
            "continue", "deny", "enter", "error", "for", "forgot", "go", "have", "here", "if", "in", "instead", "is",
            "it", "log", "logged", "me", "name", "new", "not", "of", "or", "out", "password", "phone", "scan", "send",
            "sign", "that", "the", "this", "to", "up", "use", "we", "with", "you", "your",
        ]
        let foreign = english.subtracting(Self.shared[language.rawValue] ?? [])
        let originals = try samples.documents(in: .english)
        for (document, original) in zip(try samples.documents(in: language), originals) {
            let same = Self.sharedTexts[language.rawValue] ?? []
            let texts = words(document.root, outside: outside).filter { text in
                !text.split { !$0.isLetter }.allSatisfy { same.contains(String($0)) }
            }
            #expect(Set(texts).isDisjoint(with: words(original.root, outside: outside)), "\(document.name)")
            for text in texts {
                let tokens = text.lowercased().split { !$0.isLetter }.map(String.init)
                #expect(foreign.isDisjoint(with: tokens), "\(document.name): \(text)")
            }
        }
    }

    @Test("Pages are typeset: French ones have no plain space before ? ! ; : and no straight apostrophe")
    func typography() throws {
        for (name, _, root) in try Samples().documents(in: .french) {
            for text in root.texts {
                for wrong in [" ?", " !", " ;", " :", "'"] { #expect(!text.contains(wrong), "\(name): \(text)") }
            }
        }
    }

    @Test("Other languages are offered by their own names")
    func translations() throws {
        var frame = Samples().frame
        frame.translations = Language.allCases.map { language in
            .init(language, PageURL(path: "/u/login", query: [("ui_locales", language.rawValue)]))
        }
        let root = try Markup.read(Samples.loggedOut.html(in: frame))
        let links = try #require(root.all("nav").first).all("a")
        #expect(links.map(\.text) == ["English", "Français", "Deutsch"])
        for (link, language) in zip(links, Language.allCases) {
            let tag = language.rawValue
            #expect(link["lang"] == tag && link["hreflang"] == tag && link["href"] == "/u/login?ui_locales=\(tag)")
        }
    }
}
