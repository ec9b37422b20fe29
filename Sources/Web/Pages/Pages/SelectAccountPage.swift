package import OAuthWire

/// Asks whether to go on as the person who is logged in (`prompt=select_account`, OIDC Core 3.1.2.1).
package struct SelectAccountPage: Page {
    /// The field ``FieldName/account``: ``FieldName/current`` or ``FieldName/another``.
    package var form: PageForm
    /// The name of the application that the person is logging in to.
    package var client: String?
    /// The name of who is logged in.
    package var name: String
    /// Their e-mail address.
    package var email: String?

    package init(form: PageForm, client: String? = nil, name: String, email: String? = nil) {
        self.form = form
        self.client = client
        self.name = name
        self.email = email
    }

    package var title: LocalizedText { LocalizedText(en: "Choose an account", fr: "Choisissez un compte") }
    package var formsLeadAway: Bool { true }

    package var content: HTML {
        HTML {
            if let client {
                Components.lead(
                    LocalizedText(en: "to continue to {0}", fr: "pour continuer vers {0}"), [.isolated(client)])
            }
            Components.form(form) {
                Tag.button(
                    .type(.submit), .classes("account"), .name(FieldName.account), .value(FieldName.current)
                ) {
                    Tag.span(.classes("initial"), .hidden) { Node.text(String(name.prefix(1)).uppercased()) }
                    Tag.span {
                        Node.phrase(
                            LocalizedText(en: "Continue as {0}", fr: "Continuer en tant que {0}"),
                            [Tag.strong { Node.isolated(name) }])
                        if let email {
                            Node.text(" ")
                            Tag.span(.classes("detail")) { Node.isolated(email) }
                        }
                    }
                }
                Components.submit(
                    LocalizedText(en: "Use another account", fr: "Utiliser un autre compte"), .secondary,
                    name: FieldName.account, value: FieldName.another)
            }
        }
    }
}
