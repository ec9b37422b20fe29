package import OAuthWire

/// Asks to confirm an e-mail address: whoever pressed the button read the mail, which a program that follows links
/// did not.
package struct VerifyEmailPage: Page {
    package var form: PageForm
    package var email: String

    package init(form: PageForm, email: String) {
        self.form = form
        self.email = email
    }

    package var title: LocalizedText {
        LocalizedText(en: "Confirm your e-mail address", fr: "Confirmez votre adresse e-mail")
    }
    package var formsLeadAway: Bool { true }

    package var content: HTML {
        HTML {
            Components.lead(
                LocalizedText(
                    en: "Is {0} your address?", fr: "L’adresse {0} est-elle la vôtre ?"),
                [Tag.strong { Node.isolated(email) }])
            Components.form(form) {
                Components.submit(LocalizedText(en: "Yes, it is mine", fr: "Oui, c’est la mienne"))
            }
        }
    }
}
