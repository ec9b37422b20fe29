import Localization
import Pages
import Primitives
import TestSupport
import Testing

@Suite("What counts stands first on the page to decide on")
struct ApprovalPageOrderTests {
    private let spoofed: JSONObject = [
        "type": "transfer", "instructedAmount": ["amount": "2500.00", "currency": "EUR"], "creditorName": "Merchant A",
    ]

    private func page(
        _ details: [JSONObject], _ answering: ApprovalPage.Answering? = nil, scopes: [ShownScope] = []
    ) -> ApprovalPage {
        ApprovalPage(
            asker: .init(name: "Shopping agent", logo: nil, isFirstParty: nil, tenant: "T"), api: "A",
            message: "Refund of 25 EUR to you", scopes: scopes, details: details, timeLeft: 61,
            expiresAt: Timestamp(seconds: 1_764_000_000), answering: answering ?? .here(Samples().form), user: "U",
            approver: nil, assets: Samples.assets)
    }

    private func main(_ page: some Page, _ language: Language = .english) throws -> Markup.Element {
        let frame = PageFrame(branding: Branding(name: "T"), language: language, assets: Samples.assets)
        return try #require(try Markup.read(page.html(in: frame)).all("main").first)
    }

    private func heading(_ main: Markup.Element) throws -> String { try #require(main.all("h1").first).text }

    private func allow(_ main: Markup.Element) throws -> String {
        try #require(main.all("button").first { $0["value"] == FieldName.allow }).text
    }

    @Test("The amount with its payee is the heading and in the button, in each language; the client's words are quoted")
    func spoofedMessage() throws {
        for (language, line, button) in [
            (Language.english, "€2,500.00 to Merchant A", "Allow €2,500.00"),
            (.french, "2\u{202F}500,00\u{A0}€ à Merchant A", "Autoriser 2\u{202F}500,00\u{A0}€"),
            (.german, "2.500,00\u{A0}€ an Merchant A", "2.500,00\u{A0}€ erlauben"),
        ] {
            let main = try main(page([spoofed]), language)
            #expect(try heading(main) == line)
            #expect(try allow(main) == button)
            let quotation = try #require(main.all("figure").first)
            #expect(quotation.all("blockquote").first?.text == "Refund of 25 EUR to you")
            #expect(quotation.all("figcaption").first?.text.hasPrefix("Shopping agent") == true)
        }
    }

    @Test("Without a headline, the heading is who asks, and never the client's words")
    func plain() throws {
        let main = try main(page([["type": "t", "note": "x"]]))
        #expect(try heading(main) == "Shopping agent asks for your approval")
        #expect(try allow(main) == "Allow")
        #expect(main.all("blockquote").map(\.text) == ["Refund of 25 EUR to you"])
    }

    @Test("Four payments have their exact sum as the heading, and each is a card")
    func several() throws {
        let details: [JSONObject] = ["0.10", "0.20", "0.30", "9000"].map { amount in
            ["type": "t", "amount": ["value": .string(amount), "currency": "EUR"], "payee": "P"]
        }
        let main = try main(page(details))
        #expect(try heading(main).contains("€9,000.60") && heading(main).contains("4 in all"))
        #expect(try allow(main) == "Allow €9,000.60")
        #expect(main.all("div").count { $0["class"] == "detail-card" } == 4)
    }

    @Test("A rejection of what the person did not ask for is a button of its own, in sight")
    func report() throws {
        let main = try main(page([spoofed]))
        let reports = main.all("button").filter { $0["value"] == FieldName.report }
        #expect(reports.count == 1)
        #expect(main.all("details").flatMap { $0.all("button") }.allSatisfy { $0["value"] != FieldName.report })
    }

    @Test("The time that is left is in words with its end for browsers without scripts, and in seconds for the script")
    func clock() throws {
        let clock = try #require(try main(page([spoofed])).all("p").first { $0["role"] == "timer" })
        #expect(clock.text.contains("Time left: 2 minutes") && clock.text.contains("24 November 2025, 16:00 UTC"))
        #expect(clock.all("span").first?["data-left"] == "61")
    }

    // MARK: reading

    private func parts(_ main: Markup.Element) -> Int { main.all.count { $0["data-part"] != nil } }

    @Test("Headline, words of the client, each value and each scope is a part that has to be read")
    func partsOfRequest() throws {
        let long = String(repeating: "x", count: 1200)
        let detail: JSONObject = ["type": "t", "note": .string(long), "deep": ["a": 1, "list": [1, 2]]]
        // Client's words, heading of the card, three of the note, titles of two groups, three values, two scopes.
        #expect(try parts(main(page([detail], scopes: [.init("a"), .init("b")]))) == 12)
    }

    @Test("A long request is confirmed as read without scripts, and a short one is not")
    func confirmation() throws {
        var long: JSONObject = ["type": "t"]
        for number in 0..<20 { long["member\(number)"] = "v" }
        for (detail, isLong) in [(spoofed, false), (long, true)] {
            let page = page([detail])
            #expect(page.isLong(in: .english) == isLong)
            let boxes = try main(page).all("input").filter { $0["type"] == "checkbox" }
            #expect(boxes.count == (isLong ? 1 : 0))
        }
        let shown = try main(page([long]))
        #expect(shown.text.contains("I have read all \(parts(shown)) parts"))
    }

    @Test("Buttons that allow are marked for the script, and no others are")
    func marked() throws {
        for answering in [ApprovalPage.Answering.here(Samples().form), .byNumber(Samples().form, ["07", "42"])] {
            let buttons = try main(page([spoofed], answering)).all("button")
            for button in buttons {
                let allows = button["value"] == FieldName.allow || button["name"] == FieldName.pick
                #expect((button["data-allows"] != nil) == allows)
            }
        }
    }

    @Test("An outcome names what it was about, its client, and an answer that came from elsewhere")
    func outcome() throws {
        let page = ApprovalEndedPage(.allowed, isElsewhere: true, client: "Shopping agent", details: [spoofed])
        let main = try main(page)
        for text in ["This request was allowed", "€2,500.00 to Merchant A", "Shopping agent", "another browser"] {
            #expect(main.text.contains(text), "\(text)")
        }
    }
}
