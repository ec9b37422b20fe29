import AuthorizationCore
import OAuthWire

extension TenantConfiguration {
    /// What of `scope` a client may have of the API in the user's name. OpenID scopes pass; an API's scopes pass when
    /// the API defines them, the client may ask for them, and, where the API enforces policies, the user's roles permit
    /// them; `user` nil, before anyone is known, leaves out what roles permit.
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
