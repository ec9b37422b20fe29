import Foundation
import Primitives
import Testing

/// The web app's modules run the same vectors (`Tests/ApproverModules`).
@Suite("Characters that cannot be seen")
struct UnseenCharacterTests {
    static var vectors: JSONValue {
        get throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Vectors/unseen.json")
            return try JSONReader.parse(Array(Data(contentsOf: file)))
        }
    }

    static var texts: [[String]] {
        get throws { try #require(try vectors["texts"]?.arrayValue).compactMap(\.stringsValue) }
    }

    @Test("UAX 9, UTS 51: hidden characters are shown by number, and text of every script and emoji stays")
    func shown() throws {
        #expect(try Self.texts.count > 40)
        for pair in try Self.texts {
            #expect(Array(pair[0].showingUnseen.utf8) == Array(pair[1].utf8))
            #expect((pair[0].firstUnseen == nil) == (pair[0] == pair[1] && !pair[0].contains("\n")))
        }
    }

    /// Code points of the blocks in which a rule begins or ends, and samples of the others. A debug build takes minutes
    /// for all of them, which `node --test` tries.
    private static let scalars: [Unicode.Scalar] = {
        let blocks: [ClosedRange<UInt32>] = [
            0...0x3500, 0x9F00...0xAC10, 0xD700...0xD7FF, 0xE000...0xE010, 0xF8F0...0x10000, 0x10900...0x12010,
            0x13400...0x13460, 0x16F00...0x17010, 0x1AF00...0x20010, 0x3FF00...0x40010, 0xDFF00...0xE1010,
            0xEFFF0...0xF0010, 0x10FF00...0x10FFFF,
        ]
        let samples = stride(from: 0x3500 as UInt32, to: 0x10FFFF, by: 251).filter { code in
            !blocks.contains { $0.contains(code) }
        }
        return (blocks.flatMap { Array($0) } + samples).compactMap { Unicode.Scalar($0) }
    }()

    @Test(
        "A code point is seen or not, and shapes joiners and selectors or not, as the vectors say",
        arguments: ["unseen", "style", "joiner", "picture"])
    func codePoints(name: String) throws {
        let suffix = try #require(try Self.vectors["suffixes"]?[name]?.stringValue).unicodeScalars
        let ranges = try #require(try Self.vectors["codePoints"]?[name]?.arrayValue).compactMap(\.stringsValue)
            .map { try #require(UInt32($0[0], radix: 16))...(try #require(UInt32($0[1], radix: 16))) }
        // One text for many, each between two letters. One character replaces one, so that places stay.
        var text = String.UnicodeScalarView()
        text.append("a")
        for scalar in Self.scalars {
            text.append(scalar)
            text.append(contentsOf: suffix)
            text.append("a")
        }
        let shown = Array(String(text).replacingUnseen(keepsLines: true) { _ in "?" }.unicodeScalars)
        let width = suffix.count + 2
        var wrong: [UInt32] = []
        for (index, scalar) in Self.scalars.enumerated() {
            let place = 1 + index * width + suffix.count.signum()
            let isReplaced = shown[place] == "?" && (!suffix.isEmpty || scalar != "?")
            let isListed = ranges.contains { $0.contains(scalar.value) }
            if isReplaced != (suffix.isEmpty ? isListed : !isListed) { wrong.append(scalar.value) }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(9).map { String($0, radix: 16) })")
    }

    @Test("Four marks stay on a base, and each further one is shown by its number")
    func marks() throws {
        let ranges = try #require(try Self.vectors["marks"]?.arrayValue).compactMap(\.stringsValue)
        #expect(ranges.count > 300)
        for range in ranges {
            for code in try #require(UInt32(range[0], radix: 16))...(try #require(UInt32(range[1], radix: 16))) {
                let mark = try #require(Unicode.Scalar(code))
                let marks = String(repeating: String(mark), count: 4)
                #expect(
                    Array("a\(marks)\(mark)".showingUnseen.utf8) == Array("a\(marks)\(mark.shownNumber)".utf8))
            }
        }
    }

    @Test("The table has every character that Unicode calls ignorable, a control, a format or private")
    func complete() {
        let missing = Self.scalars.filter { scalar in
            let isHidden =
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse: true
                default: scalar.properties.isDefaultIgnorableCodePoint
                }
            return isHidden && "a\(Character(scalar))a".firstUnseen == nil
        }
        #expect(missing.isEmpty, "\(missing.map { String($0.value, radix: 16) })")
    }
}
