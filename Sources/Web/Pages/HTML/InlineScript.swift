import Primitives

/// An inline script. Its text is a constant, whose hash the page's policy names, so that no other script runs (CSP 3,
/// 8.3). Its input is in attributes.
package struct InlineScript: Sendable {
    let text: String
    /// The hash in the form of `script-src`.
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
