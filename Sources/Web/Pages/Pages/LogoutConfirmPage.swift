package import OAuthWire

/// Asks before logging out where the request does not prove who sent it (OIDC RP-Initiated Logout 2).
package struct LogoutConfirmPage: Page {
    /// The field ``FieldName/decision`` is ``FieldName/deny`` for staying logged in.
    package var form: PageForm
    /// Who is logged in.
    package var user: String

    package init(form: PageForm, user: String) {
        self.form = form
        self.user = user
    }

    package var title: LocalizedText { LocalizedText(en: "Log out?", fr: "Se déconnecter ?") }
    package var formsLeadAway: Bool { true }

    package var content: HTML {
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
