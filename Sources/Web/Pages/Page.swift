package import Localization
package import OAuthWire

/// A hosted page as a value. ``html(in:)`` returns its bytes and ``response(in:)`` the whole response.
package protocol Page: Sendable {
    /// Title for the browser's title bar, without personal data.
    var title: LocalizedText { get }
    /// Shown above the heading.
    var sign: HTML { get }
    /// The text of the `h1`.
    var heading: HTML { get }
    /// Everything below the heading and the problems.
    var content: HTML { get }
    /// Problems of the form that was sent, shown above the content.
    var problems: [Problem] { get }
    /// The status code to answer with (RFC 9110 clause 15).
    var status: Int { get }
    /// The only script that the page loads.
    var script: Asset? { get }
    /// The only inline script.
    var inlineScript: InlineScript? { get }
    /// Pictures that the page loads from other hosts, beside the tenant's logo.
    var images: [PageURL] { get }
    /// The only origin that may frame the page. Nil allows none.
    var framedBy: WebOrigin? { get }
    /// True if the page or its address holds the answer to a client. Such a page loads nothing from other hosts and
    /// sends no referrer.
    var holdsAnswer: Bool { get }
    /// True if a form of the page may lead the browser to another site, a client or a provider.
    var formsLeadAway: Bool { get }
    /// True if the footer says that people log in here. False names the tenant alone.
    var isForLogin: Bool { get }
    var layout: PageLayout { get }
}

extension Page {
    package var sign: HTML { HTML([]) }
    package var heading: HTML { HTML { title } }
    package var problems: [Problem] { [] }
    package var status: Int { problems.isEmpty ? 200 : 400 }
    package var script: Asset? { nil }
    package var inlineScript: InlineScript? { nil }
    package var images: [PageURL] { [] }
    package var framedBy: WebOrigin? { nil }
    package var holdsAnswer: Bool { false }
    package var formsLeadAway: Bool { false }
    package var isForLogin: Bool { true }
    package var layout: PageLayout { .card }
}

/// Arrangement of a page.
package enum PageLayout: Sendable {
    /// One card in the middle.
    case card
    /// The whole width, with the sections beside the page.
    case dashboard(HTML)
}

/// A problem with a person's input.
package struct Problem: Sendable, Equatable {
    /// The field's id. Nil means that the problem concerns the whole form.
    package let field: String?
    package let text: LocalizedText

    init(_ text: LocalizedText, field: String? = nil) {
        self.text = text
        self.field = field
    }
}
