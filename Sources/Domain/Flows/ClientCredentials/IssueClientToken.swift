package import Audit
import AuthorizationCore
package import OAuthWire
import Primitives

/// The client credentials grant at the token endpoint (RFC 6749 clause 4.4): a token that a client has for itself.
package struct IssueClientToken: Sendable {
    let store: any ClientTokenStore
    let issuer: TokenIssuer
    private let limit = RateLimit<Requester>()

    private struct Requester: Hashable {
        let tenant: TenantID
        let client: ClientID
    }

    /// Throws `OAuthError` for every answer but a token.
    package func issue(_ request: Authenticated<ClientCredentialsGrant>) async throws -> TokenResponse {
        try request.requireConfidential(for: .clientCredentials)
        let (api, access) = try Self.api(request)
        let scope = try Self.scope(request, of: api, under: access)
        try admit(request)
        let constraint = try request.senderConstraint()
        var response = TokenResponse(
            accessToken: try issuer.clientToken(
                for: api, scope: scope, client: request.client, constraint: constraint, context: request.context),
            type: constraint.tokenType, expiresIn: api.tokenLifetime)
        response.scope = scope.isEmpty ? nil : scope.description
        try await store.record(
            request.context.event(
                .clientCredentialsExchanged, charge: .limited(by: .clientTokens), client: request.client.id,
                details: [
                    "grant_type": .string(GrantType.clientCredentials.rawValue), "audience": .string(api.identifier),
                    "scopes": .number(JSONNumber(scope.tokens.count)),
                ]))
        return response
    }

    /// Limits a client's tokens, because each leaves an audit entry. The error is slow_down (RFC 8628 clause 3.5),
    /// because SDKs retry a 429 by themselves.
    private func admit(_ request: Authenticated<ClientCredentialsGrant>) throws(OAuthError) {
        let usage = limit.count(
            Requester(tenant: request.tenant.id, client: request.client.id),
            limit: request.tenant.settings.clientTokensPerMinute, now: request.context.now)
        guard usage.isExceeded else { return }
        let perMinute = request.tenant.settings.clientTokensPerMinute
        var error = OAuthError(
            .slowDown,
            "The client asked for more than \(perMinute) tokens within a minute. Use a token until it expires; client_tokens_per_minute of the tenant is the limit."
        )
        error.retryAfter = usage.wait
        throw error
    }

    private static func api(
        _ request: Authenticated<ClientCredentialsGrant>
    ) throws(OAuthError) -> (ResourceServer, ClientAccess) {
        guard let audience = request.message.audience ?? request.tenant.settings.defaultAudience else {
            throw OAuthError.missing("audience")
        }
        let apis = request.configuration.resourceServers
        // The Management API has one name, and is called under each host of the tenant.
        let alias = request.tenant.isManagementAudience(audience) ? apis[request.tenant.managementAudience] : nil
        guard let api = apis[audience] ?? alias else {
            throw request.configuration.unknownService(audience) { request.client.access(to: $0) != nil }
        }
        guard let access = request.client.access(to: api) else {
            throw OAuthError(
                .invalidTarget,
                "Client is not authorized to access '\(api.identifier)'. Add the API to its client_grants.")
        }
        return (api, access)
    }

    /// RFC 6749 clause 3.3: without a scope the client gets every granted one.
    private static func scope(
        _ request: Authenticated<ClientCredentialsGrant>, of api: ResourceServer, under access: ClientAccess
    ) throws(OAuthError) -> ScopeSet {
        let granted = ScopeSet(api.scopes.map(\.value).filter(access.allows(scope:)))
        guard let scope = request.message.scope else { return granted }
        let missing = scope.filter { !granted.contains($0) }
        guard missing.isEmpty else { throw OAuthError(.invalidScope, "Client has not been granted scopes: \(missing)") }
        return scope
    }
}

/// Store port of the client credentials grant.
package protocol ClientTokenStore: Sendable {
    /// Appends to the audit log.
    func record(_ event: AuditEvent) async throws
}
