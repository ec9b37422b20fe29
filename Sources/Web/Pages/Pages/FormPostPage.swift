package import Localization

/// Sends the answer to the client in a form (OAuth 2.0 Form Post Response Mode). A script submits the form; without
/// scripts, the person does.
package struct FormPostPage: Page {
    /// The client's redirect URI.
    package var action: PageURL
    /// The parameters of the answer.
    package var fields: [HiddenField]
    /// ``Assets/formPostScript``.
    package let script: Asset?

    /// Nil if the redirect URI is neither `http` nor `https`, to which no form can be sent.
    package init?(action: PageURL, fields: [HiddenField], assets: Assets) {
        guard action.isWeb else { return nil }
        self.action = action
        self.fields = fields
        script = assets.formPostScript
    }

    package var title: LocalizedText { localized.ending.almostThere }
    package var formsLeadAway: Bool { true }

    package var content: HTML {
        HTML {
            Components.lead(localized.ending.goingBack)
            // No CSRF token, because the form goes to the client.
            Tag.form(.post, .action(action)) {
                for field in fields { Components.hidden(field) }
                Components.submit(localized.form.continue)
            }
        }
    }
}
