import Glibc
import HTTPModel
import Localization
import Primitives
import Testing

@testable import Pages

private var galleryFolder: String? { getenv("PAGES_GALLERY").map { String(cString: $0) } }

/// Writes every page and its assets as files, for inspection in a browser.
@Suite("Gallery", .enabled(if: galleryFolder != nil, "set PAGES_GALLERY to a folder"))
struct GalleryTests {
    @Test("Every page in every language, as files")
    func write() throws {
        let folder = try #require(galleryFolder)
        mkdir(folder, 0o755)
        mkdir(folder + Assets.prefix, 0o755)
        var samples = Samples()
        samples.outside = "Acme Bank"
        var frame = samples.frame
        for (name, page) in try samples.pages() {
            for language in Language.allCases {
                frame.language = language
                frame.translations = Language.allCases.filter { $0 != language }.map { other in
                    .init(other, PageURL(path: "/\(name).\(other.rawValue).html"))
                }
                try write(page.html(in: frame), to: "\(folder)/\(name).\(language.rawValue).html")
            }
        }
        // Colours too light and too dark for text, and a logo.
        try write(Array(Self.logo.utf8), to: folder + "/logo.svg")
        frame.branding.logo = PageURL(path: "/logo.svg")
        for hex in ["ffd400", "0a0a0a", "e4572e", "ffffff"] {
            frame.branding.colour = try #require(Colour(hex: hex))
            let page = LoginPage(
                form: samples.form, client: samples.outside, connections: samples.connections,
                forgotPassword: samples.page,
                signUp: samples.page)
            try write(page.html(in: frame), to: "\(folder)/login-\(hex).fr.html")
            let stylesheet = frame.assets.stylesheet(frame.branding.colour)
            try write(stylesheet.bytes, to: folder + stylesheet.path)
        }
        for asset in [
            Samples.assets.stylesheet(Branding.defaultColour), Samples.assets.formPostScript,
            Samples.assets.passkeyScript,
        ] {
            try write(asset.bytes, to: folder + asset.path)
        }
    }

    private static let logo = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 40" width="160" height="40">
        <circle cx="20" cy="20" r="16" fill="#c2185b"/><rect x="48" y="12" width="104" height="16" fill="#222"/></svg>
        """

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }
}
