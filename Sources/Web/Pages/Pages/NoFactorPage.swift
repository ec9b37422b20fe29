package import OAuthWire

/// Says that the person has nothing that confirms what the application asks for.
package struct NoFactorPage: Page {
    /// Ends the login and leads back to the application.
    package var form: PageForm
    /// The application's name.
    package var client: String
    package var account: AccountInUse?

    package init(form: PageForm, client: String, account: AccountInUse? = nil) {
        self.form = form
        self.client = client
        self.account = account
    }

    package var title: LocalizedText { LocalizedText(en: "This needs your phone", fr: "Il faut votre téléphone") }
    package var formsLeadAway: Bool { true }

    package var sign: HTML { HTML { Components.sign(.phone) } }

    package var content: HTML {
        HTML {
            Components.lead(
                LocalizedText(
                    en: "What {0} asks for has to be shown and allowed on a phone. Your account has no phone that can.",
                    fr: "La demande de {0} doit être affichée et acceptée sur un téléphone. Aucun téléphone de votre "
                        + "compte ne le permet."),
                [.isolated(client)])
            Tag.p {
                LocalizedText(
                    en: "Ask the people who run this service to add your phone. A code is not enough here.",
                    fr: "Demandez au responsable de ce service d’ajouter votre téléphone. Un code ne suffit pas ici.")
            }
            Components.form(form) {
                Components.submit(LocalizedText(en: "Go back to the application", fr: "Revenir à l’application"))
            }
            Components.account(account)
        }
    }
}
