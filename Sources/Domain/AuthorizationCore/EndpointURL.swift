/// Address, from an operator or a provider, to which this server sends its own requests or a browser: `https`, or
/// `http` to this machine alone, so that no secret crosses a network in the clear.
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
            // Without the port, whose colon is the last one and has nothing but digits behind it.
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

    /// A URL without a query, with further steps of its path. A slash at its end is not doubled.
    package func appending(path: StaticString) -> EndpointURL {
        EndpointURL(unchecked: (description.hasSuffix("/") ? "\(description.dropLast())" : description) + "/\(path)")
    }

    /// The URL with an encoded form behind the query that it may have (RFC 6749 clause 3.1).
    package func appending(query: String) -> String {
        description + (hasQuery ? "&" : "?") + query
    }
}
