package import Localization

/// Says that the session here has ended.
package struct LoggedOutPage: Page {
    package var logIn: PageURL?

    package init(logIn: PageURL? = nil) { self.logIn = logIn }

    package var title: LocalizedText { localized.logout.loggedOut }

    package var sign: HTML { HTML { Components.sign(.done) } }

    package var content: HTML {
        HTML {
            Components.lead(localized.logout.loggedOutLead)
            if let logIn {
                Components.buttonLink(logIn, .secondary) { localized.logout.logInAgain }
            }
        }
    }
}
