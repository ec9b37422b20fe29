#if canImport(CryptoKit)
    import ApplePlatform
    public import Foundation
    import JOSE

    /// An RSA key of 2048 bits in the keychain, identified by a tag.
    public struct KeychainRSAPrivateKey: SigningKey {
        public let tag: String
        private let key: AppleSigner

        /// Finds a key.
        ///
        /// - Throws: ``GuardianError`` with ``GuardianError/Code/keyNotFound`` if there is none, and with
        ///   ``GuardianError/Code/failedKeyRetrieval`` if the keychain is not available, for example before the first
        ///   unlock. Its ``GuardianError/cause`` is an error of `NSOSStatusErrorDomain`.
        public init(tag: String) throws {
            guard let key = try Self.stored(tag) else { throw GuardianError(.keyNotFound) }
            self.init(tag: tag, key: key)
        }

        private static func stored(_ tag: String) throws -> AppleSigner? {
            do { return try AppleSigner(keychainTag: tag) } catch {
                throw GuardianError(.failedKeyRetrieval, cause: error)
            }
        }

        private init(tag: String, key: AppleSigner) {
            self.tag = tag
            self.key = key
        }

        /// Finds the key with this tag, or creates and stores one. The key is readable after the first unlock, only on
        /// this device, and not in backups. On macOS this needs a signed app.
        ///
        /// - Throws: ``GuardianError`` if the keychain is not available, or the key cannot be created or stored.
        public static func new(with tag: String) throws -> KeychainRSAPrivateKey {
            // A second key with the same tag would hide the enrolled one.
            if let existing = try stored(tag) { return KeychainRSAPrivateKey(tag: tag, key: existing) }
            let key: AppleSigner
            do { key = try .generate(algorithm: .rs256) } catch {
                throw GuardianError(.failedKeyCreation, cause: error)
            }
            do { try key.store(keychainTag: tag) } catch { throw GuardianError(.failedKeyStorage, cause: error) }
            return KeychainRSAPrivateKey(tag: tag, key: key)
        }

        public var algorithm: SigningAlgorithm { .rs256 }
        public func verificationKey() throws -> VerificationKey { VerificationKey(key.publicKey) }
        public var reference: SigningKeyReference { .keychain(tag: tag) }
        public func signature(for message: Data) throws -> Data { Data(try key.sign(Array(message))) }
    }
#endif
