package import Localization

/// Says the same whether or not there is an account with the address.
package struct ForgotPasswordSentPage: Page {
    /// The address as it was typed.
    package var email: String
    package var logIn: PageURL?

    package init(email: String, logIn: PageURL? = nil) {
        self.email = email
        self.logIn = logIn
    }

    package var title: LocalizedText { localized.password.sent }

    package var sign: HTML { HTML { Components.sign(.letter) } }

    package var content: HTML {
        HTML {
            Components.lead(Node.phrase(localized.password.sentLead, Tag.strong { Node.isolated(email) }))
            Tag.p { localized.password.nothingArrived }
            if let logIn {
                Components.aside(localized.form.backToLogin, logIn)
            }
        }
    }
}
