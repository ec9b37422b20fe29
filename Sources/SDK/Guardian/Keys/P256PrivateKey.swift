public import Foundation

/// A P-256 key: the one to enrol with, unless the server knows only RSA.
///
/// On Apple hardware that has one, the key is made in the Secure Enclave and cannot leave it; ``data`` is then a
/// handle that only this device can use.
public struct P256PrivateKey: SigningKey {
    private let key: PlatformKey

    /// Makes a key. Nothing stores it but the app, by its ``data``.
    ///
    /// - Throws: ``GuardianError`` with ``GuardianError/Code/failedKeyCreation``
    public static func new() throws -> P256PrivateKey { P256PrivateKey(key: try PlatformKey(generating: .es256)) }

    private init(key: PlatformKey) { self.key = key }

    /// Takes a key back from its ``data``.
    ///
    /// - Throws: ``GuardianError`` with ``GuardianError/Code/invalidKey``
    public init(data: Data) throws { key = try PlatformKey(data: data, algorithm: .es256) }

    /// The key as PKCS #8 (RFC 5958), or the Secure Enclave's handle. Store it as the secret it is.
    public var data: Data { get throws { try key.data } }

    public var algorithm: SigningAlgorithm { .es256 }
    public func verificationKey() throws -> VerificationKey { key.publicKey }
    public var reference: SigningKeyReference { get throws { .data(try data, algorithm) } }
    public func signature(for message: Data) throws -> Data { try key.signature(for: message) }
}
