package import Primitives

/// The files that pages load: a stylesheet for each colour and the script of the form post page. Also the inline script
/// of the response mode `web_message`.
package struct Assets: Sendable {
    /// The start of every asset's path.
    package static let prefix = "/assets/"

    package let formPostScript: Asset
    let webMessageScript: InlineScript
    private let hashing: any Hashing

    package init(hashing: any Hashing) {
        self.hashing = hashing
        formPostScript = Self.asset(
            "form-post", "js", "text/javascript; charset=utf-8", Array(FormPostPage.script.utf8), hashing)
        webMessageScript = InlineScript(WebMessagePage.script, hashing: hashing)
    }

    /// The whole stylesheet for a tenant's colour.
    package func stylesheet(_ colour: Colour) -> Asset {
        Self.asset(
            "page-\(colour.hex)", "css", "text/css; charset=utf-8",
            Array((Palette(colour).css + Stylesheet.text).utf8), hashing)
    }

    /// The asset of that name, which determines its contents. Nil means that there is none.
    package subscript(name name: String) -> Asset? {
        if name == formPostScript.name { return formPostScript }
        guard let colour = Colour(hex: String(name.dropFirst("page-".count).prefix(6))) else { return nil }
        let stylesheet = stylesheet(colour)
        return stylesheet.name == name ? stylesheet : nil
    }

    private static func asset(
        _ name: String, _ suffix: String, _ contentType: String, _ bytes: [UInt8], _ hashing: any Hashing
    ) -> Asset {
        let hash = Hex.encode(hashing.sha256(bytes).prefix(8))
        return Asset(name: "\(name)-\(hash).\(suffix)", contentType: contentType, bytes: bytes)
    }
}
