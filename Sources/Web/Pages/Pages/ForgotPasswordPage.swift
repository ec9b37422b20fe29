package import Localization

/// Asks for the e-mail address to which the reset link is sent.
package struct ForgotPasswordPage: Page {
    /// The field ``FieldName/email``.
    package var form: PageForm
    package var email: FieldInput
    package var problem: LocalizedText?
    package var logIn: PageURL?

    package init(
        form: PageForm, email: FieldInput = FieldInput(), problem: LocalizedText? = nil, logIn: PageURL? = nil
    ) {
        self.form = form
        self.email = email
        self.problem = problem
        self.logIn = logIn
    }

    package var title: LocalizedText { localized.password.forgotten }

    package var problems: [Problem] { Components.problems(problem, [(FieldName.email, email.problem)]) }

    package var content: HTML {
        HTML {
            Components.lead(localized.password.sendLinkLead)
            Components.form(form) {
                Components.email(email)
                Components.submit(localized.password.sendLink)
            }
            if let logIn { Components.aside(localized.form.backToLogin, logIn) }
        }
    }
}
