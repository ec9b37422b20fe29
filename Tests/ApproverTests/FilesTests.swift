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

    @Test("All files together, with the texts of every language, have less than 103,000 bytes uncompressed")
    func size() throws {
        let colour = try #require(Self.app.file("palette-1f5fbf.css", of: Self.app.version))
        let files = Self.app.loaded + [Self.app.shell(of: Self.branding), Self.app.worker(of: Self.branding), colour]
        let manifest = JSONWriter.bytes(Self.app.manifest(of: Self.branding))
        let sizes = files.map { ($0.name, $0.bytes.count) } + [("manifest.webmanifest", manifest.count)]
        let total = sizes.map(\.1).reduce(0, +)
        for (name, size) in sizes + [("in all", total)] {
            print(name.padding(toLength: 24, withPad: " ", startingAt: 0), size.formatted(.number.grouping(.never)))
        }
        #expect(total < 103_000)
    }

    @Test("Squeezed files lose comments, indentation and spaces beside signs, and nothing else")
    func squeezed() {
        let source = """
            /** Sum.
             *  @param {number} a */
            export const add = (a) => {
              // One more.
              if (a === 1) return [a, "a , b"];
              const b = `
                a , b`;
              return `a // b ${a}`;
            };

            """
        let squeezed = ApproverFile("x.js", Array(source.utf8)).bytes
        #expect(
            String(decoding: squeezed, as: UTF8.self) == """
                export const add=(a)=>{if(a===1)return[a,"a , b"];const b=`
                a , b`;return `a // b ${a}`};
                """)
        #expect(ApproverFile("x.png", Array(source.utf8)).bytes == Array(source.utf8))
    }

    /// Keys, each with the texts of all languages in their order.
    private static func catalogue() throws -> [String: [String]] {
        let lines = try source("texts.js").split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines[1] == "export default `" && lines.last == "`;")
        let texts = Array(lines[2..<lines.index(before: lines.endIndex)])
        let entry = 1 + languages.count
        #expect(texts.count.isMultiple(of: entry))
        let entries = stride(from: 0, to: texts.count, by: entry).map { start in
            let texts = texts[start..<min(start + entry, texts.count)].map(String.init)
            return (texts[0], texts.dropFirst().map { String($0.dropFirst(2)) })
        }
        return try Dictionary(entries) { one, _ in throw Failure.twice(one[0]) }
    }

    private enum Failure: Error { case twice(String) }

    @Test("Every key has a text in every language, with the same places")
    func languages() throws {
        let place = /\{(\w+)\}/
        let lines = try Self.source("texts.js").split(separator: "\n").dropFirst(2).dropLast()
        for (index, line) in lines.enumerated() {
            let isKey = index.isMultiple(of: 1 + Self.languages.count)
            let isIndented = line.hasPrefix("  ") && line.dropFirst(2).first?.isWhitespace == false
            #expect(isKey ? line.wholeMatch(of: /\w+/) != nil : isIndented, "\(line)")
            // Signs that mean something to the script, or that the server takes for a comment.
            #expect(!line.contains { "`\\$".contains($0) } && !line.dropFirst(2).hasPrefix("/"), "\(line)")
        }
        let catalogue = try Self.catalogue()
        #expect(catalogue.count > 100)
        for (key, texts) in catalogue {
            #expect(texts.count == Self.languages.count, "\(key)")
            let places = texts.map { text in Set(text.matches(of: place).map { String($0.1) }) }
            #expect(Set(places).count == 1, "\(key)")
        }
        let script = try Self.source("text.js")
        #expect(
            script.contains(
                "const languages = \(JSONWriter.string(JSONValue(Self.languages)));".replacing(",\"", with: ", \"")))
    }

    @Test("Every text that a script names exists, and every text is named")
    func named() throws {
        let english = Set(try Self.catalogue().keys)
        let call = /\b(?:t|say)\("(\w+)"/
        let plural = /\bsayCount\("(\w+)"/
        let word = /"(\w+)"/
        var words: Set<String> = []
        for name in try Self.scripts where name != "texts.js" {
            let source = try Self.source(name)
            for found in source.matches(of: call) { #expect(english.contains(String(found.1)), "\(name): \(found.1)") }
            for found in source.matches(of: plural) {
                let forms = ["one", "other"].map { "\(found.1)_\($0)" }
                #expect(english.isSuperset(of: forms), "\(name): \(found.1)")
            }
            words.formUnion(source.matches(of: word).map { String($0.1) })
        }
        // Keys that scripts put together: of counts, of scopes (OIDC Core 5.4), of notifications, and below outcomes.
        let built = /(?:scope_|push_)(\w+)|(\w+)_(?:one|other)|(outcome\w+)Lead/
        words.formUnion(["openid", "profile", "email", "address", "phone", "offline_access"])
        for key in english {
            let parts = key.wholeMatch(of: built)?.output
            let part = (parts?.1 ?? parts?.2 ?? parts?.3).map(String.init)
            #expect(words.contains(part ?? key), "\(key) is unused")
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
        #expect(shell.count == 5)
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
