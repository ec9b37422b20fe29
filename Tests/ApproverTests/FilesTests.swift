import Foundation
import OpenSSLCrypto
import Primitives
import Testing

@testable import Approver
@testable import Pages

/// The web app's files, read as people and browsers do.
@Suite("The approver's files")
struct FilesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/Web/Approver/Files")
    private static let app = ApproverApp(hashing: OpenSSLHashing())
    private static let branding = Branding(name: "Example & Bank")
    private static let languages = ["en", "fr", "de"]

    private static func source(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    private static var scripts: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { $0.hasSuffix(".js") }.sorted()
        }
    }

    @Test("Every file of the folder is served, and no other")
    func complete() throws {
        let served = Self.app.loaded.map(\.name) + [ApproverFile.shell.name, ApproverFile.worker.name]
        #expect(served.sorted() == (try FileManager.default.contentsOfDirectory(atPath: Self.folder.path()).sorted()))
    }

    @Test("A phone loads less than 100 KB in all, in the longest language")
    func size() throws {
        let colour = try #require(Self.app.file("palette-1f5fbf.css", of: Self.app.version))
        let catalogues = Self.app.loaded.filter(\.isCatalogue)
        let files =
            Self.app.loaded.filter { !$0.isCatalogue }
            + [Self.app.shell(of: Self.branding), Self.app.worker(of: Self.branding), colour]
        let longest = try #require(catalogues.map(\.bytes.count).max())
        #expect(catalogues.count == Self.languages.count)
        #expect(files.map(\.bytes.count).reduce(0, +) + longest < 100_000)
    }

    @Test("Squeezed files lose comments and indentation, and nothing else")
    func squeezed() {
        let source = """
            /** Sum.
             *  @param {number} a */
            export const add = (a) => {
              // One more.
              return `a // b ${a}`; // stays
            };

            """
        let squeezed = ApproverFile("x.js", Array(source.utf8)).bytes
        #expect(
            String(decoding: squeezed, as: UTF8.self) == """
                export const add = (a) => {
                return `a // b ${a}`; // stays
                };

                """)
        #expect(ApproverFile("x.png", Array(source.utf8)).bytes == Array(source.utf8))
    }

    /// Keys and texts of a catalogue.
    private static func catalogue(_ language: String) throws -> [String: String] {
        let line = /\n  (\w+): "((?:[^"\\]|\\.)*)",/
        let texts = try source("\(language).js").matches(of: line).map { (String($0.1), String($0.2)) }
        return try Dictionary(texts) { one, _ in throw Failure.twice(one) }
    }

    private enum Failure: Error { case twice(String) }

    @Test("Every language has every text, with the same places, and only texts without words are empty")
    func languages() throws {
        let place = /\{(\w+)\}/
        let english = try Self.catalogue("en")
        #expect(english.count > 100)
        for language in Self.languages {
            let texts = try Self.catalogue(language)
            #expect(Set(texts.keys) == Set(english.keys), "\(language)")
            for (key, text) in texts {
                let places = Set(text.matches(of: place).map { String($0.1) })
                let expected = Set((english[key] ?? "").matches(of: place).map { String($0.1) })
                #expect(places == expected, "\(language) \(key)")
                #expect(text.isEmpty == english[key]?.isEmpty, "\(language) \(key)")
            }
            // Each line of the file is a text, so that none escapes the comparison.
            let lines = try Self.source("\(language).js").split(separator: "\n").count
            #expect(lines == texts.count + 3, "\(language)")
        }
    }

    @Test("Every text that a script names exists, and every text is named")
    func named() throws {
        let english = Set(try Self.catalogue("en").keys)
        let call = /\b(?:t|say)\("(\w+)"/
        let plural = /\b(?:count|sayCount)\("(\w+)"/
        let word = /["`](\w+)/
        var words: Set<String> = []
        for name in try Self.scripts where name.utf8.count != 5 {
            let source = try Self.source(name)
            for found in source.matches(of: call) { #expect(english.contains(String(found.1)), "\(name): \(found.1)") }
            for found in source.matches(of: plural) {
                let forms = ["one", "other"].map { "\(found.1)_\($0)" }
                #expect(english.isSuperset(of: forms), "\(name): \(found.1)")
            }
            words.formUnion(source.matches(of: word).map { String($0.1) })
        }
        for key in english {
            let stem = key.replacing(/_(one|other)$|Lead$/, with: "")
            let isBuilt = ["scope_", "push_"].contains { key.hasPrefix($0) }
            #expect(words.contains(key) || words.contains(stem) || isBuilt, "\(key) is unused")
        }
    }

    @Test(
        "No script makes markup or code of a text",
        arguments: [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser",
            "createContextualFragment", "srcdoc", "setTimeout(\"", "javascript:", "setAttribute(\"on",
        ])
    func noMarkup(word: String) throws {
        for name in try Self.scripts {
            #expect(!(try Self.source(name)).contains(word), "\(name)")
        }
    }

    @Test("CSP 3, Trusted Types: the shell has no inline script and style, and a tenant's name stays text")
    func shell() throws {
        let name = "<script>alert(1)</script> \"&' %VERSION%"
        let shell = String(decoding: Self.app.shell(of: Branding(name: name)).bytes, as: UTF8.self)
        let scripts = shell.matches(of: /<script[^>]*>([^<]*)/)
        #expect(scripts.count == 1)
        #expect(scripts.allSatisfy { $0.1.isEmpty })
        #expect(!shell.contains("style=") && !shell.contains("<style") && !shell.contains(" on"))
        #expect(
            shell.contains("<title>&#60;script&#62;alert(1)&#60;/script&#62; &#34;&#38;&#39; &#37;VERSION&#37;</title>")
        )
        #expect(!shell.contains("%"))
        for directive in [
            "default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'",
            "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'",
        ] { #expect(ApproverApp.policy.split(separator: "; ").contains(Substring(directive))) }
        #expect(!ApproverApp.policy.contains("unsafe"))
    }

    @Test("Everything that the shell and the worker name is served")
    func addresses() throws {
        let address = /\/approver\/([0-9a-f]{16})\/([\w.-]+)/
        let shell = String(decoding: Self.app.shell(of: Self.branding).bytes, as: UTF8.self).matches(of: address)
        #expect(shell.count > 10)
        for found in shell { #expect(Self.app.file(String(found.2), of: String(found.1)) != nil, "\(found.0)") }
        let worker = String(decoding: Self.app.worker(of: Self.branding).bytes, as: UTF8.self)
        let list = try #require(worker.firstMatch(of: /\.\.\.(\[[^\]]+\])\.map/))
        let kept = try #require(try JSONReader.parse(String(list.1)).stringsValue)
        #expect(kept.count > 10)
        for name in kept { #expect(Self.app.file(name, of: Self.app.version) != nil, "\(name)") }
        #expect(Self.app.file("main.js", of: "0000000000000000") == nil)
        #expect(Self.app.file("palette-1F5FBF.css", of: Self.app.version) == nil)
        #expect(Self.app.file("sw.js", of: Self.app.version) == nil)
    }

    @Test("Every module that a script imports is a file")
    func imports() throws {
        for name in try Self.scripts {
            for found in try Self.source(name).matches(of: /from "\.\/(?:%VERSION%\/)?([\w.]+)"/) {
                #expect(Self.app.loaded.contains { $0.name == found.1 }, "\(name): \(found.1)")
            }
        }
    }
}
