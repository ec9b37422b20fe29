package import Localization

/// Asks the person to log in: by password, by another connection, or by either.
package struct LoginPage: Page {
    /// The fields ``FieldName/username`` and ``FieldName/password``. Nil means that the tenant or the client has no
    /// database connection.
    package var form: PageForm?
    /// The name of the application that the person is logging in to.
    package var client: String
    /// True if the name may be a username, which the label then says.
    package var hasUsernames: Bool
    package var username: FieldInput
    /// A problem of the whole form, such as a wrong password: the page does not tell which of the two fields is wrong.
    package var problem: LocalizedText?
    /// Nil for a login that no passkey can do.
    package var passkey: PasskeyRequest?
    package var connections: [ConnectionChoice]
    package var forgotPassword: PageURL?
    package var signUp: PageURL?

    package init(
        form: PageForm?, client: String, hasUsernames: Bool = false, username: FieldInput = FieldInput(),
        problem: LocalizedText? = nil, passkey: PasskeyRequest? = nil, connections: [ConnectionChoice] = [],
        forgotPassword: PageURL? = nil,
        signUp: PageURL? = nil
    ) {
        self.form = form
        self.client = client
        self.hasUsernames = hasUsernames
        self.username = username
        self.problem = problem
        self.passkey = passkey
        self.connections = connections
        self.forgotPassword = forgotPassword
        self.signUp = signUp
    }

    package var title: LocalizedText { localized.login.title }
    package var formsLeadAway: Bool { true }
    package var script: Asset? { passkey?.script }

    package var problems: [Problem] { Components.problems(problem, [(FieldName.username, username.problem)]) }

    package var content: HTML {
        HTML {
            Components.lead(Node.phrase(localized.form.continueTo, .isolated(client)))
            if let form {
                Components.form(form) {
                    Components.field(
                        FieldName.username, hasUsernames ? localized.form.emailOrUsername : localized.form.email,
                        type: .text,
                        passkey == nil ? .username : .usernameOrPasskey, input: username,
                        attributes: [.emailKeys] + Attribute.verbatim)
                    Components.field(
                        FieldName.password, localized.form.password, type: .password,
                        .currentPassword, input: FieldInput())
                    if let forgotPassword { Components.aside(localized.login.forgotPassword, forgotPassword) }
                    Components.submit(localized.form.logIn)
                }
            }
            if let passkey {
                Components.passkey(
                    passkey, localized.passkeys.logIn, problem: localized.passkeys.refused, .secondary
                ) { Tag.p(.classes("or")) { localized.form.or } }
            }
            Components.connections(connections, afterForm: form != nil)
            if let signUp { Components.aside(after: localized.login.noAccount, localized.form.signUp, signUp) }
        }
    }
}
