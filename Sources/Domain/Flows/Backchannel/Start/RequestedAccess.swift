import AuthorizationCore
import JSONSchema
import OAuthWire
import Primitives

/// What the client would get: the API, the scopes that remain after every filter, and details that the API accepts.
struct RequestedAccess {
    let audience: String
    let scope: ScopeSet

    init(_ asked: Authenticated<BackchannelAuthenticationRequest>, user: User) throws(OAuthError) {
        let message = asked.message
        let directory = asked.directory
        let named = Self.audience(named: message.audience, in: directory)
        guard let audience = named ?? asked.tenant.settings.defaultAudience,
            !asked.tenant.isUserinfoAudience(audience)
        else {
            guard message.authorizationDetails == nil else {
                throw AuthorizationDetails.failure(
                    "needs an audience: the API that registered the types",
                    "exige un audience : l'API qui a enregistré les types")
            }
            self.audience = asked.tenant.userinfoAudience
            scope = message.scope.filter(ScopeSet.openIDScopes.contains)
            return
        }
        guard let api = directory.resourceServers[audience] else {
            throw OAuthError(
                .invalidTarget, en: "Service not found: \(audience)", fr: "Service introuvable : \(audience)")
        }
        guard asked.client.mayUse(audience: audience) else {
            throw OAuthError(
                .invalidTarget, en: "Client is not authorized to access \"\(audience)\"",
                fr: "Le client n'est pas autorisé à accéder à « \(audience) »")
        }
        guard !api.requiresTransactionalMFA else {
            throw OAuthError(
                .invalidTarget, en: "The consent policy of \"\(audience)\" does not allow backchannel authentication",
                fr: "La politique de consentement de « \(audience) » exclut l'authentification par canal secondaire")
        }
        try Self.check(message.authorizationDetails, against: api)
        self.audience = audience
        scope = Self.scope(of: asked, api: api, user: user)
    }

    /// A client library for Python writes a missing value as the text `None`; no API is meant by it.
    private static func audience(named name: String?, in directory: TenantDirectory) -> String? {
        name == "None" && directory.resourceServers["None"] == nil ? nil : name
    }

    /// OpenID scopes pass; an API's scopes pass when the API defines them, the client may ask for them, and, where
    /// the API enforces policies, the user's roles permit them.
    private static func scope(
        of asked: Authenticated<BackchannelAuthenticationRequest>, api: ResourceServer, user: User
    ) -> ScopeSet {
        let permissions = api.enforcesPolicies ? asked.directory.permissions(of: user, at: api.identifier) : nil
        let defined = Set(api.scopes.map { $0.value })
        return asked.message.scope.filter { token in
            if token == "offline_access" { return api.allowsOfflineAccess }
            if ScopeSet.openIDScopes.contains(token) { return true }
            return defined.contains(token) && asked.client.mayAsk(scope: token, of: api.identifier)
                && permissions?.contains(token) ?? true
        }
    }

    /// RFC 9396 clause 5: unknown types and details that do not fit their schema are refused.
    private static func check(_ details: AuthorizationDetails?, against api: ResourceServer) throws(OAuthError) {
        for (index, entry) in (details?.entries ?? []).enumerated() {
            guard let type = api.authorizationDetailsTypes.first(where: { $0.type == entry.type }) else {
                throw AuthorizationDetails.failure(
                    "[\(index)] has the type \"\(entry.type)\", which \(api.identifier) has not registered",
                    "[\(index)] a le type « \(entry.type) », que \(api.identifier) n'a pas enregistré")
            }
            if let violation = type.schema?.validate(.object(entry.object)) {
                throw AuthorizationDetails.failure(
                    "[\(index)]: \(violation.english)", "[\(index)] : \(violation.french)")
            }
        }
    }
}
