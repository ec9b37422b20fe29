package import OAuthWire

/// Makes an account in the database connection.
package struct SignUpPage: Page {
    /// The fields ``FieldName/email``, ``FieldName/name`` (may be empty) and ``FieldName/password``.
    package var form: PageForm
    /// The name of the application that the person is signing up for.
    package var client: String?
    package var email: FieldInput
    package var name: FieldInput
    package var passwordProblem: LocalizedText?
    /// What a password must be like, in a sentence.
    package var passwordRule: LocalizedText
    package var problem: LocalizedText?
    package var connections: [ConnectionChoice]
    package var logIn: PageURL

    package init(
        form: PageForm, client: String? = nil, email: FieldInput = FieldInput(), name: FieldInput = FieldInput(),
        passwordProblem: LocalizedText? = nil, passwordRule: LocalizedText, problem: LocalizedText? = nil,
        connections: [ConnectionChoice] = [], logIn: PageURL
    ) {
        self.form = form
        self.client = client
        self.email = email
        self.name = name
        self.passwordProblem = passwordProblem
        self.passwordRule = passwordRule
        self.problem = problem
        self.connections = connections
        self.logIn = logIn
    }

    package var title: LocalizedText { LocalizedText(en: "Sign up", fr: "Créer un compte") }
    package var formsLeadAway: Bool { true }

    package var problems: [Problem] {
        Components.problems(
            problem,
            [(FieldName.email, email.problem), (FieldName.name, name.problem), (FieldName.password, passwordProblem)])
    }

    package var content: HTML {
        HTML {
            if let client {
                Components.lead(
                    LocalizedText(en: "to continue to {0}", fr: "pour continuer vers {0}"), [.isolated(client)])
            }
            Components.form(form) {
                Components.email(email)
                Components.field(
                    FieldName.name, LocalizedText(en: "Your name", fr: "Votre nom"), type: .text, .name, input: name,
                    isOptional: true)
                Components.newPassword(
                    LocalizedText(en: "Password", fr: "Mot de passe"), rule: passwordRule, problem: passwordProblem)
                Components.submit(LocalizedText(en: "Sign up", fr: "Créer le compte"))
            }
            Components.connections(connections, afterForm: true)
            Components.aside(
                after: LocalizedText(en: "Already have an account?", fr: "Vous avez déjà un compte ?"),
                LocalizedText(en: "Log in", fr: "Se connecter"), logIn)
        }
    }
}
