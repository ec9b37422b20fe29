package import Localization

/// Asks for the code that an app shows (RFC 6238).
package struct MultiFactorCodePage: Page {
    /// The field ``FieldName/code``.
    package var form: PageForm
    package var codeProblem: LocalizedText?
    package var problem: LocalizedText?
    /// The page that asks the phone instead.
    package var usePhone: PageURL?
    /// Page that takes a recovery code. Nil for people without one.
    package var useRecoveryCode: PageURL?
    package var account: AccountInUse?

    package init(
        form: PageForm, codeProblem: LocalizedText? = nil, problem: LocalizedText? = nil, usePhone: PageURL? = nil,
        useRecoveryCode: PageURL? = nil, account: AccountInUse? = nil
    ) {
        self.form = form
        self.codeProblem = codeProblem
        self.problem = problem
        self.usePhone = usePhone
        self.useRecoveryCode = useRecoveryCode
        self.account = account
    }

    package var title: LocalizedText { localized.secondFactor.enterCode }
    package var formsLeadAway: Bool { true }

    package var problems: [Problem] { Components.problems(problem, [(FieldName.code, codeProblem)]) }

    package var content: HTML {
        HTML {
            Components.lead(localized.secondFactor.enterCodeLead)
            Components.form(form) {
                Components.field(
                    FieldName.code, localized.secondFactor.code, type: .text,
                    .oneTimeCode, input: FieldInput(problem: codeProblem),
                    attributes: [.numeric, .maximumLength(12), .classes("digits")])
                Components.submit(localized.form.continue)
            }
            if let usePhone { Components.aside(localized.secondFactor.usePhone, usePhone) }
            if let useRecoveryCode { Components.aside(localized.account.recovery.noPhone, useRecoveryCode) }
            Components.account(account)
        }
    }
}
