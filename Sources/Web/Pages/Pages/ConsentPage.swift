package import OAuthWire

/// Asks the person to let an application act for them. Nothing that is asked is left out.
package struct ConsentPage: Page {
    /// A scope with what it means.
    package struct Scope: Sendable, Equatable {
        package let name: String
        /// Nil shows our own words for a standard scope and the name of any other.
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
    /// The name of the API that it wants to use; nil where it asks for the person's profile only.
    package var api: String?
    /// Who is asked.
    package var account: AccountInUse?
    /// In the order they are shown. `offline_access` is said in words of its own.
    package var scopes: [Scope]
    package var details: AuthorizationDetails?
    /// The host that the answer goes to, of the redirect URI.
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

    package var title: LocalizedText { LocalizedText(en: "Allow access?", fr: "Autoriser l’accès ?") }
    package var formsLeadAway: Bool { true }

    package var heading: HTML {
        HTML {
            Node.phrase(LocalizedText(en: "Allow {0}?", fr: "Autoriser {0} ?"), [.isolated(client)])
        }
    }

    package var content: HTML {
        HTML {
            lead
            if !listed.isEmpty {
                Tag.h2 { LocalizedText(en: "This application will be able to", fr: "Cette application pourra") }
                Tag.ul(.classes("scopes")) {
                    for scope in listed { Tag.li { words(for: scope) } }
                }
            }
            if let details {
                Tag.h2 { LocalizedText(en: "In detail", fr: "En détail") }
                for entry in details.entries { AuthorizationDetailView(entry: entry).html }
            }
            if isOffline {
                Tag.p(.classes("notice")) {
                    LocalizedText(
                        en: "This access goes on when you are not using the application. To end it, ask the people who "
                            + "run this service.",
                        fr:
                            "Cet accès continue sans que vous utilisiez l’application. Pour y mettre fin, adressez-vous "
                            + "aux personnes qui exploitent ce service.")
                }
            }
            Components.form(form) {
                Tag.div(.classes("decision")) {
                    Components.submit(
                        LocalizedText(en: "Deny", fr: "Refuser"), .secondary, name: FieldName.decision,
                        value: FieldName.deny)
                    Components.submit(
                        LocalizedText(en: "Allow", fr: "Autoriser"), name: FieldName.decision,
                        value: FieldName.allow)
                }
            }
            Components.account(account)
            if let destination {
                Tag.p(.classes("hint")) {
                    Node.phrase(
                        LocalizedText(
                            en: "Either way, you then go back to {0}.",
                            fr: "Dans les deux cas, vous retournez ensuite vers {0}."),
                        [.isolated(destination)])
                }
            }
        }
    }

    private var isOffline: Bool { scopes.contains { $0.name == Self.offline } }
    private var listed: [Scope] { scopes.filter { $0.name != Self.offline } }

    private static let offline = "offline_access"

    private var lead: Node {
        let name = Tag.strong { Node.isolated(client) }
        guard let api else {
            return Components.lead(
                LocalizedText(en: "{0} asks for access to your account.", fr: "{0} demande l’accès à votre compte."),
                [name])
        }
        return Components.lead(
            LocalizedText(en: "{0} asks to use {1} in your name.", fr: "{0} demande à utiliser {1} en votre nom."),
            [name, Tag.strong { Node.isolated(api) }])
    }

    private func words(for scope: Scope) -> Node {
        if let description = scope.description { return .isolated(description) }
        if let words = Self.standard[scope.name] { return .words(words) }
        return Tag.code { Node.text(scope.name) }
    }

    /// OIDC Core 5.4, and the single claims that Auth0 has scopes for.
    private static let standard: [String: LocalizedText] = [
        "openid": LocalizedText(en: "Know that it is you", fr: "Savoir que c’est vous"),
        "profile": LocalizedText(en: "See your name and profile", fr: "Voir votre nom et votre profil"),
        "email": LocalizedText(en: "See your e-mail address", fr: "Voir votre adresse e-mail"),
        "address": LocalizedText(en: "See your postal address", fr: "Voir votre adresse postale"),
        "phone": LocalizedText(en: "See your phone number", fr: "Voir votre numéro de téléphone"),
        "name": LocalizedText(en: "See your name", fr: "Voir votre nom"),
        "given_name": LocalizedText(en: "See your first name", fr: "Voir votre prénom"),
        "family_name": LocalizedText(en: "See your last name", fr: "Voir votre nom de famille"),
        "nickname": LocalizedText(en: "See your nickname", fr: "Voir votre pseudonyme"),
        "picture": LocalizedText(en: "See your picture", fr: "Voir votre photo"),
        "created_at": LocalizedText(
            en: "See since when you have an account", fr: "Voir depuis quand vous avez un compte"),
        "email_verified": LocalizedText(
            en: "See whether your e-mail address was checked", fr: "Voir si votre adresse e-mail a été vérifiée"),
    ]
}
