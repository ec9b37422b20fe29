import AuthorizationCore
import OAuthWire

extension TenantConfiguration {
    /// The part of `scope` that a client may have of the API in the user's name. OpenID scopes pass. An API's scopes
    /// pass if the API defines them, the client may request them and, if the API enforces policies, the user's roles
    /// permit them. If `user` is nil, roles are not checked.
    func permitted(_ scope: ScopeSet, of api: ResourceServer, under access: ClientAccess, for user: User?) -> ScopeSet {
        let permissions = api.enforcesPolicies ? user.map { self.permissions(of: $0, at: api.identifier) } : nil
        return scope.filter { token in
            if token == "offline_access" { return api.allowsOfflineAccess }
            if ScopeSet.openIDScopes.contains(token) { return true }
            return api.scopes.contains { $0.value == token } && access.allows(scope: token)
                && permissions?.contains(token) ?? true
        }
    }
}
