/// Scope tokens (RFC 6749 clause 3.3) in the requested order, each once.
package struct ScopeSet: Sendable, Hashable, Sequence, CustomStringConvertible {
    package private(set) var tokens: [String] = []

    package init(_ tokens: some Sequence<String> = []) {
        // A set, because a request may name thousands.
        var seen: Set<String> = []
        self.tokens = tokens.filter { seen.insert($0).inserted }
    }

    /// Reads a space-separated list. Fails on a character outside `scope-token`.
    package init(parsing text: String) throws(OAuthError) {
        for byte in text.utf8
        where !(byte == 0x20 || byte == 0x21 || (0x23...0x5B).contains(byte) || (0x5D...0x7E).contains(byte)) {
            throw OAuthError(
                .invalidScope, "scope may hold printable ASCII without quotes and backslashes, split by spaces")
        }
        self.init(text.split(separator: " ").map(String.init))
    }

    package func contains(_ token: String) -> Bool { tokens.contains(token) }

    package func filter(_ isIncluded: (String) -> Bool) -> ScopeSet {
        var filtered = self
        filtered.tokens.removeAll { !isIncluded($0) }
        return filtered
    }

    package func makeIterator() -> IndexingIterator<[String]> { tokens.makeIterator() }
    package var isEmpty: Bool { tokens.isEmpty }
    package var description: String { tokens.joined(separator: " ") }

    /// Scopes of OpenID Connect (OIDC Core 5.4, 11) and the single claims that Auth0 offers as scopes. They concern the
    /// user's identity, not an API, so API permissions do not filter them.
    package static let openIDScopes: Set<String> = [
        "openid", "profile", "email", "phone", "address", "offline_access", "name", "given_name", "family_name",
        "nickname", "picture", "email_verified", "created_at",
    ]
}
