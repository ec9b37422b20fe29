import ApprovalWire
import Foundation
import Localization
import Primitives
import Testing

/// The web app's modules run the same vectors (`Tests/ApproverModules`).
@Suite("Details are read as the vectors say")
struct PresentationVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let about: String
        let language: String
        let words: JSONObject
        let details: [JSONObject]
        let presentation: [JSONObject]
        let lines: [String]
        let headlines: [String]
        let action: String?
        let isMoney: Bool
        let isGroupable: Bool

        var testDescription: String { about }

        init(_ value: JSONValue) throws {
            about = try #require(value["about"]?.stringValue)
            language = try #require(value["language"]?.stringValue)
            words = try #require(value["words"]?.objectValue)
            details = try #require(value["details"]?.arrayValue).compactMap(\.objectValue)
            presentation = try #require(value["presentation"]?.arrayValue).compactMap(\.objectValue)
            lines = try #require(value["lines"]?.stringsValue)
            headlines = try #require(value["headlines"]?.stringsValue)
            action = value["action"]?.stringValue
            isMoney = try #require(value["isMoney"]?.boolValue as Bool?)
            isGroupable = try #require(value["isGroupable"]?.boolValue as Bool?)
        }
    }

    static var vectors: [Vector] {
        get throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Vectors/presentation.json")
            return try #require(try JSONReader.parse(Array(Data(contentsOf: file))).arrayValue).map(Vector.init)
        }
    }

    @Test("Each record has its lines", arguments: try vectors)
    func lines(vector: Vector) throws {
        let language = try #require(Language(tag: vector.language))
        let consent = language.texts.consent
        #expect(
            vector.words == [
                "none": .string(consent.none), "yes": .string(consent.yes), "no": .string(consent.no),
                "payment": .string(Self.template(language)),
            ])
        let presentation = RequestPresentation(
            details: vector.details, presentation: vector.presentation, language: vector.language)
        let lines = presentation.details.flatMap { detail in
            [Self.line(detail.heading ?? "-", nil, detail.description)]
                + detail.members.flatMap { Self.lines($0, language, "  ") }
        }
        #expect(lines.map(\.showingUnseen) == vector.lines)
        #expect(presentation.headlines.map { $0.text(in: language) } == vector.headlines)
        #expect(presentation.action(in: language) == vector.action)
        #expect(presentation.details.contains(where: \.hasMoney) == vector.isMoney)
        #expect(presentation.isGroupable == vector.isGroupable)
    }

    /// The catalogue's words, with the names that the web app's texts have for places.
    private static func template(_ language: Language) -> String {
        language.texts.values.payment(Place(0), Place(1)).parts.map { part in
            switch part {
            case .text(let text): text
            case .place(let place): ["{amount}", "{payee}"][place.index]
            }
        }.joined()
    }

    private static func lines(
        _ value: PresentedValue, _ language: Language, _ indent: String, _ number: String? = nil
    ) -> [String] {
        let name = [number, value.title].compactMap(\.self).joined(separator: " ")
        let own = line(indent + name, value.content.text(in: language), value.description)
        switch value.content {
        case .members(let members): return [own] + members.flatMap { lines($0, language, indent + "  ") }
        case .elements(let elements):
            let below = elements.enumerated().flatMap { lines($1, language, indent + "  ", "\($0 + 1).") }
            return [own] + below
        default: return [own]
        }
    }

    private static func line(_ name: String, _ text: String?, _ description: String?) -> String {
        name + (text.map { ": \($0)" } ?? "") + (description.map { " (\($0))" } ?? "")
    }
}
