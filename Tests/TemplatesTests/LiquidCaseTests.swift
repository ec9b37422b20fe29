import Foundation
import Primitives
import Templates
import Testing

/// Cases of LiquidCases.json, which scripts/liquid-cases fills in with Shopify's Liquid.
private struct LiquidCase {
    let template: String
    let values: JSONObject
    let format: Template.Format
    /// Nil for an error.
    let expected: String?
    /// The reason why Countersign differs, and what it makes of the template: a text, `refused` or `fails`.
    let difference: (name: String, here: String)?

    /// 2026-11-20T10:00:00Z, as in the script.
    private static let now = Timestamp(seconds: 1_795_168_800)

    init(_ json: JSONValue, _ shared: JSONObject) throws {
        template = try #require(json["template"]?.stringValue)
        values = shared.merging(json["values"]?.objectValue ?? [:])
        format = json["html"] == true ? .html : .plain
        expected = json["expected"]?.stringValue
        #expect((expected == nil) == (json["error"]?.stringValue != nil), "\(template)")
        difference = try json["difference"]?.stringValue.map { ($0, try #require(json["here"]?.stringValue)) }
    }

    enum Outcome: Equatable, CustomStringConvertible {
        case text(String)
        case refused(String)
        case fails(String)

        var description: String {
            switch self {
            case .text(let text): text
            case .refused(let problem): "refused: \(problem)"
            case .fails(let problem): "fails: \(problem)"
            }
        }
    }

    /// The result of Countersign. No value is from outside.
    var outcome: Outcome {
        let template: Template
        do {
            template = try Template(parsing: self.template)
        } catch {
            return .refused("\(error)")
        }
        do {
            let own = TemplatePaths(values.map(\.name))
            return .text(try template.rendered(with: values, own: own, as: format, now: Self.now))
        } catch {
            return .fails("\(error)")
        }
    }

    /// True if the outcome is that of Liquid.
    func agrees(_ outcome: Outcome) -> Bool {
        if case .text(let text) = outcome { text == expected } else { expected == nil }
    }

    /// True if the outcome is the one that the case says Countersign has.
    func isAsListed(_ outcome: Outcome) -> Bool {
        switch outcome {
        case .text(let text): text == difference?.here
        case .refused: difference?.here == "refused"
        case .fails: difference?.here == "fails"
        }
    }
}

extension JSONObject {
    fileprivate func merging(_ other: JSONObject) -> JSONObject {
        other.reduce(into: self) { $0[$1.name] = $1.value }
    }
}

/// The file of cases.
private struct LiquidCases {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    let groups: [(about: String, cases: [LiquidCase])]
    /// Rows of the table of docs/mail.md.
    let differences: [(name: String, row: String)]

    init() throws {
        let text = try String(contentsOf: Self.folder.appending(path: "LiquidCases.json"), encoding: .utf8)
        let json = try JSONReader.parse(text)
        let shared = try #require(json["values"]?.objectValue)
        groups = try #require(json["groups"]?.arrayValue).map { group in
            (
                try #require(group["about"]?.stringValue),
                try #require(group["cases"]?.arrayValue).map { try LiquidCase($0, shared) }
            )
        }
        differences = try #require(json["differences"]?.arrayValue).map { difference in
            let parts = try ["what", "liquid", "here"].map { try #require(difference[$0]?.stringValue) }
            return (parts[0], "| \(parts.joined(separator: " | ")) |")
        }
    }
}

@Suite("Shopify's Liquid")
struct LiquidCaseTests {
    @Test("Each template becomes what Shopify's Liquid makes of it, or what the case says and why")
    func cases() throws {
        let groups = try LiquidCases().groups
        #expect(groups.reduce(0) { $0 + $1.cases.count } >= 1200)
        for group in groups {
            for one in group.cases {
                let outcome = one.outcome
                guard let difference = one.difference else {
                    #expect(
                        one.agrees(outcome),
                        "\(group.about): \(one.template)\nLiquid: \(one.expected ?? "an error")\nhere: \(outcome)")
                    continue
                }
                #expect(one.isAsListed(outcome), "\(group.about): \(one.template)\nhere: \(outcome)")
                #expect(!one.agrees(outcome), "\(one.template) does not differ: \(difference.name)")
            }
        }
    }

    @Test("docs/mail.md has a row for each difference, each difference has a case, and there are no others")
    func differences() throws {
        let cases = try LiquidCases()
        let root = LiquidCases.folder.deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/mail.md"), encoding: .utf8)
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix("| differs | in Shopify's Liquid |") })
        #expect(lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map(String.init) == cases.differences.map(\.row))
        let used = Set(cases.groups.flatMap(\.cases).compactMap(\.difference?.name))
        #expect(used == Set(cases.differences.map(\.name)))
    }

    @Test("The tags and filters that docs/mail.md lists are those of the cases")
    func listed() throws {
        let templates = try LiquidCases().groups.flatMap(\.cases).map(\.template).joined(separator: "\n")
        let failure = try #require(throws: TemplateFailure.self) { try Template(parsing: "{{ x | unknown }}") }
        let filters = try #require(failure.problem.components(separatedBy: "there are ").last)
        for filter in filters.components(separatedBy: ", ") { #expect(templates.contains("| \(filter)"), "\(filter)") }
    }
}
