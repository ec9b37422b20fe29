public import OAuthWire

/// Asks whether to go on as the person who is logged in (`prompt=select_account`, OIDC Core 3.1.2.1).
public struct SelectAccountPage: Page {
    /// The field ``FieldName/account``: ``FieldName/current`` or ``FieldName/another``.
    public var form: PageForm
    /// The name of the application that the person is logging in to.
    public var client: String?
    /// The name of who is logged in.
    public var name: String
    /// Their e-mail address.
    public var email: String?

    public init(form: PageForm, client: String? = nil, name: String, email: String? = nil) {
        self.form = form
        self.client = client
        self.name = name
        self.email = email
    }

    public var title: LocalizedText { LocalizedText(en: "Choose an account", fr: "Choisissez un compte") }
    public var formsLeadAway: Bool { true }

    public var content: HTML {
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
