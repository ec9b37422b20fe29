package import Localization

/// Waits for the answer on the person's phone. The page contains nothing that could answer in the phone's place.
package struct MultiFactorPushPage: Page {
    package enum Matching: Sendable { case pick, type }

    /// Form that continues the login once the phone has answered.
    package var form: PageForm
    /// Number that the person compares with the phone's, so that they allow no other login.
    package var number: String?
    /// Way in which the person gives the number on the phone. Nil if the phone shows it.
    package var matching: Matching?
    /// True if the person continued before the phone had answered, which is not a problem.
    package var hasNotAnswered: Bool
    /// Set if the phone rejected the request or took too long.
    package var problem: LocalizedText?
    /// Sends the request to the phone again.
    package var resend: PageForm?
    /// Page that asks for a code instead.
    package var useCode: PageURL?
    /// Page that takes a recovery code. Nil for people without one.
    package var useRecoveryCode: PageURL?
    package var account: AccountInUse?

    package init(
        form: PageForm, number: String? = nil, matching: Matching? = nil, hasNotAnswered: Bool = false,
        problem: LocalizedText? = nil, resend: PageForm? = nil, useCode: PageURL? = nil,
        useRecoveryCode: PageURL? = nil, account: AccountInUse? = nil
    ) {
        self.form = form
        self.number = number
        self.matching = matching
        self.hasNotAnswered = hasNotAnswered
        self.problem = problem
        self.resend = resend
        self.useCode = useCode
        self.useRecoveryCode = useRecoveryCode
        self.account = account
    }

    package var title: LocalizedText { localized.secondFactor.checkPhone }
    package var formsLeadAway: Bool { true }

    package var problems: [Problem] { Components.problems(problem) }

    package var sign: HTML { HTML { Components.sign(.phone) } }

    package var content: HTML {
        HTML {
            Components.lead(localized.secondFactor.sent)
            if hasNotAnswered {
                Tag.p(.classes("notice"), .role(.status)) { localized.secondFactor.notAnswered }
            }
            if let number {
                if let matching {
                    Tag.p(.classes("pick")) {
                        Node.phrase(
                            matching == .pick ? localized.secondFactor.pick : localized.secondFactor.type,
                            Tag.strong { Node.text(number) })
                    }
                    Tag.p(.classes("hint")) { localized.secondFactor.pickHint }
                } else {
                    Tag.p(.classes("number")) {
                        Node.phrase(localized.secondFactor.number, Tag.strong { Node.text(number) })
                    }
                }
            }
            if problem == nil {
                Tag.p(.classes("hint")) { localized.secondFactor.noNotification }
            }
            Components.form(form) { Components.submit(localized.form.continue) }
            if let resend {
                Components.form(resend) { Components.submit(localized.secondFactor.sendAgain, .secondary) }
            }
            if let useCode {
                Components.aside(after: localized.secondFactor.phoneOffline, localized.secondFactor.useCode, useCode)
            }
            if let useRecoveryCode { Components.aside(localized.account.recovery.noPhone, useRecoveryCode) }
            Components.account(account)
            Tag.p(.classes("hint")) { localized.secondFactor.notYou }
        }
    }
}
