public import Foundation

/// A P-256 key: the one to enrol with, unless the server knows only RSA.
///
/// On Apple hardware that has one, the key is made in the Secure Enclave and cannot leave it; ``data`` is then a
/// handle that only this device can use.
public struct P256PrivateKey: SigningKey {
    private let key: PlatformP256Key

    /// Makes a key. Nothing stores it but the app, by its ``data``.
    ///
    /// - Throws: ``GuardianError`` with ``GuardianError/Code/failedKeyCreation``
    public static func new() throws -> P256PrivateKey {
        do { return P256PrivateKey(key: try PlatformP256Key()) } catch {
            throw GuardianError(.failedKeyCreation, cause: error)
        }
    }

    private init(key: PlatformP256Key) { self.key = key }

    /// Takes a key back from its ``data``.
    ///
    /// - Throws: ``GuardianError`` with ``GuardianError/Code/invalidKey``
    public init(data: Data) throws {
        do { key = try PlatformP256Key(data: data) } catch { throw GuardianError(.invalidKey, cause: error) }
    }

    /// The key as PKCS #8 (RFC 5958), or the Secure Enclave's handle. Store it as the secret it is.
    public var data: Data { get throws { try key.data } }

    public var algorithm: SigningAlgorithm { .es256 }
    public func verificationKey() throws -> VerificationKey { VerificationKey(try key.publicKey) }
    public func signature(for message: Data) throws -> Data { try key.signature(for: message) }
}
