package import OAuthWire

/// Asks where to send the link that resets a password.
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

    package var title: LocalizedText { LocalizedText(en: "Forgot your password?", fr: "Mot de passe oublié ?") }

    package var problems: [Problem] { Components.problems(problem, [(FieldName.email, email.problem)]) }

    package var content: HTML {
        HTML {
            Components.lead(
                LocalizedText(
                    en: "Enter your e-mail address, and we will send you a link to choose a new password.",
                    fr: "Indiquez votre adresse e-mail : vous recevrez un lien pour choisir un nouveau mot de passe."))
            Components.form(form) {
                Components.email(email)
                Components.submit(LocalizedText(en: "Send the link", fr: "Envoyer le lien"))
            }
            if let logIn {
                Components.aside(LocalizedText(en: "Back to log in", fr: "Retour à la connexion"), logIn)
            }
        }
    }
}
