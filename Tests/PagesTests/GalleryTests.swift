import Glibc
import HTTPModel
import OAuthWire
import Testing

@testable import Pages

private var galleryFolder: String? { getenv("PAGES_GALLERY").map { String(cString: $0) } }

/// Writes every page and what it loads as files, to be looked at in a browser.
@Suite("Gallery", .enabled(if: galleryFolder != nil, "set PAGES_GALLERY to a folder"))
struct GalleryTests {
    @Test("Every page in every language, as files")
    func write() throws {
        let folder = try #require(galleryFolder)
        mkdir(folder, 0o755)
        mkdir(folder + Assets.prefix, 0o755)
        var samples = Samples()
        samples.outside = "Acme Bank"
        for (name, page) in try samples.pages() {
            for language in Language.allCases {
                var frame = samples.frame
                frame.language = language
                try write(page.html(in: frame), to: "\(folder)/\(name).\(language.rawValue).html")
            }
        }
        for asset in [Samples.assets.stylesheet(Branding.defaultColour), Samples.assets.formPostScript] {
            try write(asset.bytes, to: folder + asset.path)
        }
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }
}
