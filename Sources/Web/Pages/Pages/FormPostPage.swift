package import OAuthWire

/// Hands the answer to the client in a form (OAuth 2.0 Form Post Response Mode). A script sends it; where there is
/// none, the person does.
package struct FormPostPage: Page {
    /// The client's redirect URI.
    package var action: PageURL
    /// The parameters of the answer.
    package var fields: [HiddenField]
    /// ``Assets/formPostScript``.
    package let script: Asset?

    /// Nil where the redirect URI is one that no form can be sent to: neither `http` nor `https`.
    package init?(action: PageURL, fields: [HiddenField], assets: Assets) {
        guard action.isWeb else { return nil }
        self.action = action
        self.fields = fields
        script = assets.formPostScript
    }

    package var title: LocalizedText { LocalizedText(en: "Almost there", fr: "Presque terminé") }
    package var formsLeadAway: Bool { true }

    package var content: HTML {
        HTML {
            Components.lead(
                LocalizedText(
                    en: "You are going back to the application.", fr: "Vous retournez vers l’application."))
            // No token of ours: the form goes to the client.
            Tag.form(.post, .action(action)) {
                for field in fields { Components.hidden(field) }
                Components.submit(LocalizedText(en: "Continue", fr: "Continuer"))
            }
        }
    }

    /// Not form.submit, which a field called "submit" would hide.
    static let script = """
        'use strict';
        HTMLFormElement.prototype.submit.call(document.forms[0]);

        """
}
