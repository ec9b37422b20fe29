public import OAuthWire

/// Says that the session here has ended.
public struct LoggedOutPage: Page {
    public var logIn: PageURL?

    public init(logIn: PageURL? = nil) { self.logIn = logIn }

    public var title: LocalizedText { LocalizedText(en: "You are logged out", fr: "Votre session est fermée") }

    public var sign: HTML { HTML { Components.sign(.done) } }

    public var content: HTML {
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
