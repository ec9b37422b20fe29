public import OAuthWire

/// Says that what a link was for is done.
public struct DonePage: Page {
    public var title: LocalizedText
    public var explanation: LocalizedText

    public init(title: LocalizedText, explanation: LocalizedText) {
        self.title = title
        self.explanation = explanation
    }

    public var sign: HTML { HTML { Components.sign(.done) } }

    public var content: HTML { HTML { Components.lead(explanation) } }
}
