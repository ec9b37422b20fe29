import Foundation
import OpenSSLCrypto
import Primitives
import Testing

@testable import Approver
@testable import Pages

/// The web app's files, read as people and browsers do.
@Suite("The approver's files")
struct FilesTests {
    private static let approver = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/Web/Approver")
    private static let folder = approver.appending(path: "Files")
    private static let app = ApproverApp(hashing: OpenSSLHashing())
    private static let branding = Branding(name: "Example & Bank")
    private static let languages = ["en", "fr", "de"]
    private static let settings: JSONValue = ["issuer": "https://example.com/", "name": "Example \"Bank\""]
    private static let shell = app.shell(of: branding, settings: settings)

    private static func source(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    private static var scripts: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { $0.hasSuffix(".js") }.sorted()
        }
    }

    private static func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: approver.appending(path: folder).path())
    }

    @Test("Every file of the folders Built and Shell is served, and no other")
    func complete() throws {
        let files = Self.app.loaded + [ApproverFile.shell, .worker]
        let served = files.flatMap { [$0.name] + ($0.compressed == nil ? [] : ["\($0.name).gz"]) }
        #expect(served.sorted() == (try Self.names("Built") + Self.names("Shell")).sorted())
    }

    @Test("The built-in files were made of the current sources; otherwise run scripts/build-approver")
    func current() throws {
        let lines = try String(contentsOf: Self.approver.appending(path: "sources.sha256"), encoding: .utf8)
            .split(separator: "\n")
        let hashes = Dictionary(
            lines.map { line in (String(line.dropFirst(66)), String(line.prefix(64))) }, uniquingKeysWith: { $1 })
        #expect(hashes.keys.sorted() == (try Self.names("Files").sorted()), "run scripts/build-approver")
        for (name, hash) in hashes {
            let bytes = Array(try Data(contentsOf: Self.folder.appending(path: name)))
            #expect(Hex.encode(OpenSSLHashing().sha256(bytes)) == hash, "\(name) changed; run scripts/build-approver")
        }
    }

    @Test("A first start loads less than 46,000 bytes, with the texts of every language")
    func size() throws {
        let colour = try #require(Self.app.file("palette-1f5fbf.css", of: Self.app.version))
        let started = Self.app.loaded.filter { !$0.name.hasSuffix(".png") } + [Self.shell, colour]
        let sizes = started.map { ($0.name, $0.bytes.count, ($0.compressed ?? $0.bytes).count) }
        for (name, plain, sent) in sizes {
            print(name.padding(toLength: 24, withPad: " ", startingAt: 0), plain, sent)
        }
        #expect(sizes.count == 4)
        #expect(sizes.map(\.2).reduce(0, +) < 46_000)
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
        // Keys that scripts put together: of counts, of scopes (OIDC Core 5.4), of notifications, below outcomes and states of passkeys,
        // with a screen, and with what is allowed.
        let built = /(?:scope_|push_)(\w+)|(\w+)_(?:one|other)|(outcome\w+|passkey\w+)Lead|(allow\w*)What|(\w+Number)Of/
        words.formUnion(["openid", "profile", "email", "address", "phone", "offline_access"])
        for key in english {
            let parts = key.wholeMatch(of: built)?.output
            let part = (parts?.1 ?? parts?.2 ?? parts?.3 ?? parts?.4 ?? parts?.5).map(String.init)
            #expect(words.contains(part ?? key) || words.contains(key), "\(key) is unused")
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
        let settings: JSONValue = ["name": .string(name)]
        let shell = String(decoding: Self.app.shell(of: Branding(name: name), settings: settings).bytes, as: UTF8.self)
        let scripts = shell.matches(of: /<script[^>]*>([^<]*)/)
        #expect(scripts.count == 1)
        #expect(scripts.allSatisfy { $0.1.isEmpty })
        #expect(!shell.contains("style=") && !shell.contains("<style") && !shell.contains(" on"))
        #expect(
            shell.contains("<title>&#60;script&#62;alert(1)&#60;/script&#62; &#34;&#38;&#39; &#37;VERSION&#37;</title>")
        )
        #expect(!shell.contains("%"))
        let written = try #require(shell.firstMatch(of: /data-settings="([^"<>]*)"/))
        let read = ["&#34;": "\"", "&#39;": "'", "&#60;": "<", "&#62;": ">", "&#37;": "%", "&#38;": "&"]
            .reduce(String(written.1)) { $0.replacing($1.key, with: $1.value) }
        #expect(try JSONReader.parse(read) == settings)
        for directive in [
            "default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'",
            "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'",
        ] { #expect(ApproverApp.policy.split(separator: "; ").contains(Substring(directive))) }
        #expect(!ApproverApp.policy.contains("unsafe"))
    }

    @Test("Everything that the shell and the worker name is served")
    func addresses() throws {
        let address = /\/approver\/([0-9a-f]{16})\/([\w.-]+)/
        let shell = String(decoding: Self.shell.bytes, as: UTF8.self).matches(of: address)
        #expect(shell.count == 5)
        for found in shell { #expect(Self.app.file(String(found.2), of: String(found.1)) != nil, "\(found.0)") }
        let worker = String(decoding: Self.app.worker(of: Self.branding).bytes, as: UTF8.self)
        #expect(worker.contains("/approver/\(Self.app.version)/") && !worker.contains(/%[A-Z]+%/))
        let kept = Self.app.loaded.map(\.name) + ["palette-\(Self.branding.colour.hex).css"]
        #expect(worker.contains("\"\(kept.joined(separator: " "))\""))
        for name in kept { #expect(Self.app.file(name, of: Self.app.version) != nil, "\(name)") }
        #expect(Self.app.file("approver.js", of: "0000000000000000") == nil)
        #expect(Self.app.file("palette-1F5FBF.css", of: Self.app.version) == nil)
        #expect(Self.app.file("sw.js", of: Self.app.version) == nil)
    }

    @Test("Trusted Types: bundling leaves one policy, and no text that becomes code")
    func bundled() throws {
        for file in Self.app.loaded + [.worker] where file.name.hasSuffix(".js") {
            let text = String(decoding: file.bytes, as: UTF8.self)
            #expect(
                !text.contains("eval(") && !text.contains("Function(") && !text.contains("innerHTML"), "\(file.name)")
            #expect(text.firstMatch(of: /\bimport[ {(]/) == nil, "\(file.name)")
        }
    }
}
