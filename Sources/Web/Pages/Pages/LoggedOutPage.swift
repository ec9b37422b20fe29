package import OAuthWire

/// Says that the session here has ended.
package struct LoggedOutPage: Page {
    package var logIn: PageURL?

    package init(logIn: PageURL? = nil) { self.logIn = logIn }

    package var title: LocalizedText { LocalizedText(en: "You are logged out", fr: "Votre session est fermée") }

    package var sign: HTML { HTML { Components.sign(.done) } }

    package var content: HTML {
        HTML {
            Components.lead(
                LocalizedText(
                    en: "You can close this page. On a shared computer, close the browser as well.",
                    fr: "Vous pouvez fermer cette page. Sur un ordinateur partagé, fermez aussi le navigateur."))
            if let logIn {
                Components.buttonLink(logIn, .secondary) {
                    LocalizedText(en: "Log in again", fr: "Se reconnecter")
                }
            }
        }
    }
}
