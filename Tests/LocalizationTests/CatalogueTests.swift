import Foundation
import Localization
import Testing

/// A language's files as their source: function types cannot be read by reflection.
private struct Source {
    struct Member {
        let name, value: String
    }

    let name: String
    let members: [Member]

    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Formats/Localization/Languages").standardizedFileURL

    /// The files of every language, in the order of ``Language/allCases``. A further file of a language has its name
    /// before a `+`.
    static func all() throws -> [(language: Language, source: Source)] {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }
        let further = files.filter { $0.lastPathComponent.contains("+") }
        let sources = try files.filter { !further.contains($0) }.map { file in
            let name = file.deletingPathExtension().lastPathComponent
            return try Source(file, further.filter { $0.lastPathComponent.hasPrefix("\(name)+") })
        }
        #expect(sources.count == Language.allCases.count, "Language.allCases lists every language of Languages/")
        return try Language.allCases.map { language in
            (language, try #require(sources.first { $0.name == language.rawValue }))
        }
    }

    private init(_ url: URL, _ further: [URL]) throws {
        let text = try ([url] + further).map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let head = try #require(try #/Language\(\s*"([a-z]+)"/#.firstMatch(in: text))
        name = String(head.1)
        let start = try #require(text.range(of: "// MARK: pages")).upperBound
        let member = #/\n +([a-zA-Z]+|`continue`):\s+/#
        let matches = text[start...].matches(of: member)
        members = matches.enumerated().map { index, match in
            let end = index + 1 < matches.count ? matches[index + 1].range.lowerBound : text.endIndex
            return Member(name: String(match.1), value: String(text[match.range.upperBound..<end]))
        }
    }
}

