public import OAuthWire

/// Says that the new password holds.
public struct PasswordChangedPage: Page {
    public var logIn: PageURL?

    public init(logIn: PageURL? = nil) { self.logIn = logIn }

    public var title: LocalizedText { LocalizedText(en: "Password changed", fr: "Mot de passe changé") }

    public var sign: HTML { HTML { Components.sign(.done) } }

    public var content: HTML {
        HTML {
            Components.lead(
                LocalizedText(
                    en: "Your new password is in use from now on. You can close this page.",
                    fr: "Votre nouveau mot de passe est désormais en service. Vous pouvez fermer cette page."))
            if let logIn {
                Components.buttonLink(logIn, .primary) { LocalizedText(en: "Log in", fr: "Se connecter") }
            }
        }
    }
}
