public import OAuthWire

/// Asks before logging out where the request does not prove who sent it (OIDC RP-Initiated Logout 2).
public struct LogoutConfirmPage: Page {
    /// The field ``FieldName/decision`` is ``FieldName/deny`` for staying logged in.
    public var form: PageForm
    /// Who is logged in.
    public var user: String

    public init(form: PageForm, user: String) {
        self.form = form
        self.user = user
    }

    public var title: LocalizedText { LocalizedText(en: "Log out?", fr: "Se déconnecter ?") }
    public var formsLeadAway: Bool { true }

    public var content: HTML {
        HTML {
            Components.lead(
                LocalizedText(en: "You are logged in as {0}.", fr: "Votre session est ouverte en tant que {0}."),
                [Tag.strong { Node.isolated(user) }])
            Components.form(form) {
                Components.submit(LocalizedText(en: "Log out", fr: "Se déconnecter"))
                Components.submit(
                    LocalizedText(en: "Stay logged in", fr: "Garder la session ouverte"), .secondary,
                    name: FieldName.decision, value: FieldName.deny)
            }
        }
    }
}
