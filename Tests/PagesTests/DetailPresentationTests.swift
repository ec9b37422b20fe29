import Localization
@testable import Pages
import Primitives
import TestSupport
import Testing

@Suite("Details by the labels, order and formats of their schema")
struct DetailPresentationTests {
    private func text(_ detail: JSONObject, _ presentation: JSONObject, _ language: Language = .english) throws
        -> String
    {
        let page = ApprovalPage(
            asker: .init(name: "Agent", logo: nil, isFirstParty: nil, tenant: "T"), api: "A", message: "M", scopes: [],
            details: [detail], presentation: [presentation], timeLeft: 60, answering: .onPhone, user: "U", approver: nil
        )
        let frame = PageFrame(branding: Branding(name: "T"), language: language, assets: Samples.assets)
        let root = try Markup.read(page.html(in: frame))
        return root.all("div").filter { $0["class"] == "detail-card" }.map(\.text).joined()
            .filter { !$0.isWhitespace }
    }

    private func squeezed(_ text: String) -> String { text.filter { !$0.isWhitespace } }

    private let payment: JSONObject = ["type": "payment", "b": "second", "a": "first", "c": "third"]

    @Test("Members are in the declared order, then the others, each by its label in the page's language")
    func order() throws {
        let presentation: JSONObject = [
            "label": "Payment", "labels": ["de": "Zahlung"], "order": ["a", "none", "b"],
            "members": ["a": ["label": "Alpha", "labels": ["de": "Alef"], "description": "The first"]],
        ]
        #expect(try text(payment, presentation) == squeezed("Payment Alpha first The first b second c third"))
        #expect(try text(payment, presentation, .german) == squeezed("Zahlung Alef first The first b second c third"))
        #expect(try text(payment, [:]) == squeezed("payment b second a first c third"))
    }

    @Test(
        "Formats show values that they fit, and leave others as they are",
        arguments: [
            ("money", #"{"amount":"12.50","currency":"EUR"}"#, "€12.50"),
            ("money", #"{"value":1.10,"currency":"USD"}"#, "US$1.10"),
            ("money", #"{"amount":"1","currency":"EUR","fee":"2"}"#, #"amount "1" currency EUR fee "2""#),
            ("money", #"{"amount":[],"currency":"EUR"}"#, "amount [] currency EUR"),
            ("account", #""DE89370400440532013000""#, "DE89 3704 0044 0532 0130 00"),
            ("account", #""12345""#, "12345"), ("account", "12345", "12345"),
            ("date-time", #""2026-11-24T10:00:00Z""#, "24 November 2026, 10:00 UTC"),
            ("date-time", #""2026-11-24T10:00:00+01:00""#, "24 November 2026, 09:00 UTC"),
            ("date-time", #""tomorrow""#, "tomorrow"), ("date", #""2026-11-24""#, "24 November 2026"),
            ("unknown", #""x""#, "x"), ("money", "null", "none"),
        ])
    func formats(format: String, value: String, shown: String) throws {
        let node: JSONObject = ["members": ["v": ["format": .string(format)]]]
        let detail: JSONObject = ["type": "t", "v": try JSONReader.parse(value)]
        #expect(try text(detail, node) == squeezed("t v \(shown)"))
        let items: JSONObject = ["members": ["v": ["items": ["format": .string(format)]]]]
        #expect(try text(["type": "t", "v": .array([try JSONReader.parse(value)])], items) == squeezed("t v \(shown)"))
    }

    @Test("An amount beside a currency is shown with it")
    func sibling() throws {
        let node: JSONObject = ["members": ["amount": ["format": "money"]]]
        #expect(
            try text(["type": "t", "amount": 5, "currency": "EUR"], node)
                == squeezed("t amount €5"))
    }

    @Test("A type that is no string is a member, elements have the label of their list's items")
    func members() throws {
        let node: JSONObject = ["members": ["list": ["items": ["label": "Part", "description": "One of them"]]]]
        #expect(
            try text(["type": 7, "list": [1, ["instructedAmount": 2]]], node)
                == squeezed(
                    "detail without type type 7 list Part 1 One of them Part One of them instructedAmount 2"))
    }

    @Test("A name that imitates a label is in quotation marks")
    func imitation() throws {
        let node: JSONObject = ["members": ["sum": ["label": "Total amount"]]]
        #expect(
            try text(["type": "t", "sum": 9, "total_amount": 1], node)
                == squeezed(#"t Total amount 9 "total_amount" 1"#))
    }

    @Test("A presentation of any other shape changes nothing")
    func malformed() throws {
        for node: JSONObject in [
            ["order": "a"], ["members": []], ["label": 1], ["labels": ["de": "x"]], ["members": ["a": "x"]],
            ["format": []],
        ] {
            #expect(try text(payment, node) == squeezed("payment b second a first c third"))
        }
    }
}
