import JOSE
public import PlatformFoundation
import Primitives

/// A key that the caller of an API proved to hold. The API verifies the proof itself: in its TLS layer for
/// certificates, or by RFC 9449 clause 4.3 for DPoP.
public enum ProofOfPossession: Sendable, Hashable {
    /// Certificate of the caller's TLS connection in DER (RFC 8705 clause 3).
    case certificate(der: Data)
    /// RFC 7638 thumbprint in base64url of the key of a verified DPoP proof (RFC 9449 clause 6.1).
    case dpopKey(thumbprint: String)

    private var certificate: [UInt8]? { if case .certificate(let der) = self { Array(der) } else { nil } }
    private var thumbprint: String? { if case .dpopKey(let thumbprint) = self { thumbprint } else { nil } }

    /// Checks the claim `cnf`: each key in it must be among the proofs (RFC 7800 clause 3). Without the claim, the
    /// token needs no proof.
    static func check(
        _ proofs: [ProofOfPossession], against claims: Claims, hashing: some Hashing
    ) throws(TokenProblem) {
        let thumbprints = proofs.compactMap(\.thumbprint)
        let confirmation = claims["cnf"]
        // A DPoP proof requires a token that is bound to its key (RFC 9449 clause 7.1).
        guard thumbprints.isEmpty || confirmation?["jkt"] != nil else { throw .notBound }
        guard let confirmation else { return }
        guard let methods = confirmation.objectValue, !methods.isEmpty else { throw .malformed }
        for (method, value) in methods {
            let held: [[UInt8]]
            switch method {
            case "x5t#S256": held = proofs.compactMap(\.certificate).map { hashing.sha256($0) }
            case "jkt": held = thumbprints.compactMap { Base64URL.decode($0) }
            default: throw .confirmationMethod(method)
            }
            guard let bound = value.stringValue.flatMap({ Base64URL.decode($0) }), held.contains(bound) else {
                throw .unconfirmed(method)
            }
        }
    }
}
