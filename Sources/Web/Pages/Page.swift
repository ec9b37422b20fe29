package import Localization
package import OAuthWire

/// A hosted page as a value. ``html(in:)`` makes its bytes and ``response(in:status:)`` the whole answer.
package protocol Page: Sendable {
    /// For the browser's title bar; says nothing about the person.
    var title: LocalizedText { get }
    /// Shown above the heading.
    var sign: HTML { get }
    /// The text of the `h1`.
    var heading: HTML { get }
    /// All below the heading and the problems.
    var content: HTML { get }
    /// Problems of the form that was sent, shown above the content.
    var problems: [Problem] { get }
    /// The status code to answer with (RFC 9110 clause 15).
    var status: Int { get }
    /// The only script that the page loads.
    var script: Asset? { get }
    /// The only script that stands in the page itself.
    var inlineScript: InlineScript? { get }
    /// The only origin that may frame the page. Nil lets nobody.
    var framedBy: WebOrigin? { get }
    /// True if the page or its address holds the answer to a client. Then it loads nothing from elsewhere and tells
    /// nobody its address.
    var holdsAnswer: Bool { get }
    /// True if a form of the page may lead the browser to another site, a client or a provider.
    var formsLeadAway: Bool { get }
}

extension Page {
    package var sign: HTML { HTML([]) }
    package var heading: HTML { HTML { title } }
    package var problems: [Problem] { [] }
    package var status: Int { problems.isEmpty ? 200 : 400 }
    package var script: Asset? { nil }
    package var inlineScript: InlineScript? { nil }
    package var framedBy: WebOrigin? { nil }
    package var holdsAnswer: Bool { false }
    package var formsLeadAway: Bool { false }
}

/// Something wrong with what a person sent.
package struct Problem: Sendable, Equatable {
    /// The field's id. Nil means that the problem is the whole form's.
    package let field: String?
    package let text: LocalizedText

    init(_ text: LocalizedText, field: String? = nil) {
        self.text = text
        self.field = field
    }
}
