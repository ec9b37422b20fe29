import Foundation
import Testing

@Suite("Installation: the documents and packaging/")
struct InstallationTests {
    private static let program = "/usr/local/bin/countersign"
    private static let settings = "/etc/countersign/countersign.json"

    private static func documents() throws -> [(path: String, text: String)] {
        try (["README.md"] + Repository.files(in: "docs", ending: ".md")).map { ($0, try Repository.text($0)) }
    }

    /// Lines of fenced blocks, with the lines that a backslash joins to them.
    private static func commands(_ text: String) -> [String] {
        text.components(separatedBy: "\n```").enumerated().filter { $0.offset % 2 == 1 }.flatMap { block in
            let lines = block.element.replacing("\\\n", with: " ").components(separatedBy: "\n")
            // The first one has the language.
            return Array(lines.dropFirst())
        }
    }

    @Test("Units start the program where the documents install it, with the settings that they install")
    func units() throws {
        let units = try Repository.files(in: "packaging", ending: ".service")
        #expect(units.count >= 3)
        for unit in units {
            let starts = try Repository.text(unit).split(separator: "\n").filter { $0.hasPrefix("ExecStart=") }
            #expect(starts.count == 1)
            for start in starts {
                #expect(start.hasPrefix("ExecStart=\(Self.program) "), "\(unit)")
                #expect(start.hasSuffix(" --config \(Self.settings)"), "\(unit)")
            }
        }
        let guide = try Repository.text("docs/operations.md")
        #expect(guide.contains("install .build/release/countersign /usr/local/bin/"))
        #expect(guide.contains("packaging/countersign.json \(Self.settings)"))
    }

    @Test("The documents name the installed program by its path, and give it the installed settings")
    func paths() throws {
        var found = 0
        for (path, text) in try Self.documents() {
            for line in Self.commands(text) {
                for other in ["/usr/bin/countersign", "/usr/sbin/countersign", "/opt/countersign"] {
                    #expect(!line.contains(other), "\(path): \(line)")
                }
                guard line.contains(Self.program) else { continue }
                found += 1
                #expect(line.contains("--config \(Self.settings)"), "\(path): \(line)")
            }
        }
        #expect(found >= 2)
    }

    @Test("Other programs that start it, cron and a mail server, have no PATH of a shell")
    func starters() throws {
        var found = 0
        for (path, text) in try Self.documents() {
            for line in Self.commands(text) where line.hasPrefix("0 * * * *") || line.contains("argv=") {
                found += 1
                #expect(line.contains("\(Self.program) "), "\(path): \(line)")
            }
        }
        #expect(found == 2)
    }
}
