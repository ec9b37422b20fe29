package import Localization

/// Creates an account in the database connection.
package struct SignUpPage: Page {
    /// The fields ``FieldName/email``, ``FieldName/name`` (may be empty) and ``FieldName/password``.
    package var form: PageForm
    /// The name of the application that the person is signing up for.
    package var client: String
    package var email: FieldInput
    package var name: FieldInput
    package var passwordProblem: LocalizedText?
    package var passwordRule: LocalizedText
    package var problem: LocalizedText?
    package var connections: [ConnectionChoice]
    package var logIn: PageURL

    package init(
        form: PageForm, client: String, email: FieldInput = FieldInput(), name: FieldInput = FieldInput(),
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

    package var title: LocalizedText { localized.signUp.title }
    package var formsLeadAway: Bool { true }

    package var problems: [Problem] {
        Components.problems(
            problem,
            [(FieldName.email, email.problem), (FieldName.name, name.problem), (FieldName.password, passwordProblem)])
    }

    package var content: HTML {
        HTML {
            Components.lead(Node.phrase(localized.form.continueTo, .isolated(client)))
            Components.form(form) {
                Components.email(email)
                Components.field(
                    FieldName.name, localized.signUp.name, type: .text, .name, input: name, isOptional: true)
                Components.newPassword(localized.form.password, rule: passwordRule, problem: passwordProblem)
                Components.submit(localized.signUp.submit)
            }
            Components.connections(connections, afterForm: true)
            Components.aside(after: localized.signUp.haveAccount, localized.form.logIn, logIn)
        }
    }
}
