package import OAuthWire

/// URL to which this server sends requests or browsers, set by an operator or a provider. `https`, or `http` to this
/// machine only, so that no secret crosses a network in the clear.
package struct EndpointURL: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// Nil for anything else, and for user information or a fragment (RFC 6749 clause 3.1).
    package init?(_ text: String) {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !text.contains("#"),
            !text.contains("\\")
        else { return nil }
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { return nil }
        let authority = text.dropFirst(isSecure ? 8 : 7).prefix { $0 != "/" && $0 != "?" }
        guard !authority.isEmpty, authority.first != ":", !authority.contains("@") else { return nil }
        if !isSecure {
            // Drops the port: the last colon, followed by digits only.
            let digits = authority.reversed().prefix { $0.isASCII && $0.isNumber }.count
            let host = authority.dropLast(digits).last == ":" ? authority.dropLast(digits + 1) : authority
            guard ["127.0.0.1", "[::1]", "localhost"].contains(host) else { return nil }
        }
        description = text
    }

    private init(unchecked text: String) { description = text }

    /// Scheme and authority, as written.
    package var origin: Substring {
        let start = description.firstIndex(of: ":").map { description.index($0, offsetBy: 3) } ?? description.endIndex
        let end = description[start...].firstIndex { $0 == "/" || $0 == "?" } ?? description.endIndex
        return description[..<end]
    }

    package var hasQuery: Bool { description.contains("?") }

    /// Appends to the path of a URL without a query. A slash at the end is not doubled.
    package func appending(path: StaticString) -> EndpointURL {
        EndpointURL(unchecked: (description.hasSuffix("/") ? "\(description.dropLast())" : description) + "/\(path)")
    }

    /// The URL of an endpoint below this issuer.
    package func appending(_ path: EndpointPath) -> EndpointURL {
        EndpointURL(unchecked: path.url(below: description.hasSuffix("/") ? description : description + "/"))
    }

    /// Appends an encoded form to the query, if any (RFC 6749 clause 3.1).
    package func appending(query: String) -> String { description + (hasQuery ? "&" : "?") + query }
}
