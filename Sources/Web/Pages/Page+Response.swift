public import HTTPModel
import OAuthWire

extension Page {
    /// The answer that shows the page, never cached and never framed.
    ///
    /// - Parameters:
    ///   - status: another status code than the page's own.
    ///   - destinations: where the browser may be redirected when a form of this page was sent, such as the client's
    ///     redirect URI: Chromium applies `form-action` to every redirect that follows.
    public func response(in frame: PageFrame, status: Int? = nil, allowing destinations: [PageURL] = []) -> Response {
        Response(
            status: status ?? self.status,
            fields: [
                "Content-Type": "text/html; charset=utf-8",
                "Content-Language": frame.language.rawValue,
                "Cache-Control": "no-store",
                "Content-Security-Policy": policy(in: frame, allowing: destinations),
                // For browsers that do not know frame-ancestors (RFC 9700 4.16).
                "X-Frame-Options": "DENY",
                "X-Content-Type-Options": "nosniff",
                // The address holds the request's state, which no other site may see (RFC 9700 4.2.4). Not
                // no-referrer, with which browsers send `Origin: null` with our own forms.
                "Referrer-Policy": "same-origin",
                "Cross-Origin-Opener-Policy": "same-origin",
                "Permissions-Policy":
                    "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
            ],
            body: .bytes(html(in: frame)))
    }

    /// Content Security Policy Level 3: nothing but what the page has.
    private func policy(in frame: PageFrame, allowing destinations: [PageURL]) -> String {
        var images = ["'self'"]
        if let logo = frame.branding.logo, logo.isWeb, let source = logo.policySource { images.append(source) }
        var forms = ["'self'"]
        for source in (targets + destinations).compactMap(\.policySource) where !forms.contains(source) {
            forms.append(source)
        }
        var directives = [
            "default-src 'none'", "style-src 'self'", "img-src \(images.joined(separator: " "))",
            "form-action \(forms.joined(separator: " "))", "frame-ancestors 'none'", "base-uri 'none'",
        ]
        if script != nil { directives.insert("script-src 'self'", at: 1) }
        return directives.joined(separator: "; ")
    }
}
