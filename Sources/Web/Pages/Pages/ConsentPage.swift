package import Localization
package import OAuthWire

/// Asks the person to let an application act for them. Shows everything that the application requests.
package struct ConsentPage: Page {
    /// The field ``FieldName/decision``: ``FieldName/allow`` or ``FieldName/deny``.
    package var form: PageForm
    /// The name of the application that asks.
    package var client: String
    /// The name of the API that the application wants to use. Nil means the person's profile alone.
    package var api: String?
    /// The account that the application asks for.
    package var account: AccountInUse?
    /// Scopes in the order of the page, which has a sentence of its own for `offline_access`.
    package var scopes: [ShownScope]
    package var details: AuthorizationDetails?
    /// Host of the redirect URI, which receives the answer.
    package var destination: String?

    package init(
        form: PageForm, client: String, api: String? = nil, account: AccountInUse? = nil, scopes: [ShownScope],
        details: AuthorizationDetails? = nil, destination: String? = nil
    ) {
        self.form = form
        self.client = client
        self.api = api
        self.account = account
        self.scopes = scopes
        self.details = details
        self.destination = destination
    }

    package var title: LocalizedText { localized.consent.title }
    package var formsLeadAway: Bool { true }

    package var heading: HTML { HTML { Node.phrase(localized.consent.heading, .isolated(client)) } }

    package var content: HTML {
        HTML {
            lead
            if !listed.isEmpty {
                Tag.h2 { localized.consent.able }
                Tag.ul(.classes("scopes")) {
                    for scope in listed { Tag.li { scope.words } }
                }
            }
            if let details {
                Tag.h2 { localized.consent.inDetail }
                DetailCards(details: details.entries.map(\.object)).html
            }
            if isOffline {
                Tag.p(.classes("notice")) { localized.consent.offline }
            }
            Components.form(form) {
                Tag.div(.classes("decision")) {
                    Components.submit(
                        localized.consent.deny, .secondary, name: FieldName.decision, value: FieldName.deny)
                    Components.submit(localized.consent.allow, name: FieldName.decision, value: FieldName.allow)
                }
            }
            Components.account(account)
            if let destination {
                Tag.p(.classes("hint")) { Node.phrase(localized.consent.destination, .isolated(destination)) }
            }
        }
    }

    private var isOffline: Bool { scopes.contains(where: \.isOffline) }
    private var listed: [ShownScope] { scopes.filter { !$0.isOffline } }

    private var lead: Node {
        let name = Tag.strong { Node.isolated(client) }
        guard let api else { return Components.lead(Node.phrase(localized.consent.asksForAccount, name)) }
        return Components.lead(Node.phrase(localized.consent.asksForAPI, name, Tag.strong { Node.isolated(api) }))
    }
}
