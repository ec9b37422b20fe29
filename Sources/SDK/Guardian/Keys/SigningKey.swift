public import Foundation
import JOSE
import Primitives

/// A private key that signs this device's answers: one of this SDK, or the app's own, for example in hardware.
public protocol SigningKey: Sendable {
    /// The algorithm of all signatures with this key.
    var algorithm: SigningAlgorithm { get }
    /// The public key, which enrolment sends to the server.
    func verificationKey() throws -> VerificationKey
    /// The signature as in RFC 7518 clause 3. For ECDSA, that is r followed by s.
    func signature(for message: Data) throws -> Data
    /// A reference by which a stored device finds the key. Keys of the app need their own implementation.
    var reference: SigningKeyReference { get throws }
}

extension SigningKey {
    /// - Throws: ``GuardianError`` with ``GuardianError/Code/keyNotStorable``
    public var reference: SigningKeyReference { get throws { throw GuardianError(.keyNotStorable) } }
}

/// Signature algorithms of devices, with names from RFC 7518 clause 3.1.
public enum SigningAlgorithm: String, Sendable, CaseIterable {
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256, for servers that support nothing else.
    case rs256 = "RS256"

    var jws: JWSAlgorithm { self == .es256 ? .es256 : .rs256 }
}

/// The public key of a ``SigningKey``.
public struct VerificationKey: Sendable, Hashable {
    let key: JWK

    init(_ key: JWK) { self.key = key }

    /// Reads a public JWK (RFC 7517): RSA with at least 2048 bits, or P-256.
    ///
    /// - Throws: ``GuardianError`` with ``GuardianError/Code/invalidJWK``
    public init(jwk: Data) throws {
        do {
            let key = try JWK(try JSONReader.parse(Array(jwk)))
            guard key.allows(.es256) || key.allows(.rs256) else { throw GuardianError(.invalidJWK) }
            self.key = key
        } catch { throw GuardianError(.invalidJWK, cause: error) }
    }

    /// The key as a JWK in JSON.
    public var jwk: Data { Data(JSONWriter.bytes(key.json)) }

    /// A stable default identifier for a device: a UUID derived from the key's thumbprint (RFC 7638).
    public var deviceIdentifier: String {
        UUIDText.version8(Array(key.thumbprint(platformHashing))).uppercased()
    }
}

/// Adapts a ``SigningKey`` to the signer protocol of JOSE.
struct KeySigner: Signer {
    let key: any SigningKey
    let publicKey: JWK
    var algorithm: JWSAlgorithm { key.algorithm.jws }

    init(_ key: any SigningKey) throws {
        self.key = key
        var publicKey = try key.verificationKey().key
        publicKey.algorithm = key.algorithm.jws
        self.publicKey = publicKey
    }

    func sign(_ message: [UInt8]) throws -> [UInt8] { Array(try key.signature(for: Data(message))) }

    func jwt(_ payload: [UInt8], failure: GuardianError.Code) throws -> String {
        do { return try JWS.sign(payload, with: self) } catch { throw GuardianError(failure, cause: error) }
    }
}
