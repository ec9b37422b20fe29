public import Foundation

/// An RSA key of 2048 bits, for servers that support nothing else.
public struct DataRSAPrivateKey: SigningKey {
    private let key: PlatformKey

    /// Creates a key. Only the app stores it, by its ``data``.
    ///
    /// - Throws: ``GuardianError`` with ``GuardianError/Code/failedKeyCreation``
    public static func new() throws -> DataRSAPrivateKey { DataRSAPrivateKey(key: try PlatformKey(generating: .rs256)) }

    private init(key: PlatformKey) { self.key = key }

    /// Restores a key from its ``data``.
    ///
    /// - Throws: ``GuardianError`` with ``GuardianError/Code/invalidKey``
    public init(data: Data) throws { key = try PlatformKey(data: data, algorithm: .rs256) }

    /// The key as PKCS #1 on Apple platforms and PKCS #8 elsewhere. Store it as a secret.
    public var data: Data { get throws { try key.data } }

    public var algorithm: SigningAlgorithm { .rs256 }
    public func verificationKey() throws -> VerificationKey { key.publicKey }
    public var reference: SigningKeyReference { get throws { .data(try data, algorithm) } }
    public func signature(for message: Data) throws -> Data { try key.signature(for: message) }
}
