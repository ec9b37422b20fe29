import Primitives

/// An address that a page may link to, post to or load: `http`, `https`, an address on this server, or a scheme that
/// the caller allows by name. `javascript:` and `data:` addresses are impossible.
package struct PageURL: Sendable, Hashable {
    /// The address: printable ASCII, as RFC 3986 allows.
    package let text: String
    /// The address's origin as a Content-Security-Policy names it (CSP 3, 2.3.1). Nil means this server.
    package let policySource: String?

    /// Nil unless `text` is an `http` or `https` address without user name, or an address on this server that begins
    /// with `/`, `?` or `#`.
    ///
    /// `schemes` are other schemes to accept, in lower case, such as the private-use scheme of an app's redirect URI
    /// (RFC 8252 7.1). Schemes that run or embed content are always refused.
    package init?(_ text: String, schemes: Set<String> = []) {
        guard !text.isEmpty, text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        if text.hasPrefix("/") {
            // Two slashes begin another host's address (RFC 3986 4.2).
            guard !text.hasPrefix("//") else { return nil }
            policySource = nil
        } else if text.hasPrefix("?") || text.hasPrefix("#") {
            policySource = nil
        } else {
            guard let scheme = Self.scheme(of: text) else { return nil }
            switch scheme {
            case "http", "https":
                guard let source = Self.origin(of: text.dropFirst(scheme.utf8.count + 1), scheme: scheme) else {
                    return nil
                }
                policySource = source
            case let scheme where schemes.contains(scheme) && !Self.active.contains(scheme): policySource = scheme + ":"
            default: return nil
            }
        }
        self.text = text
    }

    /// Makes an address on this server. Percent-encodes characters that an address cannot contain.
    package init(path: String, query: [(name: String, value: String)] = []) {
        let trimmed = path.utf8.drop { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        var text = "/"
        for byte in trimmed {
            let isPlain =
                Self.isAllowed(byte) && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
                && byte != UInt8(ascii: "%")
            text += isPlain ? String(UnicodeScalar(byte)) : "%" + Hex.encode([byte])
        }
        self.text = text + Self.encoded(query)
        policySource = nil
    }

    /// Makes an address on this server from a path whose segments are percent-encoded already.
    package init(encodedPath path: String, query: [(name: String, value: String)] = []) {
        text =
            "/" + path.utf8.drop { $0 == UInt8(ascii: "/") }.filter(Self.isAllowed).map { Character(UnicodeScalar($0)) }
            + Self.encoded(query)
        policySource = nil
    }

    private static func encoded(_ query: [(name: String, value: String)]) -> String {
        let fields = query.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
        return fields.isEmpty ? "" : "?" + fields.joined(separator: "&")
    }

    /// True for an address on this server, `http` or `https`, which images and forms may use.
    package var isWeb: Bool { policySource.map { !$0.hasSuffix(":") || $0 == "http:" || $0 == "https:" } ?? true }

    /// Schemes whose addresses are content or code.
    private static let active: Set<String> = [
        "about", "blob", "data", "file", "filesystem", "javascript", "vbscript", "view-source",
    ]

    /// True for unreserved and reserved characters and `%` (RFC 3986 2).
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: (0x21...0x7E).contains(byte)
        }
    }

    /// The scheme in lower case (RFC 3986 3.1).
    private static func scheme(of text: String) -> String? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = text[..<colon].lowercased()
        guard let first = scheme.utf8.first, (0x61...0x7A).contains(first) else { return nil }
        let isScheme = scheme.utf8.allSatisfy { byte in
            switch byte {
            case 0x61...0x7A, 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
            default: false
            }
        }
        return isScheme ? scheme : nil
    }

    /// The origin of `//host:port/…`. Nil if there is a user name, which only misleads people.
    private static func origin(of rest: Substring, scheme: String) -> String? {
        guard rest.hasPrefix("//") else { return nil }
        let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if authority.hasPrefix("[") {
            // A policy's hosts cannot have brackets (CSP 3, 2.3.1), so an IPv6 address is allowed by its scheme.
            let inner = authority.dropFirst().prefix { $0 != "]" }
            guard !inner.isEmpty, inner.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }),
                case let end = authority[inner.endIndex...], end.hasPrefix("]"), isPort(end.dropFirst())
            else { return nil }
            return scheme + ":"
        }
        let host = authority.prefix { $0 != ":" }
        let isHost = host.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard !host.isEmpty, isHost, isPort(authority[host.endIndex...]) else { return nil }
        return "\(scheme)://\(authority.lowercased())"
    }

    /// True for the empty text, or a colon and at most five digits.
    private static func isPort(_ text: Substring) -> Bool {
        guard let colon = text.utf8.first else { return true }
        let digits = text.utf8.dropFirst()
        return colon == UInt8(ascii: ":") && (1...5).contains(digits.count)
            && digits.allSatisfy { (0x30...0x39).contains($0) }
    }
}
