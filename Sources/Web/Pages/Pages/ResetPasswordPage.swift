package import Localization

/// Asks for a new password, twice. A link in a message leads here.
package struct ResetPasswordPage: Page {
    /// The fields ``FieldName/password`` and ``FieldName/passwordAgain``.
    package var form: PageForm
    /// The account's address, shown to the person and to password managers.
    package var email: String
    package var passwordProblem: LocalizedText?
    package var passwordAgainProblem: LocalizedText?
    package var passwordRule: LocalizedText
    package var problem: LocalizedText?

    package init(
        form: PageForm, email: String, passwordProblem: LocalizedText? = nil,
        passwordAgainProblem: LocalizedText? = nil, passwordRule: LocalizedText, problem: LocalizedText? = nil
    ) {
        self.form = form
        self.email = email
        self.passwordProblem = passwordProblem
        self.passwordAgainProblem = passwordAgainProblem
        self.passwordRule = passwordRule
        self.problem = problem
    }

    package var title: LocalizedText { localized.password.choose }
    package var formsLeadAway: Bool { true }

    package var problems: [Problem] {
        Components.problems(
            problem, [(FieldName.password, passwordProblem), (FieldName.passwordAgain, passwordAgainProblem)])
    }

    package var content: HTML {
        HTML {
            Components.lead(Node.phrase(localized.password.account, Tag.strong { Node.isolated(email) }))
            Components.form(form) {
                Components.accountName(email)
                Components.newPassword(localized.password.new, rule: passwordRule, problem: passwordProblem)
                Components.newPassword(
                    localized.password.newAgain, name: FieldName.passwordAgain, problem: passwordAgainProblem)
                Components.submit(localized.password.change)
            }
        }
    }
}
