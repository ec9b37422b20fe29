package import HTTPModel
import Localization
import OAuthWire

extension Page {
    /// The answer that shows the page: never cached, and framed by nobody but `framedBy`.
    ///
    /// `status` is another status code than the page's own.
    package func response(in frame: PageFrame, status: Int? = nil) -> Response {
        let frame = frame.fitted(to: self)
        var fields: HTTPFields = [
            "Content-Type": "text/html; charset=utf-8",
            "Content-Language": frame.language.rawValue,
            "Cache-Control": "no-store",
            "Content-Security-Policy": policy(in: frame),
            // The address holds the request's state, which no other site may see (RFC 9700 4.2.4). Not
            // no-referrer, with which browsers send `Origin: null` with our own forms.
            "Referrer-Policy": holdsAnswer ? "no-referrer" : "same-origin",
            // HTML 7.1.3: same-origin ends the tie to the window that opened this one for good, so it cannot stand on
            // any page of a login whose answer that window waits for.
            "Cross-Origin-Opener-Policy": frame.keepsOpener ? "unsafe-none" : "same-origin",
            "Permissions-Policy":
                "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
        ]
        // For browsers that do not know frame-ancestors (RFC 9700 4.16). It cannot name an origin.
        if framedBy == nil { fields.append("X-Frame-Options", "DENY") }
        return Response(status: status ?? self.status, fields: fields, body: .bytes(html(in: frame)))
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
            "frame-ancestors \(frameAncestors)", "base-uri 'none'",
        ]
        if !formsLeadAway { directives.append("form-action 'self'") }
        if let source = inlineScript?.policySource ?? (script == nil ? nil : "'self'") {
            directives.insert("script-src \(source)", at: 1)
        }
        return directives.joined(separator: "; ")
    }

    /// Nobody for an origin that a policy cannot name: an IPv6 address (CSP 3, 2.3.1).
    private var frameAncestors: String {
        let source = framedBy.flatMap { PageURL($0.description)?.policySource }
        return source == framedBy?.description ? source ?? "'none'" : "'none'"
    }
}
