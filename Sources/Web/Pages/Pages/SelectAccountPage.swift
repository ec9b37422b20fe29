package import Localization

/// Offers to continue as the logged-in person (`prompt=select_account`, OIDC Core 3.1.2.1).
package struct SelectAccountPage: Page {
    /// The field ``FieldName/account``: ``FieldName/current`` or ``FieldName/another``.
    package var form: PageForm
    /// The name of the application that the person is logging in to.
    package var client: String
    /// The name of the person who is logged in.
    package var name: String
    /// The person's e-mail address.
    package var email: String?

    package init(form: PageForm, client: String, name: String, email: String? = nil) {
        self.form = form
        self.client = client
        self.name = name
        self.email = email
    }

    package var title: LocalizedText { localized.login.chooseAccount }
    package var formsLeadAway: Bool { true }

    package var content: HTML {
        HTML {
            Components.lead(Node.phrase(localized.form.continueTo, .isolated(client)))
            Components.form(form) {
                Tag.button(.type(.submit), .classes("account"), .name(FieldName.account), .value(FieldName.current)) {
                    Tag.span(.classes("initial"), .hidden) { Node.text(String(name.prefix(1)).uppercased()) }
                    Tag.span {
                        Node.phrase(localized.login.continueAs, Tag.strong { Node.isolated(name) })
                        if let email {
                            Node.text(" ")
                            Tag.span(.classes("detail")) { Node.isolated(email) }
                        }
                    }
                }
                Components.submit(
                    localized.form.anotherAccount, .secondary, name: FieldName.account, value: FieldName.another)
            }
        }
    }
}
