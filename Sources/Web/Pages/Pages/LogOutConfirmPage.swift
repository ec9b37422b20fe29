public import OAuthWire

/// Asks before logging out where the request does not prove who sent it (OIDC RP-Initiated Logout 2).
public struct LogOutConfirmPage: Page {
    public var form: PageForm
    /// Who is logged in.
    public var user: String?
    /// Where to go for staying logged in.
    public var cancel: PageURL?

    public init(form: PageForm, user: String? = nil, cancel: PageURL? = nil) {
        self.form = form
        self.user = user
        self.cancel = cancel
    }

    public var title: LocalizedText { LocalizedText(en: "Log out?", fr: "Se déconnecter ?") }
    public var formsLeadAway: Bool { true }

    public var content: HTML {
        HTML {
            if let user {
                Components.lead(
                    LocalizedText(en: "You are logged in as {0}.", fr: "Votre session est ouverte en tant que {0}."),
                    [Tag.strong { Node.isolated(user) }])
            }
            Components.form(form) {
                Components.submit(LocalizedText(en: "Log out", fr: "Se déconnecter"))
            }
            if let cancel {
                Components.buttonLink(cancel, .secondary) {
                    LocalizedText(en: "Stay logged in", fr: "Garder la session ouverte")
                }
            }
        }
    }
}
