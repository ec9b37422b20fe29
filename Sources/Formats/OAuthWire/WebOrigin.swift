/// Origin of a script, spelled as browsers do in `Origin` (RFC 6454 clause 6.2, HTML "serialization of an origin"):
/// lower case, without a default port, and nothing after the authority.
package struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// Nil for a text that no browser sends as an origin. Nil, as for redirect URIs, for a wildcard, `http` to another
    /// machine, and a browser's own scheme.
    package init?(registering text: String) {
        guard RedirectURI(registering: text) != nil, let (scheme, authority, rest) = Self.parts(text), rest.isEmpty
        else { return nil }
        self.init(scheme: scheme, authority: authority)
    }

    /// Origin of the page that receives codes. Nil for an app.
    package init?(of uri: RedirectURI) {
        guard let (scheme, authority, _) = Self.parts(uri.description), scheme == "https" || scheme == "http" else {
            return nil
        }
        self.init(scheme: scheme, authority: authority)
    }

    /// Origin of an `https` URL. Nil without a host, with user information, or for a wildcard.
    package init?(ofSecureURL text: String) {
        guard let (scheme, authority, _) = Self.parts(text), scheme == "https" else { return nil }
        self.init(scheme: scheme, authority: authority)
    }

    /// Without a port. An IPv6 address is in brackets.
    package var host: Substring {
        let authority = description[
            description.utf8.index(after: description.utf8.lastIndex(of: 0x2F) ?? description.startIndex)...]
        guard let colon = authority.lastIndex(of: ":"), authority.last != "]" else { return authority }
        return authority[..<colon]
    }

    private init?(scheme: String, authority: Substring) {
        var host = authority.lowercased()
        // IPv6 addresses are in brackets.
        if let colon = host.lastIndex(of: ":"), host.last != "]" {
            let port = host[host.index(after: colon)...]
            guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port), number > 0 else {
                return nil
            }
            let isDefault = scheme == "https" && number == 443 || scheme == "http" && number == 80
            host = host[..<colon] + (isDefault ? "" : ":\(number)")
        }
        guard !host.isEmpty, host.first != ":", !host.contains(where: { "*@\\%#".contains($0) }) else { return nil }
        description = "\(scheme)://\(host)"
    }

    private static func parts(_ text: String) -> (scheme: String, authority: Substring, rest: Substring)? {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
        let behind = text[colon...].dropFirst(3)
        let authority = behind.prefix { $0 != "/" && $0 != "?" }
        return (text[..<colon].lowercased(), authority, behind[authority.endIndex...])
    }
}
