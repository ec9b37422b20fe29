package import Localization

/// Asks to confirm an e-mail address. The button proves that a person read the mail, since programs only follow links.
package struct VerifyEmailPage: Page {
    package var form: PageForm
    package var email: String

    package init(form: PageForm, email: String) {
        self.form = form
        self.email = email
    }

    package var title: LocalizedText { localized.email.confirm }
    package var formsLeadAway: Bool { true }

    package var content: HTML {
        HTML {
            Components.lead(Node.phrase(localized.email.question, Tag.strong { Node.isolated(email) }))
            Components.form(form) { Components.submit(localized.email.yes) }
        }
    }
}
