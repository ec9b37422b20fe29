package import Localization

/// Explains the server to a person who opened the issuer's address.
package struct WelcomePage: Page {
    /// The tenant's name.
    package var name: String
    /// The server's metadata, for developers.
    package var metadata: PageURL

    package init(name: String, metadata: PageURL) {
        self.name = name
        self.metadata = metadata
    }

    package var title: LocalizedText { localized.ending.welcome }

    package var content: HTML {
        HTML {
            Components.lead(Node.phrase(localized.ending.welcomeLead, .isolated(name)))
            Components.aside(after: localized.ending.developer, localized.ending.endpoints, metadata)
        }
    }
}
