/// A file of the web app, as it is served.
package struct ApproverFile: Sendable, Equatable {
    package let name: String
    package let bytes: [UInt8]
    /// The bytes in gzip's format (RFC 1952). Nil for files that are small, or compressed in their own format.
    package let compressed: [UInt8]?

    init(_ name: String, _ bytes: [UInt8], compressed: [UInt8]? = nil) {
        self.name = name
        self.bytes = bytes
        self.compressed = compressed
    }

    package var contentType: String {
        switch name.split(separator: ".").last {
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "png": "image/png"
        default: "text/html; charset=utf-8"
        }
    }

    /// Replaces places of the form `%NAME%`.
    func filled(_ values: [String: String]) -> [UInt8] {
        var text = String(decoding: bytes, as: UTF8.self)
        for (name, value) in values { text = text.replacing("%\(name)%", with: value) }
        return Array(text.utf8)
    }
}

/// `scripts/build-approver` makes the scripts and the stylesheet.
extension ApproverFile {
    static let shell = ApproverFile("index.html", PackageResources.index_html)
    static let worker = ApproverFile("sw.js", PackageResources.sw_js)

    /// Everything that shell and worker load.
    static let loaded = [
        ApproverFile("approver.css", PackageResources.approver_css, compressed: PackageResources.approver_css_gz),
        ApproverFile("approver.js", PackageResources.approver_js, compressed: PackageResources.approver_js_gz),
        ApproverFile("badge-96.png", PackageResources.badge_96_png),
        ApproverFile("icon-192.png", PackageResources.icon_192_png),
        ApproverFile("icon-512.png", PackageResources.icon_512_png),
    ]
}
