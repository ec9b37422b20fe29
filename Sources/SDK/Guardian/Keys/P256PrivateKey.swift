public import Foundation

/// A P-256 key. Use it for enrolments unless the server supports only RSA.
///
/// On Apple hardware with a Secure Enclave, the key is created in it and cannot leave it. ``data`` is then a handle
/// that only this device can use.
public struct P256PrivateKey: SigningKey {
    private let key: PlatformKey

    /// Creates a key. Only the app stores it, by its ``data``.
    ///
    /// - Throws: ``GuardianError`` with ``GuardianError/Code/failedKeyCreation``
    public static func new() throws -> P256PrivateKey { P256PrivateKey(key: try PlatformKey(generating: .es256)) }

    private init(key: PlatformKey) { self.key = key }

    /// Restores a key from its ``data``.
    ///
    /// - Throws: ``GuardianError`` with ``GuardianError/Code/invalidKey``
    public init(data: Data) throws { key = try PlatformKey(data: data, algorithm: .es256) }

    /// The key as PKCS #8 (RFC 5958), or the Secure Enclave's handle. Store it as a secret.
    public var data: Data { get throws { try key.data } }

    public var algorithm: SigningAlgorithm { .es256 }
    public func verificationKey() throws -> VerificationKey { key.publicKey }
    public var reference: SigningKeyReference { get throws { .data(try data, algorithm) } }
    public func signature(for message: Data) throws -> Data { try key.signature(for: message) }
}
