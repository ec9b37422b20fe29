package import OAuthWire

/// Waits for the answer on the person's phone. It shows nothing that could be used to answer in their place.
package struct MultiFactorPushPage: Page {
    /// Continues the login once the phone has answered.
    package var form: PageForm
    /// Shown on the phone too, so that people allow the request that is theirs.
    package var number: Int?
    /// What the phone is called.
    package var device: String?
    /// Whether the person went on before the phone had answered; this is no problem.
    package var hasNotAnswered: Bool
    /// Said when the phone rejected or took too long.
    package var problem: LocalizedText?
    /// Sends the request to the phone again.
    package var resend: PageForm?
    /// The page that asks for a code instead.
    package var useCode: PageURL?
    package var account: AccountInUse?

    package init(
        form: PageForm, number: Int? = nil, device: String? = nil, hasNotAnswered: Bool = false,
        problem: LocalizedText? = nil, resend: PageForm? = nil,
        useCode: PageURL? = nil, account: AccountInUse? = nil
    ) {
        self.form = form
        self.number = number
        self.device = device
        self.hasNotAnswered = hasNotAnswered
        self.problem = problem
        self.resend = resend
        self.useCode = useCode
        self.account = account
    }

    package var title: LocalizedText { LocalizedText(en: "Check your phone", fr: "Consultez votre téléphone") }
    package var formsLeadAway: Bool { true }

    package var problems: [Problem] { Components.problems(problem) }

    package var sign: HTML { HTML { Components.sign(.phone) } }

    package var content: HTML {
        HTML {
            if let device {
                Components.lead(
                    LocalizedText(
                        en: "We have sent a request to {0}. Allow it there, then continue here.",
                        fr: "Nous avons envoyé une demande à {0}. Acceptez-la sur cet appareil, puis continuez ici."),
                    [Tag.strong { Node.isolated(device) }])
            } else {
                Components.lead(
                    LocalizedText(
                        en: "We have sent a request to your phone. Allow it there, then continue here.",
                        fr: "Nous avons envoyé une demande à votre téléphone. Acceptez-la, puis continuez ici."))
            }
            if hasNotAnswered {
                Tag.p(.classes("notice"), .role(.status)) {
                    LocalizedText(
                        en: "The phone has not answered yet. Continue once you have allowed the request there.",
                        fr: "Le téléphone n’a pas encore répondu. Continuez après y avoir accepté la demande.")
                }
            }
            if let number {
                Tag.p(.classes("number")) {
                    Node.phrase(
                        LocalizedText(
                            en: "The request on your phone shows the number {0}.",
                            fr: "La demande sur votre téléphone affiche le nombre {0}."),
                        [Tag.strong { Node.text(String(number)) }])
                }
            }
            Components.form(form) {
                Components.submit(LocalizedText(en: "Continue", fr: "Continuer"))
            }
            if let resend {
                Components.form(resend) {
                    Components.submit(LocalizedText(en: "Send it again", fr: "Renvoyer la demande"), .secondary)
                }
            }
            if let useCode {
                Components.aside(
                    after: LocalizedText(en: "Phone offline?", fr: "Téléphone hors ligne ?"),
                    LocalizedText(en: "Enter a code instead", fr: "Saisir plutôt un code"), useCode)
            }
            Components.account(account)
            Tag.p(.classes("hint")) {
                LocalizedText(
                    en: "Not you who is logging in? Then reject the request on the phone.",
                    fr: "Ce n’est pas vous qui vous connectez ? Alors rejetez la demande sur le téléphone.")
            }
        }
    }
}
