import ApprovalWire
import AuthorizationCore
import OAuthWire
import Primitives

extension GrantedAccess {
    /// Refuses tokens for another API than the one that was granted (RFC 8707 clause 2.2). Nil asks for that one.
    func check(audience requested: String?, in configuration: TenantConfiguration) throws(OAuthError) {
        guard let requested = RequestedAccess.audience(named: requested, in: configuration), requested != audience
        else { return }
        let tenant = configuration.tenant
        guard tenant.isUserinfoAudience(requested), tenant.isUserinfoAudience(audience) else {
            throw OAuthError(.invalidTarget, "The grant is for \(audience)")
        }
    }

    /// The part of the access that is still permitted: rights may have been withdrawn since the user allowed it. Scopes
    /// that the client or the user lost are left out. Throws `invalid_grant` if the API was deleted, or the client may
    /// no longer request it or a type of the authorization details.
    func permitted(
        to client: Client, for user: User, in configuration: TenantConfiguration
    ) throws(OAuthError) -> GrantedAccess {
        var access = self
        if !client.grantTypes.contains(.refreshToken) { access.scope = scope.filter { $0 != "offline_access" } }
        if configuration.tenant.isUserinfoAudience(audience) { return access }
        guard let api = configuration.resourceServers[audience], let allowed = client.accessForUsers(to: api) else {
            throw OAuthError(.invalidGrant, "The client may no longer access '\(audience)'")
        }
        let types = (authorizationDetails?.arrayValue ?? []).compactMap { $0["type"]?.stringValue }
        // A session's decision has an approval, too.
        guard contextClass == AuthenticationContextClass.deviceKey.rawValue || api.evidence(for: types) == nil else {
            throw OAuthError(
                .invalidGrant, "'\(audience)' demands the signature of a phone as evidence, which no login has")
        }
        for type in types {
            guard api.authorizationDetailsTypes.contains(where: { $0.type == type }),
                allowed.allows(authorizationDetailsType: type)
            else {
                throw OAuthError(
                    .invalidGrant, "The client may no longer ask for authorization_details of the type '\(type)'")
            }
        }
        access.scope = configuration.permitted(access.scope, of: api, under: allowed, for: user)
        return access
    }
}

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

extension TenantConfiguration {
    /// The strongest evidence that the tenant, the API or one of these types of details demands of an approval.
    func evidence(for audience: String, _ types: [String]) -> EvidenceDemand? {
        EvidenceDemand.strongest(tenant.settings.evidence, evidenceOfAPI(audience, types))
    }

    /// Evidence that the approval of a started request needs.
    func evidence(for request: BackchannelRequest) -> EvidenceDemand? {
        evidence(for: request.audience, request.record.authorizationDetails.compactMap { $0["type"]?.stringValue })
    }

    /// Evidence that the API or its types demand. Only this demand refuses logins, because the tenant's would refuse all.
    func evidenceOfAPI(_ audience: String, _ types: [String]) -> EvidenceDemand? {
        resourceServers[audience]?.evidence(for: types)
    }

    /// The strongest demand of the tenant, the client and these types of details that the person gives a number.
    func matching(of client: ClientID, for audience: String, _ types: [String]) -> NumberMatching? {
        let own = NumberMatching.strongest(tenant.settings.matching, registered(client)?.client.matching)
        guard !types.isEmpty, let api = resourceServers[audience] else { return own }
        return api.authorizationDetailsTypes.reduce(own) { demand, type in
            types.contains(type.type) ? .strongest(demand, type.matching) : demand
        }
    }
}
