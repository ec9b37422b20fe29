package import Localization
package import Primitives

/// The parts around every page: the tenant's branding, the language and links.
package struct PageFrame: Sendable {
    /// The same page in another language.
    package struct Translation: Sendable, Equatable {
        package let language: Language
        package let url: PageURL

        package init(_ language: Language, _ url: PageURL) {
            self.language = language
            self.url = url
        }
    }

    /// An address below every page, such as that of the privacy notice.
    package struct Link: Sendable, Equatable {
        package enum Kind: Sendable, CaseIterable {
            case support, privacy, terms

            var words: LocalizedText {
                switch self {
                case .support: localized.frame.help
                case .privacy: localized.frame.privacy
                case .terms: localized.frame.terms
                }
            }
        }

        package let kind: Kind
        package let url: PageURL

        package init(_ kind: Kind, _ url: PageURL) {
            self.kind = kind
            self.url = url
        }
    }

    package var branding: Branding
    package var language: Language
    package var links: [Link]
    package var translations: [Translation]
    package var assets: Assets
    /// True if the opening window waits for an answer and must be able to reach this one.
    package var keepsOpener: Bool
    /// Nil for a page that waits for nothing.
    package var waiting: Waiting?

    package init(
        branding: Branding, language: Language, links: [Link] = [], translations: [Translation] = [], assets: Assets,
        keepsOpener: Bool = false, waiting: Waiting? = nil
    ) {
        self.branding = branding
        self.language = language
        self.links = links
        self.translations = translations
        self.assets = assets
        self.keepsOpener = keepsOpener
        self.waiting = waiting
    }

    /// The frame for a page. Omits a logo from another host if the page holds an answer.
    func fitted(to page: some Page) -> PageFrame {
        guard page.holdsAnswer else { return self }
        var frame = self
        frame.branding.logo = nil
        return frame
    }
}

/// Branding of a tenant's pages.
package struct Branding: Sendable, Equatable {
    /// The tenant's name.
    package var name: String
    /// Shown beside the name. Omitted if its scheme is neither `http` nor `https`.
    package var logo: PageURL?
    /// Colour of the main button. The colour of links is derived from it.
    package var colour: Colour

    package static let defaultColour = Colour(red: 0x1F, green: 0x5F, blue: 0xBF)

    package init(name: String, logo: PageURL? = nil, colour: Colour = defaultColour) {
        self.name = name
        self.logo = logo
        self.colour = colour
    }
}
