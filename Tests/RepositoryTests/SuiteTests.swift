import Foundation
import Testing

@Suite("Suites and tests")
struct SuiteTests {
    /// A test function as it is written.
    private struct Function {
        let path: String
        let line: Int
        /// Title of the suite above the test.
        let suite: String
        let title: String
        /// Blanks before the lines of the body.
        let indentation: String
        let body: [Substring]

        var place: Comment { "\(path):\(line): \(title)" }
    }

    private static func paths() throws -> [String] {
        try Repository.files(in: "Tests", ending: ".swift")
            + Repository.files(in: "Benchmarks/Tests", ending: ".swift")
    }

    /// The first text in double quotes from `line` on.
    private static func literal(_ lines: ArraySlice<Substring>) -> String? {
        guard let line = lines.prefix(2).first(where: { $0.contains("\"") }) else { return nil }
        let parts = line.replacing("\\\"", with: "'").split(separator: "\"", omittingEmptySubsequences: false)
        return parts.count > 1 ? String(parts[1]) : nil
    }

    private static func functions() throws -> [Function] {
        var found: [Function] = []
        for path in try paths() {
            let lines = try Repository.text(path).split(separator: "\n", omittingEmptySubsequences: false)
            var suite = ""
            for (index, line) in lines.enumerated() {
                let blanks = String(line.prefix { $0 == " " })
                let text = line.dropFirst(blanks.count)
                if text.hasPrefix("@Suite") { suite = literal(lines[index...]) ?? "" }
                guard text.hasPrefix("@Test") else { continue }
                let rest = lines[index...]
                let end = try #require(
                    rest.firstIndex { $0 == blanks + "}" || ($0.hasPrefix(blanks + "func ") && $0.hasSuffix("}")) },
                    "\(path):\(index + 1) has no end")
                found.append(
                    Function(
                        path: path, line: index + 1, suite: suite, title: literal(rest) ?? "",
                        indentation: blanks + "    ",
                        body: Array(rest[...end])))
            }
        }
        return found
    }

    @Test("A suite's file has the name of its suite")
    func names() throws {
        for path in try Self.paths() {
            let text = try Repository.text(path)
            guard hasTests(text) else { continue }
            let name = path.split(separator: "/").last?.split(whereSeparator: { $0 == "." || $0 == "+" }).first ?? ""
            #expect(
                text.contains("struct \(name) ") || text.contains("class \(name) ")
                    || text.contains("extension \(name) "), "\(path)")
        }
    }

    @Test("A test expects something, or has a time limit for what it waits for")
    func expectations() throws {
        let signs = [
            "#expect", "#require", "expect", "replay(", "Issue.record", "confirmation(", "check(", "refused(",
            ".timeLimit(",
        ]
        let functions = try Self.functions()
        #expect(functions.count > 1500)
        for function in functions {
            let text = function.body.joined(separator: "\n")
            #expect(signs.contains { text.contains($0) }, function.place)
        }
    }

    @Test("A test never returns before its end: arguments that it has nothing to expect of are not its arguments")
    func earlyReturns() throws {
        for function in try Self.functions() {
            let starts = ["guard ", "if "].map { function.indentation + $0 }
            for line in function.body
            where starts.contains(where: { line.hasPrefix($0) }) && line.hasSuffix("{ return }") {
                Issue.record("\(function.place): \(line)")
            }
        }
    }

    @Test("No test is switched off")
    func switchedOff() throws {
        for function in try Self.functions() {
            #expect(!function.body.contains { $0.contains("disabled" + "(") }, function.place)
        }
    }

    @Test("A test's name begins with its subject, and a clause's number stands under the name of its standard")
    func titles() throws {
        let openers: Set = ["what", "who", "whose", "where", "whoever", "whether", "of"]
        let standards = ["RFC", "CIBA", "OIDC", "OpenID", "JSON Schema", "Idempotency-Key", "WCAG", "ISO", "FIPS"]
        for function in try Self.functions() {
            let first = function.title.prefix { $0 != " " }
            #expect(!openers.contains(first.lowercased()), function.place)
            if first.hasSuffix(":"), first.first?.isNumber == true {
                #expect(standards.contains { function.suite.contains($0) }, function.place)
            }
        }
    }

    @Test("A test file has at most 450 lines: larger suites are split by subject")
    func sizes() throws {
        for path in try Self.paths() {
            let lines = try Repository.text(path).split(separator: "\n", omittingEmptySubsequences: false).count - 1
            #expect(lines <= 450, "\(path)")
        }
    }
}
