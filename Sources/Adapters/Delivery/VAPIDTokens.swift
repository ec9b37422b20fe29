import AuthorizationCore
import JOSE
import Primitives
import Synchronization

/// `Authorization` fields by which push services know a tenant (VAPID, RFC 8292).
///
/// Each is used for hours, because signing one for each message would cost as much as encrypting the message.
final class VAPIDTokens: Sendable {
    /// RFC 8292 clause 2 allows 24 hours, and a push service's clock may be slow.
    static let life = Duration.seconds(43_200)
    /// Remaining life at which a token is replaced: a push service whose clock is fast must accept it.
    static let margin = Duration.seconds(3600)

    private struct Name: Hashable {
        let tenant: TenantID
        /// A tenant's key and name may change.
        let key: JWK
        let issuer: String
        let origin: String
    }

    private struct Token {
        let field: String
        let expiresAt: Timestamp
    }

    /// Devices name the push services, so there may be many.
    private let tokens = Mutex(BoundedTable<Name, Token>(limit: 1000))

    /// `origin` is the push service's, and `point` the signer's public key.
    func field(
        for origin: String, of tenant: Tenant, _ signer: any Signer, _ point: [UInt8], now: Timestamp
    ) throws -> String {
        let name = Name(tenant: tenant.id, key: signer.publicKey, issuer: tenant.issuer, origin: origin)
        let known = tokens.withLock { $0[name] }
        // A token that expires too late was made before the clock was set back.
        if let known, (now + Self.margin..<now + Self.life + .seconds(1)).contains(known.expiresAt) {
            return known.field
        }
        let expiresAt = now + Self.life
        let claims = JSONWriter.object { writer in
            writer.member("aud", origin)
            writer.member("exp", expiresAt.seconds)
            writer.member("sub", tenant.issuer)
        }
        let field = "vapid t=\(try JWS.sign(claims, with: signer)), k=\(Base64URL.encode(point))"
        tokens.withLock { $0[name] = Token(field: field, expiresAt: expiresAt) }
        return field
    }

    /// Forgets a push service's tokens, which it refused.
    func forget(_ origin: String) {
        tokens.withLock { tokens in tokens.removeAll { $0.origin == origin } }
    }
}
