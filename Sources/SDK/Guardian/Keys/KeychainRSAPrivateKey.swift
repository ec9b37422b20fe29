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
        /// - Throws: ``GuardianError`` with ``GuardianError/Code/keyNotFound``
        public init(tag: String) throws {
            do { key = try AppleSigner(keychainTag: tag) } catch { throw GuardianError(.keyNotFound, cause: error) }
            self.tag = tag
        }

        private init(tag: String, key: AppleSigner) {
            self.tag = tag
            self.key = key
        }

        /// Finds the key under this tag, or makes and stores one that is readable after the first unlock and leaves
        /// this device in no backup.
        ///
        /// - Throws: ``GuardianError``, where it could be neither found nor made nor stored
        public static func new(with tag: String) throws -> KeychainRSAPrivateKey {
            if let existing = try? KeychainRSAPrivateKey(tag: tag) { return existing }
            let key: AppleSigner
            do { key = try .generate(algorithm: .rs256) } catch {
                throw GuardianError(.failedKeyCreation, cause: error)
            }
            do { try key.store(keychainTag: tag) } catch { throw GuardianError(.failedKeyStorage, cause: error) }
            return KeychainRSAPrivateKey(tag: tag, key: key)
        }

        public var algorithm: SigningAlgorithm { .rs256 }
        public func verificationKey() throws -> VerificationKey { VerificationKey(key.publicKey) }
        public func signature(for message: Data) throws -> Data { Data(try key.sign(Array(message))) }
    }
#endif
