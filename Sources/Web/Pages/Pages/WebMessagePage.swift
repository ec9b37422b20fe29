package import OAuthWire
package import Primitives

/// Posts the answer to the window of the client: the one that frames this one, or the one that opened it. A browser
/// hands the message over if that window shows a page of `target`, and drops it otherwise.
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

    package var title: LocalizedText {
        LocalizedText(en: "Back to the application", fr: "Retour à l’application")
    }
    package var holdsAnswer: Bool { true }

    /// Shown where the application leaves the window open, and where there is none that waits.
    package var content: HTML {
        HTML {
            Components.lead(
                LocalizedText(
                    en: "Return to the window of the application; you can close this one. If nothing happens there, "
                        + "start again from the application.",
                    fr: "Revenez à la fenêtre de l’application ; vous pouvez fermer celle-ci. Si rien ne s’y passe, "
                        + "recommencez depuis l’application."))
        }
    }

    static let script: StaticString = """
        "use strict";
        {
            const { target, response } = document.currentScript.dataset;
            const receiver = window.parent === window ? window.opener : window.parent;
            const message = { type: "authorization_response", response: JSON.parse(response) };
            if (receiver) receiver.postMessage(message, target);
        }
        """
}
