package import Localization

/// Explains a failure and the person's next step.
package struct ErrorPage: Page {
    /// The status code to answer with, 400…599.
    package let status: Int
    package var title: LocalizedText
    /// The failure, in a sentence or two.
    package var explanation: LocalizedText
    /// The person's next step.
    package var advice: LocalizedText?
    /// Error code, optionally with its description, for the application's developers (RFC 6749 4.1.2.1).
    package var code: String?
    /// Id of the request in the server's log.
    package var requestID: String
    /// The address at which to start again.
    package var retry: PageURL?
    /// Address of the application, with the error.
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
                Components.buttonLink(retry, .primary) { localized.form.tryAgain }
            }
            if let back {
                Components.buttonLink(back, .primary) { localized.form.backToApplication }
            }
            Tag.dl(.classes("facts")) {
                if let code {
                    Tag.dt { localized.error.code }
                    Tag.dd { Tag.code { Node.text(code) } }
                }
                Tag.dt { localized.error.request }
                Tag.dd { Tag.code { Node.text(requestID) } }
            }
        }
    }
}
