import Glibc
import HTTPModel

/// Target of a request line (RFC 9112 clause 3.2). In origin-form it is a path. In absolute-form, which clients send to
/// proxies and a server must accept, it also names the host, which replaces the field (clause 3.2.2). The other two
/// forms are for tunnels and for whole servers; this server refuses them.
struct RequestTarget {
    /// Begins with a slash.
    let path: String
    /// The host in absolute-form, else nil.
    let authority: String?

    /// Reads a target without its query.
    init(_ target: String, query: String?) throws(HTTPRefusal) {
        guard Self.isVisible(target), query.map(Self.isVisible) ?? true else {
            throw .malformed(
                "The request target must not hold blanks, control characters, # or characters beyond ASCII.")
        }
        if target.utf8.first == UInt8(ascii: "/") {
            path = target
            authority = nil
            return
        }
        guard let rest = Self.withoutScheme(target) else {
            throw .malformed("The request target must be a path that begins with a slash, or an http or https URL.")
        }
        let authority = rest.prefix { $0 != "/" }
        // RFC 9110 clauses 4.2.1 and 4.2.4: requires a host and refuses user information.
        guard let first = authority.utf8.first, first != UInt8(ascii: ":"), !authority.utf8.contains(UInt8(ascii: "@"))
        else { throw .malformed("A URL as the request target must name a host, without user information.") }
        self.authority = String(authority)
        // RFC 9112 clause 3.2.1: an empty path is sent as a slash.
        path = authority.endIndex == rest.endIndex ? "/" : String(rest[authority.endIndex...])
    }

    private static let schemes = ["http://", "https://"]

    private static func withoutScheme(_ target: String) -> Substring? {
        for scheme in schemes where target.prefix(scheme.count).lowercased() == scheme {
            return target.dropFirst(scheme.count)
        }
        return nil
    }

    private static func isVisible(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
    }
}
