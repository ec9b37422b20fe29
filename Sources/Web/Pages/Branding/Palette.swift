package import Primitives

/// Colours derived from a tenant's colour. Texts have a contrast of at least 4.5 with any colour (WCAG 2.2, 1.4.3).
package struct Palette {
    /// Lightest and darkest backgrounds of text in light and dark mode, as in the stylesheet.
    static let lightBackgrounds = (page: Colour(red: 0xF4, green: 0xF5, blue: 0xF7), card: Colour.white)
    static let darkBackgrounds = (
        page: Colour(red: 0x10, green: 0x13, blue: 0x18), card: Colour(red: 0x1B, green: 0x1F, blue: 0x27)
    )

    /// The tenant's colour, behind the text of the main button.
    let accent: Colour
    /// The ink on `accent`.
    let onAccent: Colour
    /// Colour of links, darkened until it is readable on light backgrounds.
    let lightLink: Colour
    /// Colour of links, lightened until it is readable on dark backgrounds.
    let darkLink: Colour

    package init(_ accent: Colour) {
        self.accent = accent
        onAccent = accent.ink
        lightLink = accent.readable(on: Self.lightBackgrounds.page, towards: .black)
        darkLink = accent.readable(on: Self.darkBackgrounds.card, towards: .white)
    }

    /// Custom properties that the stylesheet uses.
    package var css: String {
        """
        :root{--accent:#\(accent.hex);--on-accent:#\(onAccent.hex);--link:#\(lightLink.hex);\
        --page:#\(Self.lightBackgrounds.page.hex);--card:#\(Self.lightBackgrounds.card.hex)}
        @media(prefers-color-scheme:dark){:root{--link:#\(darkLink.hex);\
        --page:#\(Self.darkBackgrounds.page.hex);--card:#\(Self.darkBackgrounds.card.hex)}}

        """
    }
}
