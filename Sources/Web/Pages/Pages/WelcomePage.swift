package import Localization

/// Explains the server to a person who opened the issuer's address.
package struct WelcomePage: Page {
    /// The tenant's name.
    package var name: String
    /// The server's metadata, for developers.
    package var metadata: PageURL
    /// The web app with which people approve, and the pages of their account.
    package var approver, account: PageURL

    package init(name: String, metadata: PageURL, approver: PageURL, account: PageURL) {
        self.name = name
        self.metadata = metadata
        self.approver = approver
        self.account = account
    }

    package var title: LocalizedText { localized.ending.welcome }

    package var content: HTML {
        HTML {
            Components.lead(Node.phrase(localized.ending.welcomeLead, .isolated(name)))
            Components.buttonLink(approver, .primary) { localized.account.absent.approver }
            Components.buttonLink(account, .secondary) { localized.account.absent.account }
            Components.aside(after: localized.ending.developer, localized.ending.endpoints, metadata)
        }
    }
}
