package import ApprovalWire
package import OAuthWire
package import Primitives

/// A user's grant to a client: the part that a code, a family of refresh tokens and tokens share.
package struct GrantedAccess: Sendable, Equatable {
    /// Identifies everything that one authorization issued, so that it is revoked together. First part of each token's
    /// `jti`.
    package let id: AuthorizationID
    package let tenant: TenantID
    package let client: ClientID
    package let user: UserID
    package var scope: ScopeSet
    /// An API's identifier or the userinfo endpoint.
    package let audience: String
    package let authorizationDetails: JSONValue?
    package let authTime: Timestamp
    /// `amr`.
    package let methods: [String]
    /// `acr`.
    package let contextClass: String?
    /// The browser's session. Nil without one, as with CIBA.
    package let session: SessionID?
    /// The request that the user approved. Nil for access that was given in a browser.
    package let approval: ApprovedRequest?

    package init(
        id: AuthorizationID, tenant: TenantID, client: ClientID, user: UserID, scope: ScopeSet, audience: String,
        authorizationDetails: JSONValue?, authTime: Timestamp, methods: [String], contextClass: String?,
        session: SessionID?, approval: ApprovedRequest? = nil
    ) {
        self.id = id
        self.tenant = tenant
        self.client = client
        self.user = user
        self.scope = scope
        self.audience = audience
        self.authorizationDetails = authorizationDetails
        self.authTime = authTime
        self.methods = methods
        self.contextClass = contextClass
        self.session = session
        self.approval = approval
    }
}

/// A request that a user approved, as tokens name it. Stored as its id and digest with a blank between.
package struct ApprovedRequest: Sendable, Equatable, LosslessStringConvertible {
    package let id: ConsentID
    package let digest: RequestDigest

    package init(id: ConsentID, digest: RequestDigest) {
        self.id = id
        self.digest = digest
    }

    package init?(_ description: String) {
        let parts = description.split(separator: " ")
        guard parts.count == 2, let digest = RequestDigest(String(parts[1])) else { return nil }
        self.init(id: ConsentID(String(parts[0])), digest: digest)
    }

    package var description: String { "\(id) \(digest)" }
}

extension AuthorizationID {
    /// Authorization of an approved request. Derived, so that an access token shows which approval it came from.
    package init(of consent: ConsentID, _ hashing: some Hashing) {
        self.init(Base64URL.encode(hashing.sha256(utf8: "authorization \(consent)").bytes.prefix(16)))
    }
}

/// Stored authorization code (RFC 6749 clause 4.1.2).
package struct AuthorizationCode: Sendable, Equatable {
    /// Seconds a code lives (RFC 6749 clause 4.1.2 recommends at most ten minutes).
    package static let lifetime = 60

    /// SHA-256 of the code.
    package let hash: [UInt8]
    package let access: GrantedAccess
    /// Redirect URI of the authorization request. Nil if it named none.
    package let redirectURI: String?
    /// Nil if the authorization request had none.
    package let codeChallenge: CodeChallenge?
    package let nonce: String?
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    package let isRedeemed: Bool

    package init(
        hash: [UInt8], access: GrantedAccess, redirectURI: String?, codeChallenge: CodeChallenge?, nonce: String?,
        createdAt: Timestamp, expiresAt: Timestamp, isRedeemed: Bool = false
    ) {
        self.hash = hash
        self.access = access
        self.redirectURI = redirectURI
        self.codeChallenge = codeChallenge
        self.nonce = nonce
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.isRedeemed = isRedeemed
    }
}

/// All refresh tokens of one authorization. One is valid at a time (RFC 9700 clause 4.14.2).
package struct RefreshTokenFamily: Sendable, Equatable {
    /// Maximum families of a user at a client. A further one ends the oldest.
    package static let limit = 200

    /// SHA-256 of the part that all tokens of the family share.
    package let hash: [UInt8]
    package let access: GrantedAccess
    /// Number of the valid token in the family.
    package let counter: Int
    /// Time at which the valid token was issued.
    package let rotatedAt: Timestamp
    package let createdAt: Timestamp
    /// Latest end, which no exchange extends.
    package let expiresAt: Timestamp
    /// End if the family stays unused. Nil means no limit.
    package let idleExpiresAt: Timestamp?
    /// Proof that the tokens of a public client need (RFC 8705 clause 4). Nil means none.
    package let constraint: SenderConstraint?

    package init(
        hash: [UInt8], access: GrantedAccess, counter: Int = 0, rotatedAt: Timestamp, createdAt: Timestamp,
        expiresAt: Timestamp, idleExpiresAt: Timestamp?, constraint: SenderConstraint? = nil
    ) {
        self.hash = hash
        self.access = access
        self.counter = counter
        self.rotatedAt = rotatedAt
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.idleExpiresAt = idleExpiresAt
        self.constraint = constraint
    }

    /// True if the family has expired at `now`.
    package func isExpired(at now: Timestamp) -> Bool { now >= expiresAt || idleExpiresAt.map { now >= $0 } ?? false }
}

/// Scopes of an API that a user allowed a client, so that the consent page need not ask again. CIBA neither makes nor
/// reads it.
package struct ConsentGrant: Sendable, Equatable {
    package let tenant: TenantID
    package let user: UserID
    package let client: ClientID
    package let audience: String
    package var scope: ScopeSet
    package let createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(
        tenant: TenantID, user: UserID, client: ClientID, audience: String, scope: ScopeSet, createdAt: Timestamp,
        updatedAt: Timestamp
    ) {
        self.tenant = tenant
        self.user = user
        self.client = client
        self.audience = audience
        self.scope = scope
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}
