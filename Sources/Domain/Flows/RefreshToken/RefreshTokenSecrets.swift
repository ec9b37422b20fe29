package import AuthorizationCore
package import Primitives

/// Makes and reads refresh tokens: `v1.M` and the base64url of a secret that all tokens of a family share (16 bytes),
/// a counter (4 bytes, big endian) and a MAC over both (25 bytes).
///
/// The MAC distinguishes every token of a family from a forged one, although only a hash of the family's secret is
/// stored. An earlier token is recognized as reused (RFC 9700 clause 4.14.2). The next token is derived, so that a
/// client whose answer was lost gets the same token again.
package struct RefreshTokenSecrets: Sendable {
    /// A token whose MAC is right.
    package struct Token: Sendable, Equatable {
        /// Secret that all tokens of the family share.
        package let family: [UInt8]
        /// Number of the token in its family, from 0.
        package let counter: Int
    }

    private static let prefix = "v1.M"
    private static let familySize = 16
    private static let counterSize = 4
    private static let macSize = 25

    /// 32 bytes without another use, from which those of the tenants are derived.
    let key: SecretBytes
    let hashing: any Hashing

    /// A family's secret: 128 random bits.
    func newFamily(_ random: some RandomSource) -> [UInt8] { random.bytes(Self.familySize) }

    /// Hash under which a family is stored.
    package func hash(ofFamily secret: [UInt8]) -> [UInt8] { hashing.sha256(secret) }

    /// The token of that family and counter: the same every time.
    package func token(family: [UInt8], counter: Int, of tenant: TenantConfiguration) -> String {
        let signed = family + Self.bytes(counter)
        return Self.prefix + Base64URL.encode(signed + mac(signed, tenant))
    }

    /// Nil for a token that this tenant never issued.
    package func read(_ token: String, of tenant: TenantConfiguration) -> Token? {
        let size = Self.familySize + Self.counterSize + Self.macSize
        guard token.utf8.count == Self.prefix.utf8.count + size * 4 / 3, token.hasPrefix(Self.prefix),
            let bytes = Base64URL.decode(token.dropFirst(Self.prefix.count)), bytes.count == size
        else { return nil }
        let signed = Array(bytes.dropLast(Self.macSize))
        guard constantTimeEquals(Array(bytes.suffix(Self.macSize)), mac(signed, tenant)) else { return nil }
        return Token(
            family: Array(signed.prefix(Self.familySize)),
            counter: signed.dropFirst(Self.familySize).reduce(0) { $0 << 8 | Int($1) })
    }

    /// A counter beyond 32 bits would need an exchange a second for a century.
    private static func bytes(_ counter: Int) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: counter >> $0) }
    }

    /// Key of a tenant's tokens, 32 bytes. It tells nothing of other tenants, so that it may leave with its own.
    package func key(of tenant: TenantID) -> SecretBytes {
        SecretBytes(hashing.hmac(.sha256, key: key.bytes, Array("tenant/\(tenant)".utf8)))
    }

    private func mac(_ signed: [UInt8], _ tenant: TenantConfiguration) -> [UInt8] {
        let key = tenant.keys.refreshTokens ?? key(of: tenant.tenant.id)
        return Array(hashing.hmac(.sha256, key: key.bytes, signed).prefix(Self.macSize))
    }
}
