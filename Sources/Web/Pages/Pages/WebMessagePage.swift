package import Localization
package import OAuthWire
package import Primitives

/// Posts the answer to the client's window, which frames or opened this one. A browser delivers the message only if
/// that window shows a page of `target`.
package struct WebMessagePage: Page {
    package let inlineScript: InlineScript?
    package let framedBy: WebOrigin?

    /// `target` is the origin of the client's page, and `parameters` are those of the answer.
    package init(target: WebOrigin, parameters: FormFields, assets: Assets) {
        var response = JSONObject()
        for (name, value) in parameters.pairs { response[name] = .string(value) }
        framedBy = target
        inlineScript = assets.webMessageScript.with(.messageTarget(target), .messageResponse(.object(response)))
    }

    package var title: LocalizedText { localized.ending.messageTitle }
    package var holdsAnswer: Bool { true }

    /// Shown if the application leaves the window open or no window waits.
    package var content: HTML { HTML { Components.lead(localized.ending.messageLead) } }
}
