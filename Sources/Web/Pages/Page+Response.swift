package import HTTPModel
import Localization
import OAuthWire

extension Page {
    /// The response with the page. It is not cached, and only `framedBy` may frame it.
    package func response(in frame: PageFrame) -> Response {
        let frame = frame.fitted(to: self)
        var fields: HTTPFields = [
            "Content-Type": "text/html; charset=utf-8",
            "Content-Language": frame.language.rawValue,
            "Cache-Control": "no-store",
            "Content-Security-Policy": policy(in: frame),
            // The address holds the request's state, which no other site may see (RFC 9700 4.2.4). With no-referrer,
            // browsers would send `Origin: null` with our own forms.
            "Referrer-Policy": holdsAnswer ? "no-referrer" : "same-origin",
            // HTML 7.1.3: same-origin cuts off the opening window for good, so no page of a login may have it if that
            // window waits for the answer.
            "Cross-Origin-Opener-Policy": frame.keepsOpener ? "unsafe-none" : "same-origin",
            "Permissions-Policy":
                "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
        ]
        // For browsers without frame-ancestors (RFC 9700 4.16). It cannot name an origin.
        if framedBy == nil { fields.append("X-Frame-Options", "DENY") }
        return Response(status: status, fields: fields, body: .bytes(html(in: frame)))
    }

    /// Content Security Policy Level 3, which allows only the page's own parts.
    ///
    /// Chromium applies `form-action` to every redirect that follows a form, even on other sites. Other browsers do
    /// not, and the specification leaves it open (w3c/webappsec-csp issue 8). The redirects after a client's callback
    /// are unknown, so a page whose form may end at a client has no `form-action`.
    private func policy(in frame: PageFrame) -> String {
        var images = ["'self'"]
        let logo = frame.branding.logo.flatMap { $0.isWeb ? $0 : nil }
        for source in ([logo] + self.images).compactMap(\.?.policySource) where !images.contains(source) {
            images.append(source)
        }
        var directives = [
            "default-src 'none'", "style-src 'self'", "img-src \(images.joined(separator: " "))",
            "frame-ancestors \(frameAncestors)", "base-uri 'none'",
        ]
        if !formsLeadAway { directives.append("form-action 'self'") }
        if let source = inlineScript?.policySource ?? (script == nil && frame.waiting == nil ? nil : "'self'") {
            directives.insert("script-src \(source)", at: 1)
        }
        if frame.waiting != nil || connects { directives.append("connect-src 'self'") }
        return directives.joined(separator: "; ")
    }

    /// True if the page's script follows the server.
    private var connects: Bool {
        if case .dashboard = layout { true } else { false }
    }

    /// Allows no frame if a policy cannot name the origin: an IPv6 address (CSP 3, 2.3.1).
    private var frameAncestors: String {
        let source = framedBy.flatMap { PageURL($0.description)?.policySource }
        return source == framedBy?.description ? source ?? "'none'" : "'none'"
    }
}
