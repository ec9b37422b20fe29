/// The colours of a tenant's pages that depend on its own: whatever it is, texts have a contrast of at least 4.5
/// (WCAG 2.2, 1.4.3).
struct Palette {
    /// The lightest and the darkest that text stands on, in light and in dark mode; the stylesheet's own.
    static let lightBackgrounds = (page: Colour(red: 0xF4, green: 0xF5, blue: 0xF7), card: Colour.white)
    static let darkBackgrounds = (
        page: Colour(red: 0x10, green: 0x13, blue: 0x18), card: Colour(red: 0x1B, green: 0x1F, blue: 0x27)
    )

    /// The tenant's colour, behind the text of the main button.
    let accent: Colour
    /// Black or white, whichever is easier to read on it: one of them always has a contrast of 4.58 or more.
    let onAccent: Colour
    /// The colour of links, darkened until it can be read on light backgrounds.
    let lightLink: Colour
    /// The colour of links, lightened until it can be read on dark backgrounds.
    let darkLink: Colour

    init(_ accent: Colour) {
        self.accent = accent
        onAccent = accent.contrast(with: .white) >= accent.contrast(with: .black) ? .white : .black
        lightLink = accent.readable(on: Self.lightBackgrounds.page, towards: .black)
        darkLink = accent.readable(on: Self.darkBackgrounds.card, towards: .white)
    }

    /// Custom properties that the stylesheet uses.
    var css: String {
        """
        :root{--accent:#\(accent.hex);--on-accent:#\(onAccent.hex);--link:#\(lightLink.hex);\
        --page:#\(Self.lightBackgrounds.page.hex);--card:#\(Self.lightBackgrounds.card.hex)}
        @media(prefers-color-scheme:dark){:root{--link:#\(darkLink.hex);\
        --page:#\(Self.darkBackgrounds.page.hex);--card:#\(Self.darkBackgrounds.card.hex)}}

        """
    }
}
