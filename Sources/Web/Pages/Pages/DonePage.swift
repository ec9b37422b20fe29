package import Localization

/// Confirms that a link's work is done.
package struct DonePage: Page {
    package var title: LocalizedText
    package var explanation: LocalizedText

    package init(title: LocalizedText, explanation: LocalizedText) {
        self.title = title
        self.explanation = explanation
    }

    package var sign: HTML { HTML { Components.sign(.done) } }

    package var content: HTML { HTML { Components.lead(explanation) } }
}
