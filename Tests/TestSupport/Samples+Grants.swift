package import AuthorizationCore

extension Client {
    /// Limits the client to these APIs, for itself and for users. Nil means every scope.
    package mutating func limit(to grants: [String: Set<String>?]) {
        self.grants = grants.sorted { $0.key < $1.key }.map { ClientGrant(audience: $0, scopes: $1) }
        isLimitedToGrants = true
    }
}
