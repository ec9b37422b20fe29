#if canImport(CryptoKit)
    import ApplePlatform
    public import Foundation
    import JOSE

    /// An RSA key of 2048 bits that stays in the keychain, under a tag.
    public struct KeychainRSAPrivateKey: SigningKey {
        public let tag: String
        private let key: AppleSigner

        /// Finds a key.
        ///
        /// - Throws: ``GuardianError`` with ``GuardianError/Code/keyNotFound`` where there is none, and with
        ///   ``GuardianError/Code/failedKeyRetrieval`` where the keychain could not be asked, before the first unlock for
        ///   one: its ``GuardianError/cause`` is an error of `NSOSStatusErrorDomain`.
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

        /// Finds the key under this tag, or makes and stores one that is readable after the first unlock and leaves
        /// this device in no backup. On macOS an app must be signed for that.
        ///
        /// - Throws: ``GuardianError``, where the keychain could not be asked, or the key not made or not stored
        public static func new(with tag: String) throws -> KeychainRSAPrivateKey {
            // Only where there is none: another would leave the enrolled one behind.
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
