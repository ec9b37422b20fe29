package import OAuthWire

/// Asks for the six digits that the authenticator app shows (RFC 6238).
package struct MultiFactorCodePage: Page {
    /// The field ``FieldName/code``.
    package var form: PageForm
    package var codeProblem: LocalizedText?
    package var problem: LocalizedText?
    /// The page that asks the phone instead.
    package var usePhone: PageURL?
    package var account: AccountInUse?

    package init(
        form: PageForm, codeProblem: LocalizedText? = nil, problem: LocalizedText? = nil, usePhone: PageURL? = nil,
        account: AccountInUse? = nil
    ) {
        self.form = form
        self.codeProblem = codeProblem
        self.problem = problem
        self.usePhone = usePhone
        self.account = account
    }

    package var title: LocalizedText { LocalizedText(en: "Enter your code", fr: "Saisissez votre code") }
    package var formsLeadAway: Bool { true }

    package var problems: [Problem] { Components.problems(problem, [(FieldName.code, codeProblem)]) }

    package var content: HTML {
        HTML {
            Components.lead(
                LocalizedText(
                    en: "Open the app that you enrolled on your phone, and enter the six digits it shows.",
                    fr: "Ouvrez l’application enregistrée sur votre téléphone et saisissez les six chiffres affichés."))
            Components.form(form) {
                Components.field(
                    FieldName.code, LocalizedText(en: "Six-digit code", fr: "Code à six chiffres"), type: .text,
                    .oneTimeCode, input: FieldInput(problem: codeProblem),
                    attributes: [.numeric, .maximumLength(12), .classes("digits")])
                Components.submit(LocalizedText(en: "Continue", fr: "Continuer"))
            }
            if let usePhone {
                Components.aside(
                    LocalizedText(en: "Allow on the phone instead", fr: "Accepter plutôt sur le téléphone"),
                    usePhone)
            }
            Components.account(account)
        }
    }
}