extension Source.Member {
    /// The text in quotes, without the places, spaces and signs.
    var letters: String {
        value.replacing(#/\\\([^()]*(\([^()]*\))?\)/#, with: "").matches(of: #/"([^"\n]+)"/#)
            .map { String($0.1) }.joined().filter(\.isLetter)
    }

    /// The parameters of the closure that the member is, and whether its text has each.
    var parameters: [(name: String, isUsed: Bool)] {
        guard value.hasPrefix("{") else { return [] }
        if let named = value.prefixMatch(of: #/\{ ([a-zA-Z, ]+) in\b/#) {
            let words = Set(value[named.range.upperBound...].split { !$0.isLetter })
            return named.1.split(separator: ", ").map { (String($0), words.contains($0)) }
        }
        let used = Set(value.matches(of: #/\$([0-9])/#).compactMap { Int($0.1) })
        return (0...(used.max() ?? 0)).map { ("$\($0)", used.contains($0)) }
    }
}

@Suite("The catalogue of texts")
struct CatalogueTests {
    /// Texts that are the same as in English because that is what the language says.
    private static let shared: [String: Set<String>] = [
        "fr": [
            "client", "title", "sessions", "application", "scopes", "clients", "email", "api", "applications",
            "service", "configuration",
        ],
        "de": [
            "titleWithProblem", "client", "server", "title", "name", "numbered", "removedWithPassword", "apis", "email",
            "scopes", "api", "passkeys", "person", "browser", "refreshToken", "clients", "push",
            "withPython", "withTypeScript", "inMail", "authenticator", "authenticators",
        ],
    ]

    @Test("No text of a language is the English one by accident, and every language has the same texts")
    func translated() throws {
        let sources = try Source.all()
        let english = try #require(sources.first).source
        #expect(english.members.count > 200)
        for (language, source) in sources.dropFirst() {
            #expect(source.members.map(\.name) == english.members.map(\.name))
            let same = zip(source.members, english.members).filter { one, other in
                !one.letters.isEmpty && one.letters.lowercased() == other.letters.lowercased()
            }
            #expect(Set(same.map(\.0.name)) == Self.shared[language.rawValue] ?? [], "\(language.name)")
        }
    }

    @Test("No text loses a placeholder")
    func placeholders() throws {
        for (language, source) in try Source.all() {
            #expect(source.members.count { !$0.parameters.isEmpty } > 40)
            for member in source.members {
                for parameter in member.parameters {
                    #expect(parameter.isUsed, "\(language.name): \(parameter.name) of \(member.name)")
                }
            }
        }
    }

    @Test("A text has no straight apostrophe, no space at an end and no double space", arguments: Language.allCases)
    func typography(language: Language) throws {
        let source = try #require(try Source.all().first { $0.language == language }).source
        for member in source.members {
            #expect(!member.value.contains(" \"\n") || member.value.contains("+ \""), "\(member.name)")
            for literal in member.value.matches(of: #/"([^"\n]+)"/#).map(\.1) {
                #expect(!literal.contains("'") && !literal.contains("  "), "\(literal)")
            }
        }
    }

    @Test("A mail names the tenant in its subject and has its link", arguments: Language.allCases)
    func mails(language: Language) {
        let mail = language.texts.mail
        for compose in [mail.passwordReset, mail.signedUp, mail.newPassword, mail.addressToConfirm] {
            let message = compose("Example Shop", "https://id.example/x")
            #expect(message.subject.hasPrefix("Example Shop") && message.text.contains("Example Shop"))
            #expect(message.text.contains("\n\nhttps://id.example/x\n\n"))
        }
        for account in [nil, "ann@example.org"] {
            let message = mail.phoneToEnroll("Example Shop", account, "https://id.example/x", 172_800)
            #expect(message.subject.hasPrefix("Example Shop") && message.text.contains("Example Shop"))
            #expect(message.text.contains("\n\nhttps://id.example/x\n\n") && message.text.contains("2 "))
            #expect(message.text.contains(account ?? "Example Shop"))
        }
        for compose in [mail.passwordBlocked, mail.codeBlocked] {
            let one = compose("Example Shop", "192.0.2.1", false, "https://id.example/r")
            let all = compose("Example Shop", "192.0.2.1", true, "https://id.example/r")
            #expect(one.subject.hasPrefix("Example Shop") && one.text != all.text)
            #expect(one.text.contains("192.0.2.1") && one.text.contains("https://id.example/r"))
        }
        let removed = mail.accessRemoved("Example Shop", "- \(mail.removedPhone("Pixel"))")
        #expect(removed.text.contains("Pixel\n") && removed.subject.hasPrefix("Example Shop"))
        #expect(mail.removedIdentity("Provider").hasSuffix("Provider"))
    }

    @Test("Standard scopes have words of their own, and other scopes none", arguments: Language.allCases)
    func scopes(language: Language) {
        let scopes = language.texts.consent.scopes
        #expect(scopes["email"] == scopes.email && scopes["given_name"] == scopes.givenName)
        #expect(scopes["pay:send"] == nil && !Texts.Consent.Scopes.has("pay:send"))
        #expect(Texts.Consent.Scopes.has("openid"))
    }

    @Test("CIBA Core 7.1: the message on the phone is one that every device shows", arguments: Language.allCases)
    func message(language: Language) {
        let texts = language.texts.secondFactor
        #expect(texts.message(42).hasSuffix("42"))
        #expect(!texts.messageToMatch.contains { $0.isNumber })
        for message in [texts.message(42), texts.messageToMatch] {
            #expect(message.utf8.count <= 64)
            #expect(message.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ":. ".contains($0)) })
        }
    }

    @Test("The answers to a question are told apart by their first word", arguments: Language.allCases)
    func answers(language: Language) throws {
        let phone = language.texts.phone
        let (yes, no) = (try #require(phone.yes.first), try #require(phone.no.first))
        #expect(Set(phone.yes).isDisjoint(with: phone.no))
        #expect(phone.advice.contains(yes) && phone.advice.contains(no))
        #expect(
            Set([phone.status("1m", 0), phone.status("1m", 1), phone.status("1m", 2), phone.status(nil, 1)]).count == 4)
    }
}

@Suite("The choice of a language")
struct LanguageTests {
    @Test(
        "OIDC Core 3.1.2.1 and RFC 9110 12.5.4: ui_locales count before Accept-Language, best first",
        arguments: [
            (nil, nil, "en"), ("de", nil, "de"), ("nl de-AT fr", "fr", "de"), ("nl", "fr-CA, en;q=0.5", "fr"),
            (nil, "en;q=0.5, de;q=0.8", "de"), (nil, "de;q=0, fr;q=0.1", "fr"), (nil, "DE", "de"), (nil, "xx", "en"),
            (nil, "deu, dex", "en"),
        ])
    func preferred(uiLocales: String?, acceptLanguage: String?, expected: String) {
        #expect(Language.preferred(uiLocales: uiLocales, acceptLanguage: acceptLanguage).rawValue == expected)
    }

    @Test("Every language is found by its tag, and its tags and names are its own")
    func tags() {
        for language in Language.allCases {
            #expect(Language(rawValue: language.rawValue) == language)
            #expect(Language(tag: "\(language.rawValue.uppercased())-XX") == language)
            #expect(Language(tag: "\(language.rawValue)_XX.UTF-8") == language)
        }
        #expect(Set(Language.allCases.map(\.rawValue)).count == Language.allCases.count)
        #expect(Set(Language.allCases.map(\.name)).count == Language.allCases.count)
        #expect(Language(rawValue: "xx") == nil)
        #expect(Language(tag: "") == nil)
    }

    @Test("Texts are equal if they are in every language")
    func equality() {
        #expect(localized.form.logIn == localized.form.logIn)
        #expect(localized.form.logIn != localized.form.signUp)
        #expect(localized.login.forgotPassword == localized.password.forgotten)
    }

    @Test("French has its own spaces before ? ! ; : and within guillemets")
    func french() {
        #expect(Language.french.typeset("Oublié ?") == "Oublié\u{202F}?")
        #expect(
            Language.french.typeset("Non ! Si ; voilà : « oui »")
                == "Non\u{202F}! Si\u{202F}; voilà\u{A0}: «\u{A0}oui\u{A0}»")
        #expect(Language.french.typeset("a?b=c:d") == "a?b=c:d")
        #expect(Language.english.typeset("Why ?") == "Why ?")
    }
}
