package import AuthorizationCore
package import JOSE
package import OAuthWire
import Primitives

/// Issues the tokens of an authorization: ID token, access token and refresh token.
package struct TokenIssuer: Sendable {
    /// Access that tokens are issued for. A class, because copying its many parts is expensive.
    package final class Authorization: Sendable {
        package let context: RequestContext
        package let user: User
        package let access: GrantedAccess
        /// Nonce of the authorization request. Only the ID token that answers it has the claim (OIDC Core 12.2).
        package let nonce: String?
        /// True if a refresh token is exchanged.
        package let isRefresh: Bool
        /// Nil means unbound tokens.
        package let constraint: SenderConstraint?
        /// Nil for the userinfo endpoint.
        let resourceServer: ResourceServer?
        private let registered: RegisteredClient

        package init(
            context: RequestContext, client: RegisteredClient, user: User, access: GrantedAccess, nonce: String? = nil,
            isRefresh: Bool = false, constraint: SenderConstraint? = nil
        ) {
            self.context = context
            self.user = user
            self.access = access
            self.nonce = nonce
            self.isRefresh = isRefresh
            self.constraint = constraint
            registered = client
            resourceServer = context.configuration.resourceServers[access.audience]
        }

        /// - Throws: `OAuthError` if the tokens must be bound and the connection has no certificate.
        convenience init(
            for request: Authenticated<some Sendable>, user: User, access: GrantedAccess, nonce: String? = nil,
            isRefresh: Bool = false
        ) throws(OAuthError) {
            self.init(
                context: request.context, client: request.registered, user: user, access: access, nonce: nonce,
                isRefresh: isRefresh, constraint: try request.senderConstraint())
        }

        package var client: Client { registered.client }
        var configuration: TenantConfiguration { context.configuration }
        var tenant: Tenant { context.tenant }
    }

    package struct Issued: Sendable {
        package var response: TokenResponse
        /// The family that the response's refresh token begins.
        package let refreshToken: RefreshTokenFamily?
    }

    package enum Failure: Error {
        /// The tenant has no current key of that algorithm.
        case noKey(JWSAlgorithm)
    }

    let hashing: any Hashing
    let random: any RandomSource
    let refreshTokens: RefreshTokenSecrets

    /// The first tokens of an authorization, with a new family of refresh tokens for `offline_access`.
    package func issue(_ authorization: Authorization) throws -> Issued {
        let now = authorization.context.now
        var response = try tokens(authorization)
        guard authorization.access.scope.contains("offline_access") else {
            return Issued(response: response, refreshToken: nil)
        }
        let secret = refreshTokens.newFamily(random)
        let policy = authorization.client.refreshTokens
        let lifetime = policy.lifetime ?? authorization.tenant.settings.refreshTokenLifetime
        let hash = refreshTokens.hash(ofFamily: secret)
        response.refreshToken = refreshTokens.token(family: secret, counter: 0, of: authorization.configuration)
        return Issued(
            response: response,
            refreshToken: RefreshTokenFamily(
                hash: hash, access: authorization.access, rotatedAt: now,
                createdAt: now, expiresAt: now + .seconds(lifetime),
                idleExpiresAt: policy.idleLifetime.map { now + .seconds($0) },
                // A confidential client has to authenticate anyway (RFC 8705 clause 4).
                constraint: authorization.client.isPublic ? authorization.constraint : nil))
    }

    /// An access token, and an ID token for `openid`, without a refresh token.
    func tokens(_ authorization: Authorization) throws -> TokenResponse {
        let access = authorization.access
        let lifetime = authorization.resourceServer?.tokenLifetime ?? ResourceServer.defaultTokenLifetime
        let accessToken = try accessToken(authorization, lifetime: lifetime)
        var response = TokenResponse(
            accessToken: accessToken, type: authorization.constraint.tokenType, expiresIn: lifetime)
        response.scope = access.scope.isEmpty ? nil : access.scope.description
        response.authorizationDetails = access.authorizationDetails
        if access.scope.contains("openid") { response.idToken = try idToken(authorization, accessToken: accessToken) }
        return response
    }

    /// OIDC Core 2 and 3.1.3.6. `authorization_details` stay out: they concern the API, not the user's identity.
    private func idToken(_ authorization: Authorization, accessToken: String) throws -> String {
        let client = authorization.client
        let access = authorization.access
        guard let signer = authorization.configuration.keys.signer(for: client.idTokenAlgorithm) else {
            throw Failure.noKey(client.idTokenAlgorithm)
        }
        let half = hashing.hash(signer.algorithm.hash, Array(accessToken.utf8))
        var claims = JSONWriter(capacity: 512)
        claims.object { claims in
            claims.member("iss", authorization.tenant.issuer)
            claims.member("sub", authorization.user.id.rawValue)
            claims.member("aud", client.id.rawValue)
            claims.member("iat", authorization.context.now.seconds)
            claims.member("exp", authorization.context.now.seconds + Int64(client.idTokenLifetime))
            claims.member("nonce", ifPresent: authorization.nonce)
            claims.member("sid", ifPresent: access.session?.rawValue)
            Self.add(access, to: &claims)
            claims.member("at_hash", Base64URL.encode(half.prefix(half.count / 2)))
            for (name, value) in authorization.user.claims(for: access.scope) { claims.member(name, value) }
        }
        return try JWS.sign(claims.bytes, with: signer)
    }

    /// Adds time and methods of the user's authentication, as far as they are known.
    static func add(_ access: GrantedAccess, to claims: inout JSONWriter) {
        claims.member("auth_time", access.authTime.seconds)
        if !access.methods.isEmpty { claims.member("amr", access.methods) }
        claims.member("acr", ifPresent: access.contextClass)
    }
}
