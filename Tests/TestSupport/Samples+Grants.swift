package import AuthorizationCore

extension Client {
    /// Grants the client these APIs and no others, for itself and in users' names; nil is every scope.
    package mutating func limit(to grants: [String: Set<String>?]) {
        self.grants = grants.sorted { $0.key < $1.key }.map { ClientGrant(audience: $0, scopes: $1) }
        isLimitedToGrants = true
    }
}
