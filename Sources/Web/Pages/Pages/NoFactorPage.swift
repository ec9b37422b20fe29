package import Localization

/// Says that the person has no factor that the application's request requires.
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

    package var title: LocalizedText { localized.secondFactor.needsPhone }
    package var formsLeadAway: Bool { true }

    package var sign: HTML { HTML { Components.sign(.phone) } }

    package var content: HTML {
        HTML {
            Components.lead(Node.phrase(localized.secondFactor.needsPhoneLead, .isolated(client)))
            Tag.p { localized.secondFactor.needsPhoneAdvice }
            Components.form(form) { Components.submit(localized.form.backToApplication) }
            Components.account(account)
        }
    }
}
