package import OAuthWire

/// Tells a person who opened the issuer's own address what it is.
package struct WelcomePage: Page {
    /// The tenant's name.
    package var name: String
    /// The server's metadata, for developers.
    package var metadata: PageURL

    package init(name: String, metadata: PageURL) {
        self.name = name
        self.metadata = metadata
    }

    package var title: LocalizedText { LocalizedText(en: "Nothing to do here", fr: "Rien à faire ici") }

    package var content: HTML {
        HTML {
            Components.lead(
                LocalizedText(
                    en:
                        "This is the login service of {0}. To log in, open the app you want to use and start there.",
                    fr: """
                        Ceci est le service de connexion de {0}. Pour vous connecter, ouvrez l’application que \
                        vous voulez utiliser et commencez là.
                        """), [.isolated(name)])
            Components.aside(
                after: LocalizedText(en: "Developing an app?", fr: "Vous développez une application ?"),
                LocalizedText(en: "Show the endpoints", fr: "Voir les points d’accès"), metadata)
        }
    }
}
