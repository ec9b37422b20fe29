package import OAuthWire

/// Stands at the link that an app should have caught at the end of a login.
package struct AppCallbackPage: Page {
    package init() {}

    package var title: LocalizedText {
        LocalizedText(en: "Return to the app", fr: "Retournez à l’application")
    }
    package var holdsAnswer: Bool { true }

    package var content: HTML {
        HTML {
            Components.lead(
                LocalizedText(
                    en:
                        "The app should have opened by itself. Open it and log in there again; you can close this page.",
                    fr: "L’application aurait dû s’ouvrir d’elle-même. Ouvrez-la et reconnectez-vous ; vous pouvez "
                        + "fermer cette page."))
        }
    }
}
