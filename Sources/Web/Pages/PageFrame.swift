public import OAuthWire

/// What surrounds every page: whose it is and in which language.
public struct PageFrame: Sendable {
    /// The same page in another language.
    public struct Translation: Sendable, Equatable {
        public let language: Language
        public let url: PageURL

        public init(_ language: Language, _ url: PageURL) {
            self.language = language
            self.url = url
        }
    }

    /// An address below every page, such as that of the privacy notice.
    public struct Link: Sendable, Equatable {
        public enum Kind: Sendable, CaseIterable {
            case support, privacy, terms

            var words: LocalizedText {
                switch self {
                case .support: LocalizedText(en: "Help", fr: "Aide")
                case .privacy: LocalizedText(en: "Privacy", fr: "Confidentialité")
                case .terms: LocalizedText(en: "Terms", fr: "Conditions")
                }
            }
        }

        public let kind: Kind
        public let url: PageURL

        public init(_ kind: Kind, _ url: PageURL) {
            self.kind = kind
            self.url = url
        }
    }

    public var branding: Branding
    public var language: Language
    public var links: [Link]
    public var translations: [Translation]
    public var assets: Assets
    /// True if the window that opened this page's window, and waits for an answer, can still reach it.
    public var keepsOpener: Bool

    public init(
        branding: Branding, language: Language, links: [Link] = [], translations: [Translation] = [], assets: Assets,
        keepsOpener: Bool = false
    ) {
        self.branding = branding
        self.language = language
        self.links = links
        self.translations = translations
        self.assets = assets
        self.keepsOpener = keepsOpener
    }

    /// The frame of a page: without a logo from elsewhere if the page holds an answer.
    func fitted(to page: some Page) -> PageFrame {
        guard page.holdsAnswer else { return self }
        var frame = self
        frame.branding.logo = nil
        return frame
    }
}

/// How a tenant's pages look.
public struct Branding: Sendable, Equatable {
    /// The tenant's name.
    public var name: String
    /// Shown beside the name; an address of another scheme than `http` or `https` is left out.
    public var logo: PageURL?
    /// The colour of the main button; that of links is made from it.
    public var colour: Colour

    public static let defaultColour = Colour(red: 0x1F, green: 0x5F, blue: 0xBF)

    public init(name: String, logo: PageURL? = nil, colour: Colour = defaultColour) {
        self.name = name
        self.logo = logo
        self.colour = colour
    }
}
