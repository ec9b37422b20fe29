import Primitives

/// A script that stands in the page. Its text is a constant of ours, whose hash the page's policy names, so that no other
/// script runs there (CSP 3, 8.3); what it works on are attributes.
package struct InlineScript: Sendable {
    let text: String
    /// The hash as `script-src` has it.
    let policySource: String
    private(set) var attributes: [Attribute] = []

    init(_ text: StaticString, hashing: any Hashing) {
        self.text = "\(text)"
        policySource = "'sha256-\(Base64.encode(hashing.sha256(Array(self.text.utf8))))'"
    }

    func with(_ attributes: Attribute...) -> InlineScript {
        var script = self
        script.attributes = attributes
        return script
    }
}
