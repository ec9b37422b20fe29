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

    public var branding: Branding
    public var language: Language
    public var translations: [Translation]
    public var assets: Assets

    public init(branding: Branding, language: Language, translations: [Translation] = [], assets: Assets) {
        self.branding = branding
        self.language = language
        self.translations = translations
        self.assets = assets
    }
}

/// How a tenant's pages look.
public struct Branding: Sendable, Equatable {
    /// The tenant's name.
    public var name: String
    /// Shown in the name's place; an address of another scheme than `http` or `https` is left out.
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
