import ApprovalWire
import Localization
import Primitives
import Testing

@Suite("Presentation of authorization details")
struct RequestPresentationTests {
    private static func object(_ text: String) throws -> JSONObject {
        try #require(try JSONReader.parse(text).objectValue)
    }

    private static func detail(
        _ detail: String, _ node: String = "{}", _ language: String = "en"
    ) throws -> RequestPresentation.Detail {
        let presentation = RequestPresentation(
            details: [try object(detail)], presentation: [try object(node)], language: language)
        return try #require(presentation.details.first)
    }

    /// Titles and English texts, with two spaces before those of a deeper level.
    private static func lines(_ values: [PresentedValue], _ language: Language = .english, _ indent: String = "")
        -> [String]
    {
        values.flatMap { value in
            let title = indent + (value.title ?? "-")
            return switch value.content {
            case .members(let inner), .elements(let inner): [title] + lines(inner, language, indent + "  ")
            default: ["\(title): \(value.content.text(in: language) ?? "")"]
            }
        }
    }

    private static let payment = #"""
        {"type":"payment","to":"DE89370400440532013000","amount":{"value":"1234567.5","currency":"EUR"},
         "due":"2026-11-23","at":"2026-11-23T14:05:00Z","note":"rent"}
        """#
    private static let node = #"""
        {"label":"Payment","labels":{"de":"Zahlung"},"order":["amount","to","missing","due"],"members":{
         "amount":{"label":"Amount","labels":{"de":"Betrag","de-AT":"Summe"},"format":"money"},
         "to":{"label":"Account","format":"account"},"due":{"format":"date"},
         "at":{"format":"date-time","description":"Latest time"}}}
        """#

    @Test("Declared members come first in their order, and every other member follows")
    func order() throws {
        let detail = try Self.detail(Self.payment, Self.node)
        #expect(detail.type == "payment" && detail.label == "Payment")
        #expect(
            Self.lines(detail.members) == [
                "Amount: €1,234,567.5", "Account: DE89 3704 0044 0532 0130 00", "due: 23 November 2026",
                "at: 23 November 2026, 14:05 UTC", "note: rent",
            ])
        #expect(detail.members[3].description == "Latest time" && detail.members[0].name == "amount")
    }

    @Test(
        "Labels are those of the language, then of its primary subtag, then the declared ones",
        arguments: [
            ("de", "Zahlung", "Betrag", "1.234.567,5\u{A0}€", "23. November 2026"),
            ("de_AT.UTF-8", "Zahlung", "Summe", "1.234.567,5\u{A0}€", "23. November 2026"),
            ("DE-CH", "Zahlung", "Betrag", "1.234.567,5\u{A0}€", "23. November 2026"),
            ("fr-FR", "Payment", "Amount", "1\u{202F}234\u{202F}567,5\u{A0}€", "23 novembre 2026"),
        ])
    func languages(tag: String, label: String, amount: String, money: String, day: String) throws {
        let detail = try Self.detail(Self.payment, Self.node, tag)
        let language = try #require(Language(tag: tag))
        #expect(detail.label == label && detail.members[0].label == amount)
        #expect(detail.members[0].content.text(in: language) == money)
        #expect(detail.members[2].content.text(in: language) == day)
    }

    @Test(
        "A declaration hides nothing: whatever does not fit its format is shown as it is",
        arguments: [
            (#"{"v":{"amount":1,"currency":"EUR","fee":2}}"#, ["v", "  amount: 1", "  currency: EUR", "  fee: 2"]),
            (#"{"v":{"amount":1,"currency":"euro"}}"#, ["v", "  amount: 1", "  currency: euro"]),
            (#"{"v":{"amount":1e3,"currency":"EUR"}}"#, ["v", "  amount: 1e3", "  currency: EUR"]),
            (#"{"v":{"amount":1,"value":2}}"#, ["v", "  amount: 1", "  value: 2"]),
            (#"{"v":{"amount":-1000.50,"currency":"EUR"}}"#, ["v: -€1,000.50"]),
            (#"{"v":"12.50","currency":"USD"}"#, ["v: US$12.50"]),
            (#"{"v":"twelve","currency":"USD"}"#, ["v: twelve", "currency: USD"]),
            (#"{"v":7}"#, ["v: 7"]),
        ])
    func money(detail: String, lines: [String]) throws {
        let detail = try Self.detail(detail, #"{"members":{"v":{"format":"money"}}}"#)
        #expect(Self.lines(detail.members) == lines)
    }

    @Test(
        "Dates that do not exist, other accounts and unknown formats are shown as they are",
        arguments: [
            ("date", #""2026-02-30""#, "2026-02-30"), ("date", #""soon""#, "soon"), ("date", "20260230", "20260230"),
            ("date-time", #""2026-11-23T14:05:07+01:00""#, "23 November 2026, 13:05:07 UTC"),
            ("account", #""xxxxxxxxxxx1234""#, "xxxxxxxxxxx1234"), ("account", "12", "12"),
            ("colour", #""red""#, "red"),
        ])
    func formats(format: String, value: String, text: String) throws {
        let detail = try Self.detail(#"{"v":\#(value)}"#, #"{"members":{"v":{"format":"\#(format)"}}}"#)
        #expect(detail.members.first?.content.text(in: .english) == text)
    }

    @Test("A time is shown in the zone of its reader")
    func zone() throws {
        let time = try #require(Timestamp(iso8601: "2026-11-23T23:30:00Z"))
        let text = PresentedValue.Content.time(time)
            .text(in: .german) { _ in ZoneOffset(seconds: 3600, name: "MEZ") }
        #expect(text == "24. November 2026, 00:30 MEZ")
    }

    @Test("Nested objects and lists keep their declarations, at any depth")
    func nesting() throws {
        let detail = try Self.detail(
            #"{"type":7,"list":[{"b":1,"a":true},{"a":null}],"e":[],"o":{},"actions":["read","write"]}"#,
            #"""
            {"members":{"list":{"label":"Parts","items":{"label":"Part","order":["a"],"members":{"a":{"label":"A"}}}}}}
            """#)
        #expect(detail.type == nil)
        #expect(
            Self.lines(detail.members) == [
                "type: 7", "Parts", "  Part", "    A: yes", "    b: 1", "  Part", "    A: none", "e: []", "o: {}",
                "actions", "  -: read", "  -: write",
            ])
    }

    @Test("A name that imitates a label, or white space, is in quotation marks")
    func names() throws {
        let detail = try Self.detail(
            #"{"sum":9,"amount":1," x":2,"":3,"\"y":4}"#, #"{"members":{"sum":{"label":"Amount"}}}"#)
        #expect(detail.members.map(\.title) == ["Amount", #""amount""#, #"" x""#, #""""#, #""\"y""#])
    }

    @Test("No two values without formats have one text", arguments: Language.allCases)
    func ambiguity(language: Language) throws {
        let words = language.texts.consent
        let values: [JSONValue] =
            ["2500", "-1", "1e3", "", " ", "a", " a", "\"a\"", "{}", "[]", "٣"].map { .string($0) }
            + [words.none, words.yes, words.no].map { .string($0) }
            + [2500, -1, true, false, nil, [:], [], .number(try #require(JSONNumber(1.5)))]
        let detail = RequestPresentation(
            details: [values.enumerated().reduce(into: [:]) { $0["m\($1.offset)"] = $1.element }], presentation: [],
            language: language.rawValue
        ).details[0]
        let texts = detail.members.compactMap { $0.content.text(in: language) }
        #expect(texts.count == values.count && Set(texts).count == values.count, "\(texts)")
        #expect(texts.first == #""2500""# && texts.contains("2500") && texts.contains("a"))
    }

    @Test(
        "A declaration of another form declares nothing",
        arguments: [
            #"{"label":7,"labels":[],"order":{},"members":[]}"#, #"{"order":[1,"a","a"],"members":{"a":3}}"#,
            #"{"labels":{"en":5}}"#,
        ])
    func damaged(node: String) throws {
        #expect(Self.lines(try Self.detail(#"{"b":1,"a":2}"#, node).members).sorted() == ["a: 2", "b: 1"])
    }
}
