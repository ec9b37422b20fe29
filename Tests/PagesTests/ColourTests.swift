import Primitives
import Testing

@testable import Pages

@Suite("Colours")
struct ColourTests {
    @Test("WCAG 2.2: relative luminance and contrast of known colours")
    func known() throws {
        #expect(Colour.white.luminance == 1)
        #expect(Colour.black.luminance == 0)
        #expect(abs(Colour.white.contrast(with: .black) - 21) < 1e-9)
        #expect(abs(try #require(Colour(hex: "#f00")).luminance - 0.2126) < 1e-9)
        #expect(abs(try #require(Colour(hex: "#777777")).contrast(with: .white) - 4.478) < 0.001)
        #expect(abs(try #require(Colour(hex: "0969da")).contrast(with: .white) - 5.19) < 0.01)
    }

    @Test("A colour is written in three or six hexadecimal digits", arguments: ["#1a6fd4", "1A6FD4", "#16d"])
    func hex(text: String) throws {
        #expect(try #require(Colour(hex: text)).hex == (text == "#16d" ? "1166dd" : "1a6fd4"))
    }

    @Test("Other texts are not colours", arguments: ["", "#", "#12", "#1234", "#12345g", "red", "##123456", "#é0é0é0"])
    func notHex(text: String) {
        #expect(Colour(hex: text) == nil)
    }

    @Test("WCAG 2.2, 1.4.3: texts are readable with any tenant colour")
    func readable() {
        // Every 15th value of each component, including the extremes.
        let values = stride(from: UInt8(0), through: 255, by: 15).map(\.self)
        for red in values {
            for green in values {
                for blue in values {
                    let palette = Palette(Colour(red: red, green: green, blue: blue))
                    let pairs = [
                        (palette.onAccent, palette.accent),
                        (palette.lightLink, Palette.lightBackgrounds.page),
                        (palette.lightLink, Palette.lightBackgrounds.card),
                        (palette.darkLink, Palette.darkBackgrounds.page),
                        (palette.darkLink, Palette.darkBackgrounds.card),
                    ]
                    for (text, background) in pairs where text.contrast(with: background) < 4.5 {
                        Issue.record("#\(text.hex) on #\(background.hex) of #\(palette.accent.hex)")
                    }
                }
            }
        }
    }

    @Test("A readable colour stays unchanged")
    func untouched() throws {
        let colour = try #require(Colour(hex: "#0b5cad"))
        #expect(Palette(colour).lightLink == colour)
    }
}
