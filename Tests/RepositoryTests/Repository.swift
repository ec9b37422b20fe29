import Foundation
import Testing

/// The files of the repository that these tests belong to.
enum Repository {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Paths of the files under `folder` with that ending, sorted.
    static func files(in folder: String, ending: String) throws -> [String] {
        let base = root.appending(path: folder)
        let names = try #require(FileManager.default.enumerator(atPath: base.path), "no folder \(folder)")
        return names.compactMap { $0 as? String }.filter { $0.hasSuffix(ending) }.map { "\(folder)/\($0)" }.sorted()
    }
}

/// True if the file has a test.
func hasTests(_ text: String) -> Bool {
    text.split(separator: "\n").contains { $0.drop { $0 == " " }.hasPrefix("@Test") }
}

/// Texts between single backquotes in a line of Markdown.
func quoted(_ line: some StringProtocol) -> [String] {
    let parts = line.split(separator: "`", omittingEmptySubsequences: false)
    return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
}
