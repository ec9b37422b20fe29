package import OAuthWire

/// Asks who the person is: by password, by another connection, or both.
package struct LoginPage: Page {
    /// The fields ``FieldName/username`` and ``FieldName/password``; nil where the tenant or the client has no
    /// database connection.
    package var form: PageForm?
    /// The name of the application that the person is logging in to.
    package var client: String?
    package var username: FieldInput
    package var passwordProblem: LocalizedText?
    /// What is wrong with the whole, such as a wrong password: it is not said which of the two fields is wrong.
    package var problem: LocalizedText?
    package var connections: [ConnectionChoice]
    package var forgotPassword: PageURL?
    package var signUp: PageURL?

    package init(
        form: PageForm?, client: String? = nil, username: FieldInput = FieldInput(),
        passwordProblem: LocalizedText? = nil, problem: LocalizedText? = nil, connections: [ConnectionChoice] = [],
        forgotPassword: PageURL? = nil, signUp: PageURL? = nil
    ) {
        self.form = form
        self.client = client
        self.username = username
        self.passwordProblem = passwordProblem
        self.problem = problem
        self.connections = connections
        self.forgotPassword = forgotPassword
        self.signUp = signUp
    }

    package var title: LocalizedText { LocalizedText(en: "Log in", fr: "Connexion") }
    package var formsLeadAway: Bool { true }

    package var problems: [Problem] {
        Components.problems(
            problem, [(FieldName.username, username.problem), (FieldName.password, passwordProblem)])
    }

    package var content: HTML {
        HTML {
            if let client {
                Components.lead(
                    LocalizedText(en: "to continue to {0}", fr: "pour continuer vers {0}"), [.isolated(client)])
            }
            if let form {
                Components.form(form) {
                    Components.field(
                        FieldName.username, LocalizedText(en: "E-mail address", fr: "Adresse e-mail"), type: .text,
                        .username, input: username, attributes: [.emailKeys] + Attribute.verbatim)
                    Components.field(
                        FieldName.password, LocalizedText(en: "Password", fr: "Mot de passe"), type: .password,
                        .currentPassword, input: FieldInput(problem: passwordProblem))
                    if let forgotPassword {
                        Components.aside(
                            LocalizedText(en: "Forgot your password?", fr: "Mot de passe oublié ?"), forgotPassword)
                    }
                    Components.submit(LocalizedText(en: "Log in", fr: "Se connecter"))
                }
            }
            Components.connections(connections, afterForm: form != nil)
            if let signUp {
                Components.aside(
                    after: LocalizedText(en: "No account yet?", fr: "Pas encore de compte ?"),
                    LocalizedText(en: "Sign up", fr: "Créer un compte"), signUp)
            }
        }
    }
}
