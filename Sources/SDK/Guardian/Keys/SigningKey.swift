public import Foundation
import JOSE
import Primitives

/// A private key that signs this device's answers. It may be any that signs: one of this SDK's, or one that an app
/// keeps in hardware of its own.
public protocol SigningKey: Sendable {
    var algorithm: SigningAlgorithm { get }
    /// The public half, which enrolment gives to the server.
    func verificationKey() throws -> VerificationKey
    /// Returns the signature in the form of RFC 7518 clause 3; for ECDSA, r and s side by side.
    func signature(for message: Data) throws -> Data
    /// The name by which a stored device finds the key again. A key of the app's own has one where the app says so.
    var reference: SigningKeyReference { get throws }
}

extension SigningKey {
    /// - Throws: ``GuardianError`` with ``GuardianError/Code/keyNotStorable``
    public var reference: SigningKeyReference { get throws { throw GuardianError(.keyNotStorable) } }
}

/// Signature algorithms of devices, by their names in RFC 7518 clause 3.1.
public enum SigningAlgorithm: String, Sendable, CaseIterable {
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256, for servers that know nothing else.
    case rs256 = "RS256"

    var jws: JWSAlgorithm { self == .es256 ? .es256 : .rs256 }
}

/// The public half of a ``SigningKey``.
public struct VerificationKey: Sendable, Hashable {
    let key: JWK

    init(_ key: JWK) { self.key = key }

    /// Reads a public JWK (RFC 7517): RSA of 2048 bits or more, or P-256.
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

    /// A stable name for a device that has no better one: a UUID made of the key's thumbprint (RFC 7638).
    public var deviceIdentifier: String {
        var bytes = Array(key.thumbprint(platformHashing).prefix(16))
        // Version 8, which leaves the other bits to us (RFC 9562 clause 5.8).
        bytes[6] = 0x80 | bytes[6] & 0x0F
        bytes[8] = 0x80 | bytes[8] & 0x3F
        let parts = [bytes[0..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10..<16]]
        return parts.map { Hex.encode($0).uppercased() }.joined(separator: "-")
    }
}

/// A ``SigningKey`` behind the port that JOSE signs through.
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
