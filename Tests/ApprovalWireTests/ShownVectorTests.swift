import ApprovalWire
import AuthorizationCore
import Flows
import Localization
import OpenSSLCrypto
import Pages
import Primitives
import Terminal
import TestSupport
import Testing

/// Layouts differ: a page has lists, a terminal has columns, a mail has one line for each value after the names around
/// it. Their texts and order do not. Phones and the web app lay the same lines out by themselves.
@Suite("The page, the mail and the terminal show the lines of the vectors")
struct ShownVectorTests {
    typealias Vector = PresentationVectorTests.Vector

    /// Pages and mails have a language, not a region of one.
    static var vectors: [Vector] {
        get throws { try PresentationVectorTests.vectors.filter { Language(rawValue: $0.language) != nil } }
    }

    private func language(_ vector: Vector) throws -> Language { try #require(Language(rawValue: vector.language)) }

    /// Without what belongs to a layout, line breaks in a value among it.
    private func bare(_ text: some StringProtocol) -> String {
        let layout = Set(":()/-│\u{200C}\u{2066}\u{2067}\u{2068}\u{2069}".unicodeScalars)
        return String(
            String.UnicodeScalarView(
                String(text).replacing("\u{2039}U+000A\u{203A}", with: "").replacing("\\n", with: "").unicodeScalars
                    .filter { !$0.properties.isWhitespace && !layout.contains($0) }))
    }

    private func bare(_ lines: some Sequence<String>) -> String { bare(lines.joined()) }

    @Test("The page", arguments: try vectors)
    func page(vector: Vector) throws {
        let page = ApprovalPage(
            asker: .init(name: "Agent", logo: nil, isFirstParty: nil, tenant: "T"), api: "A", message: "M", scopes: [],
            details: vector.details, presentation: vector.presentation, timeLeft: 60, answering: .onPhone, user: "U",
            approver: nil)
        let frame = PageFrame(
            branding: Branding(name: "T"), language: try language(vector), assets: Assets(hashing: OpenSSLHashing()))
        let cards = try Markup.read(page.html(in: frame)).all("div").filter { $0["class"] == "detail-card" }
        // The browser numbers elements by itself.
        let untyped = try language(vector).texts.phone.untyped
        let lines = vector.lines.map { $0 == "-" ? untyped : $0.replacing(/^ +\d+\. ?/, with: "") }
        #expect(bare(cards.map(\.text)) == bare(lines))
    }

    @Test("The terminal", arguments: try vectors)
    func terminal(vector: Vector) throws {
        let language = try language(vector)
        let shown = RequestPresentation(
            details: vector.details, presentation: vector.presentation, language: vector.language)
        let rows = shown.details.flatMap { Card.Part.parts(of: $0, in: language) }.flatMap { part -> [Text] in
            if case .fields(let fields) = part { fields.lines(width: nil) } else { [] }
        }
        #expect(bare(rows.map(\.plain)) == bare(vector.lines.filter { $0.hasPrefix(" ") }))
    }

    @Test("The terminal keeps the lines of a text, also below a list, and none of them looks like a name")
    func terminalLines() throws {
        let details: [JSONObject] = [["type": "t", "diff": "- a\n+\tb\n\nc", "list": ["x\ny"]]]
        let shown = RequestPresentation(details: details, presentation: [], language: "en")
        let fields = shown.details.flatMap { Card.Part.parts(of: $0, in: .english) }.compactMap { part in
            if case .fields(let fields) = part { fields } else { nil }
        }
        let lines = fields.flatMap { $0.lines(width: 60) }.map(\.plain)
        #expect(lines == ["diff  - a", "      +\\tb", "      \\nc", "list  ", "│ 1.  x", "│     y"], "\(lines)")
    }

    @Test("The mail has each value with its name", arguments: try vectors)
    func mail(vector: Vector) throws {
        var user = User(id: UserID("auth0|ann"), createdAt: Samples.start)
        user.language = try language(vector)
        var display = RequestRecord.Display()
        display.presentation = vector.presentation
        let record = RequestRecord(
            id: "cns_1", issuer: "https://dev.example/", tenant: "dev",
            client: RequestRecord.Party(id: "shop", name: "Shop"), user: "auth0|ann",
            audience: RequestRecord.Party(id: Samples.api, name: "Payments"), scope: [], bindingMessage: "M",
            authorizationDetails: vector.details, display: display, createdAt: Samples.start,
            expiresAt: Samples.start + .seconds(300), salt: "s")
        let text = bare(
            MailComposer.approval(
                Samples.vault.request(record, channel: .email, interval: 5),
                to: try #require(EmailAddress(parsing: "ann@example.org")), user, tenant: Samples.tenant(),
                now: Samples.start
            ).text)
        func depth(_ line: String) -> Int { line.prefix { $0 == " " }.count }
        var rest = text[...]
        for (index, line) in vector.lines.enumerated() {
            let isAbove = index + 1 < vector.lines.count && depth(vector.lines[index + 1]) > depth(line)
            // Names around a value repeat before each one below.
            if isAbove, depth(line) > 0 { continue }
            let found = rest.firstRange(of: bare(line))
            #expect(found != nil, "\(line) is not in \(rest)")
            if let found { rest = rest[found.upperBound...] }
        }
    }
}
