public import OAuthWire

/// Stands at the link that an app should have caught at the end of a login.
public struct AppCallbackPage: Page {
    public init() {}

    public var title: LocalizedText {
        LocalizedText(en: "Return to the app", fr: "Retournez à l’application")
    }
    public var holdsAnswer: Bool { true }

    public var content: HTML {
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
