import Foundation
import Testing

@Suite("docs/changing.md")
struct ChangeGuideTests {
    /// The most files that a change may need. A change that needs more is a reason to change the code's structure.
    private static let limits = [
        "A grant": 11, "An endpoint": 6, "A delivery mode of CIBA": 15, "A Management resource that is a document": 5,
        "A Management resource with a table": 23, "A hosted page": 5, "A login step": 8, "A delivery provider": 4,
        "A setting": 3, "A language": 2, "A store": 50,
    ]

    private struct Section {
        let heading: String
        let lines: [Substring]

        /// Paths of the ordered list, in order.
        var paths: [String] {
            lines.filter { $0.first?.isNumber == true && $0.contains(". `") }.compactMap { quoted($0).first }
        }

        /// The number in "At most 5 files".
        var limit: Int? {
            lines.lazy.compactMap { line in
                line.hasPrefix("At most ") ? line.split(separator: " ").dropFirst(2).first.flatMap { Int($0) } : nil
            }.first
        }

        /// Names of the example in the code, from the line "Named in the code: …".
        var names: [String] {
            lines.filter { $0.hasPrefix("Named in the code: ") }.flatMap { quoted($0) }
        }

        /// Files that name the example for another reason, from the paragraph "Named besides, because …".
        var besides: [String] { quotations("Named besides, because ") }

        /// Quoted texts of the paragraph that begins with `opening`.
        private func quotations(_ opening: String) -> [String] {
            guard let first = lines.firstIndex(where: { $0.hasPrefix(opening) }) else { return [] }
            return quoted(lines[first...].prefix { $0 == lines[first] || $0.hasPrefix("`") }.joined(separator: " "))
        }

        /// Files that the change needs: those of the list, of listed folders, and with the words of "Also the files of …".
        func count() throws -> Int {
            let listed = try paths.map { path in
                path.hasSuffix("/") ? try Repository.files(in: String(path.dropLast()), ending: ".swift").count : 1
            }
            let also = quotations("Also the files of ")
            guard let folder = also.first else { return listed.reduce(0, +) }
            let further = try Repository.files(in: folder, ending: ".swift").filter { path in
                let text = try Repository.text(path)
                return !paths.contains(path) && also.dropFirst().contains { text.contains($0) }
            }
            return listed.reduce(0, +) + further.count
        }

        func covers(_ path: String) -> Bool {
            (paths + besides).contains { $0 == path || $0.hasSuffix("/") && path.hasPrefix($0) }
        }
    }

    private static func sections() throws -> [Section] {
        try Repository.text("docs/changing.md").replacing("\n## ", with: "\u{0}").split(separator: "\u{0}").dropFirst()
            .map { text in
                let lines = text.split(separator: "\n")
                return Section(heading: String(lines[0]), lines: Array(lines.dropFirst()))
            }
    }

    /// True if the text contains the name as a whole word.
    private static func mentions(_ text: String, _ name: String) -> Bool {
        func isPart(_ character: Character?) -> Bool {
            character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
        }
        var rest = text[...]
        while let range = rest.range(of: name) {
            let before = range.lowerBound > text.startIndex ? text[text.index(before: range.lowerBound)] : nil
            let after = range.upperBound < text.endIndex ? text[range.upperBound] : nil
            if !isPart(before), !isPart(after) { return true }
            rest = text[range.upperBound...]
        }
        return false
    }

    @Test("Each usual change has a section with its limit, and no section has a larger one")
    func limits() throws {
        let sections = try Self.sections()
        #expect(sections.map(\.heading).sorted() == Self.limits.keys.sorted())
        for section in sections {
            let limit = try #require(section.limit, "\(section.heading) has no limit")
            #expect(limit <= Self.limits[section.heading] ?? 0, "\(section.heading)")
            let count = try section.count()
            #expect((1...limit).contains(count), "\(section.heading): \(count) files")
        }
    }

    /// The part of a path that exists before the change: all of it, or the folders above a new file or folder `NAME`, or
    /// above the files `*` that all have to change.
    private static func existing(_ path: String) -> String {
        path.split(separator: "/").prefix { !$0.contains("NAME") && !$0.contains("*") }.joined(separator: "/")
    }

    @Test("Every listed file exists, or is a new one in a folder that exists, and is listed once")
    func files() throws {
        for section in try Self.sections() {
            for path in section.paths + section.besides {
                #expect(Repository.exists(Self.existing(path)), "\(section.heading): \(path)")
            }
            #expect(Set(section.paths).count == section.paths.count, "\(section.heading)")
        }
    }

    @Test("The files of the sources that name the example are in the list")
    func mentions() throws {
        let sources = try Repository.files(in: "Sources", ending: ".swift").map { path in
            (path: path, text: try Repository.text(path))
        }
        #expect(sources.count > 400)
        for section in try Self.sections() {
            for name in section.names {
                let found = sources.filter { Self.mentions($0.text, name) }.map(\.path)
                #expect(!found.isEmpty, "\(section.heading): no file names \(name)")
                #expect(
                    found.filter { !section.covers($0) } == [],
                    "\(section.heading): files that name \(name) and are not in the list")
            }
        }
    }
}
