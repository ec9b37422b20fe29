import HTTPModel
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

@testable import Pages

@Suite("Assets")
struct AssetsTests {
    let assets = Samples.assets
    var scripts: [Asset] {
        [assets.formPostScript, assets.waitingScript, assets.passkeyScript, assets.approvalScript]
    }

    @Test("RFC 8246: an asset's path has a hash of its bytes, and the asset is immutable")
    func path() throws {
        let colour = try #require(Colour(hex: "#0b5cad"))
        let asset = assets.stylesheet(colour)
        let hash = Hex.encode(OpenSSLHashing().sha256(asset.bytes).prefix(8))
        #expect(asset.path == "/assets/page-0b5cad-\(hash).css")
        #expect(asset.response.fields["Cache-Control"] == "public, max-age=31536000, immutable")
        #expect(asset.response.fields["Content-Type"] == "text/css; charset=utf-8")
        for script in scripts {
            #expect(script.response.fields["Content-Type"] == "text/javascript; charset=utf-8")
        }
    }

    @Test("Every node serves an asset at the same path")
    func found() throws {
        let asset = assets.stylesheet(try #require(Colour(hex: "#0b5cad")))
        #expect(Assets(hashing: OpenSSLHashing())[name: asset.name] == asset)
        for script in scripts { #expect(assets[name: script.name] == script) }
    }

    @Test(
        "Other names have no asset",
        arguments: [
            "", "page-", "page-0b5cad-0000000000000000.css", "page-0b5cad.css", "page-zzzzzz-0.css", "../page",
            "form-post-.js", "page-éééééé", "/assets/page-0b5cad.css",
        ])
    func notFound(name: String) {
        #expect(assets[name: name] == nil)
    }

    @Test("A colour has one stylesheet, in any spelling")
    func oneSpelling() throws {
        let name = assets.stylesheet(try #require(Colour(hex: "#ABCDEF"))).name
        #expect(assets[name: name] != nil)
        #expect(assets[name: name.replacing("abcdef", with: "ABCDEF")] == nil)
    }

    @Test("Pages link the stylesheet and the script by their paths")
    func named() throws {
        let samples = Samples()
        for (_, _, root) in try samples.documents() {
            #expect(root.all("link").first?["href"] == assets.stylesheet(samples.frame.branding.colour).path)
        }
    }

    @Test("CSS Syntax 3: the stylesheet's braces match, and it loads nothing from other hosts")
    func stylesheet() {
        let text = String(decoding: assets.stylesheet(Branding.defaultColour).bytes, as: UTF8.self)
        var depth = 0
        for character in text {
            if character == "{" { depth += 1 }
            if character == "}" { depth -= 1 }
            #expect(depth >= 0)
        }
        #expect(depth == 0)
        #expect(!text.contains("url(") && !text.contains("@import"))
    }

    @Test("Every used custom property is set")
    func properties() {
        let text = String(decoding: assets.stylesheet(Branding.defaultColour).bytes, as: UTF8.self)
        for match in text.matches(of: /var\((--[a-z-]+)\)/) {
            #expect(text.contains("\(match.output.1):"), "\(match.output.1)")
        }
    }
}
