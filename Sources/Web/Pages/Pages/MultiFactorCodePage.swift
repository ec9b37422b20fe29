public import OAuthWire

/// Asks for the six digits that the authenticator app shows (RFC 6238).
public struct MultiFactorCodePage: Page {
    /// The field ``FieldName/code``.
    public var form: PageForm
    public var codeProblem: LocalizedText?
    public var problem: LocalizedText?
    /// The page that asks the phone instead.
    public var usePhone: PageURL?
    public var account: AccountInUse?

    public init(
        form: PageForm, codeProblem: LocalizedText? = nil, problem: LocalizedText? = nil, usePhone: PageURL? = nil,
        account: AccountInUse? = nil
    ) {
        self.form = form
        self.codeProblem = codeProblem
        self.problem = problem
        self.usePhone = usePhone
        self.account = account
    }

    public var title: LocalizedText { LocalizedText(en: "Enter your code", fr: "Saisissez votre code") }
    public var formsLeadAway: Bool { true }

    public var problems: [Problem] { Components.problems(problem, [(FieldName.code, codeProblem)]) }

    public var content: HTML {
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
