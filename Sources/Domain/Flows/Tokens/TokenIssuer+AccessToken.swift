import ApprovalWire
import AuthorizationCore
import JOSE
import OAuthWire
import Primitives

/// Access tokens: Auth0's dialects, and RFC 9068 with its header `at+jwt` and the claims of clause 2.2.
extension TokenIssuer {
    /// Parts in which a user's token differs from one that a client has for itself.
    private struct Content {
        let authorization: AuthorizationID
        let subject: String
        let client: ClientID
        /// The API, the userinfo endpoint, or both.
        let audience: [String]
        let scope: ScopeSet
        /// Permissions, for the dialects that have them.
        let permissions: () -> [String]
        /// `gty` of Auth0's dialects.
        let grant: String?
        /// Nil without a user.
        let access: GrantedAccess?
        let lifetime: Int
        let constraint: SenderConstraint?
    }

    func accessToken(_ authorization: Authorization, lifetime: Int) throws -> String {
        let access = authorization.access
        let api = authorization.resourceServer
        let userinfo = authorization.tenant.userinfoAudience
        // The request may have been started under another of the tenant's names.
        let isForUserinfo = api == nil && authorization.tenant.isUserinfoAudience(access.audience)
        var audience = [isForUserinfo ? userinfo : access.audience]
        if api != nil, access.scope.contains("openid") { audience.append(userinfo) }
        return try sign(
            Content(
                authorization: access.id, subject: authorization.user.id.rawValue, client: authorization.client.id,
                audience: audience, scope: access.scope,
                permissions: {
                    authorization.configuration.permissions(of: authorization.user, at: access.audience).sorted()
                }, grant: authorization.isRefresh ? "refresh_token" : nil, access: access, lifetime: lifetime,
                constraint: authorization.constraint),
            for: api, authorization.context)
    }

    /// A token that a client has for itself (RFC 6749 clause 4.4).
    func clientToken(
        for api: ResourceServer, scope: ScopeSet, client: Client, constraint: SenderConstraint?, context: RequestContext
    ) throws -> String {
        try sign(
            Content(
                authorization: Identifiers.authorization(random), subject: AccessToken.subject(of: client.id),
                client: client.id, audience: [api.identifier], scope: scope, permissions: { scope.tokens },
                grant: "client-credentials", access: nil, lifetime: api.tokenLifetime, constraint: constraint),
            for: api, context)
    }

    private func sign(_ content: Content, for api: ResourceServer?, _ context: RequestContext) throws -> String {
        let algorithm = api?.signingAlgorithm ?? .rs256
        guard let signer = context.configuration.keys.signer(for: algorithm) else { throw Failure.noKey(algorithm) }
        let dialect = api?.tokenDialect ?? .accessToken
        var claims = JSONWriter(capacity: 768)
        claims.object { claims in
            claims.member("iss", context.tenant.issuer)
            claims.member("sub", content.subject)
            if content.audience.count == 1 {
                claims.member("aud", content.audience[0])
            } else {
                claims.member("aud", content.audience)
            }
            claims.member("iat", context.now.seconds)
            claims.member("exp", context.now.seconds + Int64(content.lifetime))
            claims.member("jti", AccessToken.identifier(of: content.authorization, random))
            if let constraint = content.constraint { claims.member(SenderConstraint.claim, constraint.confirmation) }
            if !content.scope.isEmpty { claims.member("scope", content.scope.description) }
            if dialect.isRFC9068 {
                claims.member("client_id", content.client.rawValue)
                if let access = content.access { Self.add(access, to: &claims) }
            } else {
                claims.member("azp", content.client.rawValue)
                claims.member("gty", ifPresent: content.grant)
            }
            if let api, api.enforcesPolicies, dialect.carriesPermissions {
                claims.member("permissions", content.permissions())
            }
            if let api, api.carriesApproval, let approval = content.access?.approval {
                claims.member("approval") { claims in
                    claims.member("id", approval.id.rawValue)
                    claims.member("digest", approval.digest.description)
                }
            }
            if let details = content.access?.authorizationDetails { claims.member("authorization_details", details) }
        }
        return try JWS.sign(claims.bytes, type: dialect.isRFC9068 ? "at+jwt" : "JWT", with: signer)
    }
}
