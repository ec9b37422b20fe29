/// A redirect URI that a client registered (RFC 6749 clause 3.1.2, RFC 8252 clause 7).
package struct RedirectURI: Sendable, Hashable, CustomStringConvertible {
    /// As registered.
    package let description: String
    /// Parts before and after the port of a loopback address (RFC 8252 clause 7.3).
    private let loopback: Loopback?

    private struct Loopback: Hashable {
        let host: Substring
        let rest: Substring
    }

    /// Schemes that browsers handle themselves, so that no app receives them.
    private static let refusedSchemes: Set<String> = [
        "javascript", "data", "vbscript", "file", "blob", "about", "view-source", "ws", "wss", "ftp",
    ]

    /// Nil for a relative URI, a fragment, a wildcard in the authority, user information, `http` to another machine, or
    /// a browser's own scheme.
    package init?(registering text: String) {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy(Self.isAllowed), !text.contains("#"),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        let scheme = text[..<colon].lowercased()
        guard let first = scheme.utf8.first, (0x61...0x7A).contains(first),
            scheme.utf8.allSatisfy({
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
            }), !Self.refusedSchemes.contains(scheme)
        else { return nil }
        if scheme == "http" || scheme == "https" {
            guard let authority = Self.authority(text, after: colon), !authority.isEmpty, !authority.contains("@"),
                !authority.contains("*"), !authority.contains("\\")
            else { return nil }
            if scheme == "http" {
                let host = Self.host(of: authority)
                guard ["127.0.0.1", "[::1]", "localhost"].contains(host) else { return nil }
            }
        }
        description = text
        loopback = Self.loopback(text)
    }

    /// True if a code may be sent to `requested`, whose fragment was dropped. It must be the same string (RFC 9700
    /// clause 2.1), except for the port of a loopback address, which an app cannot choose (RFC 8252 clause 7.3).
    /// `localhost` counts as loopback because programs register it, though an address is better (clause 8.3).
    package func allows(_ requested: String) -> Bool {
        // Registered addresses are ASCII. Swift's == would take the Kelvin sign for a K, as Unicode does.
        guard requested.utf8.allSatisfy(Self.isAllowed) else { return false }
        if requested == description { return true }
        guard let loopback else { return false }
        return Self.loopback(requested) == loopback
    }

    /// Drops the fragment, which is not part of a redirect URI (RFC 6749 clause 3.1.2).
    package static func withoutFragment(_ text: String) -> String { String(text.prefix { $0 != "#" }) }

    private static func isAllowed(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

    private static func authority(_ text: String, after colon: String.Index) -> Substring? {
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else { return nil }
        return rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
    }

    private static func host(of authority: Substring) -> String {
        if authority.first == "[" { return String(authority.prefix { $0 != "]" }) + "]" }
        return authority.prefix { $0 != ":" }.lowercased()
    }

    private static func loopback(_ text: String) -> Loopback? {
        for host in ["http://127.0.0.1", "http://[::1]", "http://localhost"] where text.hasPrefix(host) {
            var rest = text.dropFirst(host.count)
            if rest.first == ":" {
                rest = rest.dropFirst()
                let port = rest.prefix { ("0"..."9").contains($0) }
                guard let number = UInt16(port), number > 0 else { return nil }
                rest = rest.dropFirst(port.count)
            }
            guard rest.isEmpty || rest.first == "/" || rest.first == "?" else { return nil }
            return Loopback(host: text.prefix(host.count), rest: rest)
        }
        return nil
    }
}
