package import OAuthWire

/// Says that something cannot be done, why, and what to do about it.
package struct ErrorPage: Page {
    /// The status code to answer with, 400…599.
    package let status: Int
    package var title: LocalizedText
    /// What happened, in a sentence or two.
    package var explanation: LocalizedText
    /// What the person can do.
    package var advice: LocalizedText?
    /// The error code, perhaps with its description, for the application's developers (RFC 6749 4.1.2.1).
    package var code: String?
    /// What names the request in the server's log.
    package var requestID: String
    /// Where to start again.
    package var retry: PageURL?
    /// The application, which is told of it there.
    package var back: PageURL?

    package init(
        status: Int, title: LocalizedText, explanation: LocalizedText, advice: LocalizedText? = nil,
        code: String? = nil, requestID: String, retry: PageURL? = nil, back: PageURL? = nil
    ) {
        self.status = status
        self.title = title
        self.explanation = explanation
        self.advice = advice
        self.code = code
        self.requestID = requestID
        self.retry = retry
        self.back = back
    }

    package var content: HTML {
        HTML {
            Tag.p { explanation }
            if let advice {
                Tag.p { advice }
            }
            if let retry {
                Components.buttonLink(retry, .primary) { LocalizedText(en: "Try again", fr: "Réessayer") }
            }
            if let back {
                Components.buttonLink(back, .primary) {
                    LocalizedText(en: "Back to the application", fr: "Retourner à l’application")
                }
            }
            Tag.dl(.classes("facts")) {
                if let code {
                    Tag.dt { LocalizedText(en: "Error", fr: "Erreur") }
                    Tag.dd { Tag.code { Node.text(code) } }
                }
                Tag.dt { LocalizedText(en: "Request number", fr: "Numéro de la demande") }
                Tag.dd { Tag.code { Node.text(requestID) } }
            }
        }
    }
}
