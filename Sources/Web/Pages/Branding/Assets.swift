package import Primitives

/// The files that pages load: a stylesheet for each colour and one of the dashboard, and the scripts of the form post
/// page, of the page to decide on, of pages that wait, of passkeys and of the dashboard. Also the inline script of the
/// response mode `web_message`.
package struct Assets: Sendable {
    /// The start of every asset's path.
    package static let prefix = "/assets/"

    package let formPostScript: Asset
    package let waitingScript: Asset
    let passkeyScript: Asset
    package let approvalScript: Asset
    package let dashboardScript: Asset
    let dashboardStylesheet: Asset
    let webMessageScript: InlineScript
    private let hashing: any Hashing

    package init(hashing: any Hashing) {
        self.hashing = hashing
        formPostScript = Self.script("form-post", PackageResources.form_post_js, hashing)
        waitingScript = Self.script("waiting", PackageResources.waiting_js, hashing)
        passkeyScript = Self.script("passkey", PackageResources.passkey_js, hashing)
        approvalScript = Self.script("approval", PackageResources.approval_js, hashing)
        dashboardScript = Self.script("dashboard", PackageResources.dashboard_js, hashing)
        dashboardStylesheet = Self.asset(
            "dashboard", "css", Self.stylesheetType, PackageResources.dashboard_css, hashing)
        webMessageScript = InlineScript(PackageResources.web_message_js, hashing: hashing)
    }

    private static let stylesheetType = "text/css; charset=utf-8"

    /// The whole stylesheet for a tenant's colour.
    package func stylesheet(_ colour: Colour) -> Asset {
        Self.asset(
            "page-\(colour.hex)", "css", Self.stylesheetType,
            Array(Palette(colour).css.utf8) + PackageResources.page_css, hashing)
    }

    /// The asset of that name, which determines its contents. Nil means that there is none.
    package subscript(name name: String) -> Asset? {
        let fixed = [
            formPostScript, waitingScript, passkeyScript, approvalScript, dashboardScript, dashboardStylesheet,
        ]
        for asset in fixed where asset.name == name { return asset }
        guard let colour = Colour(hex: String(name.dropFirst("page-".count).prefix(6))) else { return nil }
        let stylesheet = stylesheet(colour)
        return stylesheet.name == name ? stylesheet : nil
    }

    private static func script(_ name: String, _ bytes: [UInt8], _ hashing: any Hashing) -> Asset {
        asset(name, "js", "text/javascript; charset=utf-8", bytes, hashing)
    }

    private static func asset(
        _ name: String, _ suffix: String, _ contentType: String, _ bytes: [UInt8], _ hashing: any Hashing
    ) -> Asset {
        let hash = Hex.encode(hashing.sha256(bytes).prefix(8))
        return Asset(name: "\(name)-\(hash).\(suffix)", contentType: contentType, bytes: bytes)
    }
}
