package import AuthorizationCore
import JSONSchema
package import OAuthWire
package import Primitives

/// Access that a request asks for: an API, the scopes of it that the client may have, and details that it accepts.
package struct RequestedAccess: Sendable, Equatable {
    /// An API's identifier or the userinfo endpoint.
    package let audience: String
    package private(set) var scope: ScopeSet

    /// The access of a login that asks for none.
    init(nothingOf tenant: Tenant) {
        audience = tenant.userinfoAudience
        scope = ScopeSet()
    }

    /// The access before a user is known. `checksSchemas` is true for a request that comes in: its details are checked
    /// against schemas once, within one budget, and not on each page that the request leads to.
    init(
        audience requested: String?, scope: ScopeSet, details: AuthorizationDetails?, client: Client,
        configuration: TenantConfiguration, checksSchemas: Bool
    ) throws(OAuthError) {
        let tenant = configuration.tenant
        // A client without the grant could not use a refresh token, and the consent page must not promise one.
        let scope = client.grantTypes.contains(.refreshToken) ? scope : scope.filter { $0 != "offline_access" }
        guard let audience = Self.audience(named: requested, in: configuration) ?? tenant.settings.defaultAudience,
            !tenant.isUserinfoAudience(audience)
        else {
            guard details == nil else {
                throw AuthorizationDetails.failure("needs an audience: the API that registered the types")
            }
            self.audience = tenant.userinfoAudience
            self.scope = scope.filter(ScopeSet.openIDScopes.contains)
            return
        }
        guard let api = configuration.resourceServers[audience] else {
            throw configuration.unknownService(audience) { client.accessForUsers(to: $0) != nil }
        }
        guard let access = client.accessForUsers(to: api) else {
            throw OAuthError(.invalidTarget, "Client is not authorized to access '\(audience)'")
        }
        try Self.checkTypes(details, of: api, under: access)
        if checksSchemas { try Self.checkSchemas(details, of: api, limit: configuration.detailsCheckLimit) }
        self.audience = audience
        self.scope = configuration.permitted(scope, of: api, under: access, for: nil)
    }

    /// The same access with the scope that the user's roles permit.
    func limited(to user: User, client: Client, configuration: TenantConfiguration) -> RequestedAccess {
        var access = self
        access.scope = scope(for: user, client: client, configuration: configuration)
        return access
    }

    /// The part of the scope that the user's roles permit.
    func scope(for user: User, client: Client, configuration: TenantConfiguration) -> ScopeSet {
        guard let api = configuration.resourceServers[audience], api.enforcesPolicies,
            let access = client.accessForUsers(to: api)
        else { return scope }
        return configuration.permitted(scope, of: api, under: access, for: user)
    }

    /// Refuses access that the user can only give by a signed answer, which no login has.
    static func checkEvidence(
        _ audience: String, _ details: AuthorizationDetails?, _ configuration: TenantConfiguration
    ) throws(OAuthError) {
        guard configuration.evidenceOfAPI(audience, details?.types ?? []) == nil else {
            throw OAuthError(
                .invalidTarget,
                "'\(audience)' demands the signature of a phone as evidence, which no login has; "
                    + "ask with backchannel authentication"
            )
        }
    }

    /// A client library for Python sends `None` for a missing value.
    static func audience(named name: String?, in configuration: TenantConfiguration) -> String? {
        name == "None" && configuration.resourceServers["None"] == nil ? nil : name
    }

    /// RFC 9396 clause 5: unknown types are refused.
    private static func checkTypes(
        _ details: AuthorizationDetails?, of api: ResourceServer, under access: ClientAccess
    ) throws(OAuthError) {
        for (index, entry) in (details?.entries ?? []).enumerated() {
            guard api.authorizationDetailsTypes.contains(where: { $0.type == entry.type }) else {
                throw AuthorizationDetails.failure(
                    "[\(index)] has the type '\(entry.type)', which \(api.identifier) has not registered")
            }
            guard access.allows(authorizationDetailsType: entry.type) else {
                throw AuthorizationDetails.failure(
                    "[\(index)] has the type '\(entry.type)', which the client was not granted")
            }
        }
    }

    /// Reason for which a request with this detail would be refused. Nil for one that is accepted.
    package static func problem(
        of detail: JSONObject, at api: ResourceServer, in configuration: TenantConfiguration
    ) -> String? {
        do throws(OAuthError) {
            let details = try AuthorizationDetails(
                [.object(detail)], limits: configuration.tenant.settings.authorizationDetailsLimits)
            try checkSchemas(details, of: api, limit: configuration.detailsCheckLimit)
            return nil
        } catch {
            return error.description.text
        }
    }

    /// RFC 9396 clause 5: details that do not fit the schema of their type are refused.
    private static func checkSchemas(
        _ details: AuthorizationDetails?, of api: ResourceServer, limit: DetailsCheckLimit
    ) throws(OAuthError) {
        var budget = StepBudget(limit.steps)
        for (index, entry) in (details?.entries ?? []).enumerated() {
            guard let type = api.authorizationDetailsTypes.first(where: { $0.type == entry.type }),
                type.schemaSource != nil
            else { continue }
            guard let compiled = type.schema else {
                throw AuthorizationDetails.failure(
                    "[\(index)] has the type '\(entry.type)', whose schema is not ready yet; try again in a moment")
            }
            guard case .success(let schema) = compiled else {
                throw AuthorizationDetails.failure(
                    "[\(index)] has the type '\(entry.type)', whose schema cannot be used any more; \(api.identifier) has to register another"
                )
            }
            let violation: JSONSchema.Violation?
            do {
                violation = try schema.validate(.object(entry.object), within: &budget)
            } catch {
                limit.countRefusal()
                throw AuthorizationDetails.failure(
                    "[\(index)] takes more than the \(limit.steps) steps that checking a request may take; shorten it, or have \(api.identifier) register a simpler schema"
                )
            }
            if let violation {
                throw AuthorizationDetails.failure("[\(index)]: \(ErrorDescription(violation.english))")
            }
        }
    }
}

extension TenantConfiguration {
    /// `invalid_target` (RFC 8707 clause 2) for an identifier that no API has. Names an API whose identifier differs in a
    /// slash at the end, if the client may use that API.
    func unknownService(_ identifier: String, isUsable: (ResourceServer) -> Bool) -> OAuthError {
        let other = identifier.hasSuffix("/") ? String(identifier.dropLast()) : identifier + "/"
        guard let near = resourceServers[other], isUsable(near) else {
            return OAuthError(.invalidTarget, "Service not found: \(identifier)")
        }
        return OAuthError(
            .invalidTarget, "Service not found: \(identifier). The API is registered as \(near.identifier)")
    }
}
