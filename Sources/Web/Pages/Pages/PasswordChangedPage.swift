package import OAuthWire

/// Says that the new password holds, and how to go on.
package struct PasswordChangedPage: Page {
    /// The page where a login begins. Nil if that is not known.
    package var goOn: PageURL?

    package init(goOn: PageURL? = nil) { self.goOn = goOn }

    package var title: LocalizedText { LocalizedText(en: "Password changed", fr: "Mot de passe changé") }

    package var sign: HTML { HTML { Components.sign(.done) } }

    package var content: HTML {
        HTML {
            if let goOn {
                Components.lead(
                    LocalizedText(
                        en: "Your new password is in use from now on. Go on and log in with it.",
                        fr: "Votre nouveau mot de passe est désormais en service. Poursuivez pour vous connecter."))
                Components.buttonLink(goOn, .primary) { LocalizedText(en: "Log in", fr: "Se connecter") }
            } else {
                Components.lead(
                    LocalizedText(
                        en: "Your new password is in use from now on. Go back to the application and log in with it. "
                            + "You can close this page.",
                        fr: "Votre nouveau mot de passe est désormais en service. Retournez à l’application et "
                            + "connectez-vous. Vous pouvez fermer cette page."))
            }
        }
    }
}
