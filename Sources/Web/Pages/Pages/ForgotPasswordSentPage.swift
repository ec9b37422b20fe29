package import Localization

/// Confirms the request, with the same text whether or not the account exists.
package struct ForgotPasswordSentPage: Page {
    /// The typed address.
    package var email: String
    package var logIn: PageURL?

    package init(email: String, logIn: PageURL? = nil) {
        self.email = email
        self.logIn = logIn
    }

    package var title: LocalizedText { localized.password.sent }

    package var sign: HTML { HTML { Components.sign(.envelope) } }

    package var content: HTML {
        HTML {
            Components.lead(Node.phrase(localized.password.sentLead, Tag.strong { Node.isolated(email) }))
            Tag.p { localized.password.nothingArrived }
            if let logIn { Components.aside(localized.form.backToLogin, logIn) }
        }
    }
}
