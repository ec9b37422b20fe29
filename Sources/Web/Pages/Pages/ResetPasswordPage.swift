public import OAuthWire

/// Asks for a new password, twice; the person came by the link in a message.
public struct ResetPasswordPage: Page {
    /// The fields ``FieldName/password`` and ``FieldName/passwordAgain``.
    public var form: PageForm
    /// The account's address. It is shown, and tells password managers which account it is.
    public var email: String
    public var passwordProblem: LocalizedText?
    public var passwordAgainProblem: LocalizedText?
    /// What a password must be like, in a sentence.
    public var passwordRule: LocalizedText
    public var problem: LocalizedText?

    public init(
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

    public var title: LocalizedText {
        LocalizedText(en: "Choose a new password", fr: "Choisissez un nouveau mot de passe")
    }
    public var formsLeadAway: Bool { true }

    public var problems: [Problem] {
        Components.problems(
            problem, [(FieldName.password, passwordProblem), (FieldName.passwordAgain, passwordAgainProblem)])
    }

    public var content: HTML {
        HTML {
            Components.lead(
                LocalizedText(en: "for the account {0}", fr: "pour le compte {0}"),
                [Tag.strong { Node.isolated(email) }])
            Components.form(form) {
                Components.accountName(email)
                Components.newPassword(
                    LocalizedText(en: "New password", fr: "Nouveau mot de passe"), rule: passwordRule,
                    problem: passwordProblem)
                Components.newPassword(
                    LocalizedText(en: "New password, once more", fr: "Nouveau mot de passe, une seconde fois"),
                    name: FieldName.passwordAgain, problem: passwordAgainProblem)
                Components.submit(LocalizedText(en: "Change the password", fr: "Changer le mot de passe"))
            }
        }
    }
}
