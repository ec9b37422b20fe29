package import OAuthWire

/// Says the same whether or not there is an account with the address.
package struct ForgotPasswordSentPage: Page {
    /// The address as it was typed.
    package var email: String
    package var logIn: PageURL?

    package init(email: String, logIn: PageURL? = nil) {
        self.email = email
        self.logIn = logIn
    }

    package var title: LocalizedText { LocalizedText(en: "Check your e-mail", fr: "Consultez vos e-mails") }

    package var sign: HTML { HTML { Components.sign(.letter) } }

    package var content: HTML {
        HTML {
            Components.lead(
                LocalizedText(
                    en: "If there is an account with the address {0}, a message with a link is on its way to it.",
                    fr: "S’il existe un compte avec l’adresse {0}, un message contenant un lien est en route."),
                [Tag.strong { Node.isolated(email) }])
            Tag.p {
                LocalizedText(
                    en: "Nothing there after a few minutes? Look in the spam folder, and check the address.",
                    fr: "Rien reçu après quelques minutes ? Cherchez dans les indésirables et vérifiez l’adresse.")
            }
            if let logIn {
                Components.aside(LocalizedText(en: "Back to log in", fr: "Retour à la connexion"), logIn)
            }
        }
    }
}
