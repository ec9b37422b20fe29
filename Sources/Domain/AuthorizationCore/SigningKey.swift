package import JOSE
package import Primitives

/// Stored signing key of a tenant, its private half sealed.
package struct SigningKey: Sendable, Equatable {
    /// next → current → previous. Revoked keys are no longer published and verify nothing.
    package enum Status: String, Sendable, CaseIterable {
        case next, current, previous, revoked
    }

    package let id: SigningKeyID
    package let tenant: TenantID
    package let algorithm: JWSAlgorithm
    package private(set) var status: Status
    /// PKCS #8, sealed with `SigningKey.sealingContext(tenant:id:)`. Empty for a revoked key, which signs no more.
    package private(set) var sealedPrivateKey: [UInt8]
    package let publicKey: JWK
    /// Self-signed, DER. Empty for an older version's key that has none yet.
    package var certificate: [UInt8]
    package let createdAt: Timestamp
    /// Time of the last change of status.
    package private(set) var changedAt: Timestamp
    /// Time at which the key began to sign.
    package private(set) var currentSince: Timestamp?
    /// Time at which the key stopped signing.
    package private(set) var currentUntil: Timestamp?
    /// False if somebody without the master key changed or wrote the stored row. Such a key neither signs nor verifies,
    /// and can only be revoked.
    package let isIntact: Bool

    /// A key that is created as the current one signs from `createdAt` on.
    package init(
        id: SigningKeyID, tenant: TenantID, algorithm: JWSAlgorithm, status: Status, sealedPrivateKey: [UInt8],
        publicKey: JWK, certificate: [UInt8] = [], createdAt: Timestamp, changedAt: Timestamp,
        currentSince: Timestamp? = nil, currentUntil: Timestamp? = nil, isIntact: Bool = true
    ) {
        self.id = id
        self.tenant = tenant
        self.algorithm = algorithm
        self.status = status
        self.sealedPrivateKey = sealedPrivateKey
        self.publicKey = publicKey
        self.certificate = certificate
        self.createdAt = createdAt
        self.changedAt = changedAt
        self.currentSince = currentSince ?? (status == .current ? createdAt : nil)
        self.currentUntil = currentUntil
        self.isIntact = isIntact
    }

    /// True if the key verifies signatures.
    package var isPublished: Bool { isIntact && status != .revoked }

    /// A key of a changed row becomes revoked, whatever it was to become. A revoked key loses its private half.
    package mutating func become(_ status: Status, at now: Timestamp) {
        let status = isIntact ? status : .revoked
        if status == .revoked { sealedPrivateKey = [] }
        if status == .current { currentSince = now }
        if self.status == .current, status != .current { currentUntil = now }
        self.status = status
        changedAt = now
    }

    /// Time from a key's last signature to the end of every token it signed, plus a day.
    package static let lifeAfterUse = Duration.seconds(ResourceServer.maximumTokenLifetime + 86_400)

    /// End of the need for a previous key. Nil for other keys.
    package var isNeededUntil: Timestamp? {
        status == .previous ? (currentUntil ?? changedAt) + Self.lifeAfterUse : nil
    }

    /// Key as the JWKS publishes it. An RSA key has its certificate, which some libraries read instead of `n` and `e`
    /// (RFC 7517 clauses 4.7 to 4.9).
    package func published(_ hashing: any Hashing) -> JSONValue {
        guard publicKey.keyType == .rsa, !certificate.isEmpty, var json = publicKey.json.objectValue else {
            return publicKey.json
        }
        json["x5c"] = [.string(Base64.encode(certificate))]
        json["x5t"] = .string(Base64URL.encode(hashing.hash(.sha1, certificate)))
        json["x5t#S256"] = .string(Base64URL.encode(hashing.hash(.sha256, certificate)))
        return .object(json)
    }

    /// Context that the sealed box is bound to, so that a row cannot be moved to another tenant or id.
    package static func sealingContext(tenant: TenantID, id: SigningKeyID) -> String { "signing-key/\(tenant)/\(id)" }
}
