public import HTTPModel
import OAuthWire

extension Page {
    /// The answer that shows the page, never cached and never framed.
    ///
    /// `status` is another status code than the page's own.
    public func response(in frame: PageFrame, status: Int? = nil) -> Response {
        Response(
            status: status ?? self.status,
            fields: [
                "Content-Type": "text/html; charset=utf-8",
                "Content-Language": frame.language.rawValue,
                "Cache-Control": "no-store",
                "Content-Security-Policy": policy(in: frame),
                // For browsers that do not know frame-ancestors (RFC 9700 4.16).
                "X-Frame-Options": "DENY",
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
    ///
    /// Chromium asks `form-action` for every redirect that follows a form, also for those of other sites; other browsers
    /// do not, and the specification leaves it open (w3c/webappsec-csp issue 8). Where a client leads people after its
    /// callback nobody here knows, so a page whose form may end at a client says nothing of forms.
    private func policy(in frame: PageFrame) -> String {
        var images = ["'self'"]
        if let logo = frame.branding.logo, logo.isWeb, let source = logo.policySource { images.append(source) }
        var directives = [
            "default-src 'none'", "style-src 'self'", "img-src \(images.joined(separator: " "))",
            "frame-ancestors 'none'", "base-uri 'none'",
        ]
        if !formsLeadAway { directives.append("form-action 'self'") }
        if script != nil { directives.insert("script-src 'self'", at: 1) }
        return directives.joined(separator: "; ")
    }
}
