package import Localization
package import OAuthWire

/// Asks the person to let an application act for them. Shows everything that the application requests.
package struct ConsentPage: Page {
    package struct Scope: Sendable, Equatable {
        package let name: String
        /// Description of the scope. Nil shows our own text for a standard scope and the name of any other.
        package let description: String?

        package init(_ name: String, description: String? = nil) {
            self.name = name
            self.description = description
        }
    }

    /// The field ``FieldName/decision``: ``FieldName/allow`` or ``FieldName/deny``.
    package var form: PageForm
    /// The name of the application that asks.
    package var client: String
    /// The name of the API that the application wants to use. Nil means the person's profile alone.
    package var api: String?
    /// The account that the application asks for.
    package var account: AccountInUse?
    /// Scopes in the order of the page, which has a sentence of its own for `offline_access`.
    package var scopes: [Scope]
    package var details: AuthorizationDetails?
    /// Host of the redirect URI, which receives the answer.
    package var destination: String?

    package init(
        form: PageForm, client: String, api: String? = nil, account: AccountInUse? = nil, scopes: [Scope],
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
                for entry in details.entries { AuthorizationDetailView(entry.object).html }
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
    private var listed: [Scope] { scopes.filter { !$0.isOffline } }

    fileprivate static let offline = "offline_access"

    private var lead: Node {
        let name = Tag.strong { Node.isolated(client) }
        guard let api else { return Components.lead(Node.phrase(localized.consent.asksForAccount, name)) }
        return Components.lead(Node.phrase(localized.consent.asksForAPI, name, Tag.strong { Node.isolated(api) }))
    }

    /// Scopes of OIDC Core 5.4, and the single claims that Auth0 has scopes for.
    fileprivate static let standard: [String: LocalizedText] = [
        "openid": localized.consent.scopes.openid,
        "profile": localized.consent.scopes.profile,
        "email": localized.consent.scopes.email,
        "address": localized.consent.scopes.address,
        "phone": localized.consent.scopes.phone,
        "name": localized.consent.scopes.name,
        "given_name": localized.consent.scopes.givenName,
        "family_name": localized.consent.scopes.familyName,
        "nickname": localized.consent.scopes.nickname,
        "picture": localized.consent.scopes.picture,
        "created_at": localized.consent.scopes.createdAt,
        "email_verified": localized.consent.scopes.emailVerified,
    ]
}

extension ConsentPage.Scope {
    /// True for the scope that lasts while the person is away, for which pages have a sentence of its own.
    var isOffline: Bool { name == ConsentPage.offline }

    /// The scope in the words of its API, or in ours.
    var words: Node {
        if let description { return .isolated(description) }
        if let words = ConsentPage.standard[name] { return .words(words) }
        return Tag.code { Node.text(name) }
    }
}
