public import OAuthWire

/// Asks to confirm an e-mail address: whoever pressed the button read the mail, which a program that follows links
/// did not.
public struct VerifyEmailPage: Page {
    public var form: PageForm
    public var email: String

    public init(form: PageForm, email: String) {
        self.form = form
        self.email = email
    }

    public var title: LocalizedText {
        LocalizedText(en: "Confirm your e-mail address", fr: "Confirmez votre adresse e-mail")
    }
    public var formsLeadAway: Bool { true }

    public var content: HTML {
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
