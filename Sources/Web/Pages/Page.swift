public import OAuthWire

/// A hosted page as a value. ``html(in:)`` makes its bytes and ``response(in:status:)`` the whole answer.
public protocol Page: Sendable {
    /// For the browser's title bar; says nothing about the person.
    var title: LocalizedText { get }
    /// Shown above the heading.
    var sign: HTML { get }
    /// The text of the `h1`.
    var heading: HTML { get }
    /// All below the heading and the problems.
    var content: HTML { get }
    /// What is wrong with what was sent, to be said above the content.
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
    /// Whether the browser may end at another site when a form of the page was sent: at a client or a provider.
    var formsLeadAway: Bool { get }
}

extension Page {
    public var sign: HTML { HTML([]) }
    public var heading: HTML { HTML { title } }
    public var problems: [Problem] { [] }
    public var status: Int { problems.isEmpty ? 200 : 400 }
    public var script: Asset? { nil }
    public var inlineScript: InlineScript? { nil }
    public var framedBy: WebOrigin? { nil }
    public var holdsAnswer: Bool { false }
    public var formsLeadAway: Bool { false }
}

/// Something wrong with what a person sent.
public struct Problem: Sendable, Equatable {
    /// The id of the field it is about; nil where it is about the whole.
    public let field: String?
    public let text: LocalizedText

    init(_ text: LocalizedText, field: String? = nil) {
        self.text = text
        self.field = field
    }
}
