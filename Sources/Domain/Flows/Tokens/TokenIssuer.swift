public import AuthorizationCore
public import JOSE
public import OAuthWire
public import Primitives

/// Makes the tokens of an authorization that was given: ID token, access token and refresh token.
public struct TokenIssuer: Sendable {
    /// What was authorized.
    public struct Authorization: Sendable {
        public let directory: TenantDirectory
        public let client: Client
        public let user: User
        public let scope: ScopeSet
        /// An API's identifier or the userinfo endpoint.
        public let audience: String
        public let authorizationDetails: JSONValue?
        /// When the user decided: `auth_time`.
        public let authTime: Timestamp

        public init(
            directory: TenantDirectory, client: Client, user: User, scope: ScopeSet, audience: String,
            authorizationDetails: JSONValue?, authTime: Timestamp
        ) {
            self.directory = directory
            self.client = client
            self.user = user
            self.scope = scope
            self.audience = audience
            self.authorizationDetails = authorizationDetails
            self.authTime = authTime
        }

        var tenant: Tenant { directory.tenant }
        /// Nil for the userinfo endpoint.
        var resourceServer: ResourceServer? { directory.resourceServers[audience] }
        /// The request may have been started under another of the tenant's names than the one that gives the tokens.
        var isForUserinfo: Bool { resourceServer == nil && tenant.isUserinfoAudience(audience) }
    }

    public struct Issued: Sendable {
        public let response: TokenResponse
        public let refreshToken: RefreshTokenFamily?
    }

    public enum Failure: Error {
        /// The tenant has no current key of that algorithm.
        case noKey(JWSAlgorithm)
    }

    /// How the user was authenticated (RFC 8176): a key the device holds, over a channel apart from the client's.
    static let methods = ["pop", "mca"]
    /// The authentication context class that device-signed decisions reach.
    static let contextClass = "urn:countersign:acr:device-key"

    private let hashing: any Hashing
    private let random: any RandomSource

    public init(hashing: any Hashing, random: any RandomSource) {
        self.hashing = hashing
        self.random = random
    }

    public func issue(_ authorization: Authorization, now: Timestamp) throws -> Issued {
        let api = authorization.resourceServer
        let lifetime = api?.tokenLifetime ?? ResourceServer.defaultTokenLifetime
        let accessToken = try accessToken(authorization, lifetime: lifetime, now: now)
        var response = TokenResponse(accessToken: accessToken, expiresIn: lifetime)
        response.scope = authorization.scope.isEmpty ? nil : authorization.scope.description
        response.authorizationDetails = authorization.authorizationDetails
        if authorization.scope.contains("openid") {
            response.idToken = try idToken(authorization, accessToken: accessToken, now: now)
        }
        guard authorization.scope.contains("offline_access") else {
            return Issued(response: response, refreshToken: nil)
        }
        let token = Identifiers.refreshToken(random)
        response.refreshToken = token
        return Issued(response: response, refreshToken: kept(token, authorization, now: now))
    }

    private func kept(_ token: String, _ authorization: Authorization, now: Timestamp) -> RefreshTokenFamily {
        RefreshTokenFamily(
            hash: hashing.sha256(Array(token.utf8)),
            access: GrantedAccess(
                id: Identifiers.authorization(random), tenant: authorization.tenant.id,
                client: authorization.client.id, user: authorization.user.id, scope: authorization.scope,
                audience: authorization.audience, authorizationDetails: authorization.authorizationDetails,
                authTime: authorization.authTime, methods: Self.methods, contextClass: Self.contextClass,
                session: nil),
            rotatedAt: now, createdAt: now,
            expiresAt: now + .seconds(authorization.tenant.settings.refreshTokenLifetime), idleExpiresAt: nil)
    }

    /// OIDC Core 2 and 3.1.3.6. `authorization_details` stay out: they concern the API, not the user's identity.
    private func idToken(_ authorization: Authorization, accessToken: String, now: Timestamp) throws -> String {
        let client = authorization.client
        guard let signer = authorization.directory.keys.signer(for: client.idTokenAlgorithm) else {
            throw Failure.noKey(client.idTokenAlgorithm)
        }
        let half = hashing.hash(signer.algorithm.hash, Array(accessToken.utf8))
        var claims = JSONWriter(capacity: 512)
        claims.object { claims in
            claims.member("iss", authorization.tenant.issuer)
            claims.member("sub", authorization.user.id.rawValue)
            claims.member("aud", client.id.rawValue)
            claims.member("iat", now.seconds)
            claims.member("exp", now.seconds + Int64(client.idTokenLifetime))
            claims.member("auth_time", authorization.authTime.seconds)
            claims.member("amr", Self.methods)
            claims.member("acr", Self.contextClass)
            claims.member("at_hash", Base64URL.encode(half.prefix(half.count / 2)))
            for (name, value) in authorization.user.claims(for: authorization.scope) { claims.member(name, value) }
        }
        return try JWS.sign(claims.bytes, with: signer)
    }

    /// Auth0's dialects, and RFC 9068 with its header `at+jwt` and claims of clause 2.2.
    private func accessToken(_ authorization: Authorization, lifetime: Int, now: Timestamp) throws -> String {
        let api = authorization.resourceServer
        let algorithm = api?.signingAlgorithm ?? .rs256
        guard let signer = authorization.directory.keys.signer(for: algorithm) else { throw Failure.noKey(algorithm) }
        let dialect = api?.tokenDialect ?? .accessToken
        let userinfo = authorization.tenant.userinfoAudience
        var claims = JSONWriter(capacity: 1024)
        claims.object { claims in
            claims.member("iss", authorization.tenant.issuer)
            claims.member("sub", authorization.user.id.rawValue)
            if api != nil, authorization.scope.contains("openid") {
                claims.member("aud", [authorization.audience, userinfo])
            } else {
                claims.member("aud", authorization.isForUserinfo ? userinfo : authorization.audience)
            }
            claims.member("iat", now.seconds)
            claims.member("exp", now.seconds + Int64(lifetime))
            if !authorization.scope.isEmpty { claims.member("scope", authorization.scope.description) }
            if dialect.isRFC9068 {
                claims.member("client_id", authorization.client.id.rawValue)
                claims.member("jti", Base64URL.encode(random.bytes(16)))
                claims.member("auth_time", authorization.authTime.seconds)
                claims.member("acr", Self.contextClass)
                claims.member("amr", Self.methods)
            } else {
                claims.member("azp", authorization.client.id.rawValue)
            }
            if let api, api.enforcesPolicies, dialect.carriesPermissions {
                let permissions = authorization.directory.permissions(of: authorization.user, at: api.identifier)
                claims.member("permissions", permissions.sorted())
            }
            if let details = authorization.authorizationDetails { claims.member("authorization_details", details) }
        }
        return try JWS.sign(claims.bytes, type: dialect.isRFC9068 ? "at+jwt" : "JWT", with: signer)
    }
}
