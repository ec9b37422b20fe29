import Primitives

/// An inline script. Its text is a constant, whose hash the page's policy names, so that no other script runs (CSP 3,
/// 8.3). Its input is in attributes.
package struct InlineScript: Sendable {
    let text: String
    /// The hash in the form of `script-src`.
    let policySource: String
    private(set) var attributes: [Attribute] = []

    init(_ bytes: [UInt8], hashing: any Hashing) {
        text = String(decoding: bytes, as: UTF8.self)
        policySource = "'sha256-\(Base64.encode(hashing.sha256(bytes)))'"
    }

    func with(_ attributes: Attribute...) -> InlineScript {
        var script = self
        script.attributes = attributes
        return script
    }
}
