import AuthorizationCore
import OAuthWire
import Primitives

extension GrantedAccess {
    /// Refuses tokens for another API than the one that was granted (RFC 8707 clause 2.2). Nil asks for that one.
    func check(audience asked: String?, in configuration: TenantConfiguration) throws(OAuthError) {
        guard let asked = RequestedAccess.audience(named: asked, in: configuration), asked != audience else { return }
        let tenant = configuration.tenant
        guard tenant.isUserinfoAudience(asked), tenant.isUserinfoAudience(audience) else {
            throw OAuthError(.invalidTarget, "What was granted is access to \(audience)")
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
        for type in (authorizationDetails?.arrayValue ?? []).compactMap({ $0["type"]?.stringValue }) {
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
