package import Localization

/// Asks before a logout whose request does not prove its sender (OIDC RP-Initiated Logout 2).
package struct LogoutConfirmPage: Page {
    /// The field ``FieldName/decision``: ``FieldName/deny`` keeps the session.
    package var form: PageForm
    /// The name of the user who is logged in.
    package var user: String

    package init(form: PageForm, user: String) {
        self.form = form
        self.user = user
    }

    package var title: LocalizedText { localized.logout.question }
    package var formsLeadAway: Bool { true }

    package var content: HTML {
        HTML {
            Components.lead(Node.phrase(localized.logout.loggedInAs, Tag.strong { Node.isolated(user) }))
            Components.form(form) {
                Components.submit(localized.logout.logOut)
                Components.submit(localized.logout.stay, .secondary, name: FieldName.decision, value: FieldName.deny)
            }
        }
    }
}
