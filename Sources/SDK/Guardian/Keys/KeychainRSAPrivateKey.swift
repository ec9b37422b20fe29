#if canImport(CryptoKit)
    public import Foundation
    import Security

    /// An RSA key of 2048 bits that stays in the keychain, under a tag.
    public struct KeychainRSAPrivateKey: SigningKey {
        public let tag: String
        private let key: PlatformRSAKey

        /// Finds a key.
        ///
        /// - Throws: ``GuardianError`` with ``GuardianError/Code/keyNotFound``
        public init(tag: String) throws {
            var item: CFTypeRef?
            let query = attributes([
                (kSecClass, kSecClassKey), (kSecAttrKeyType, kSecAttrKeyTypeRSA),
                (kSecAttrApplicationTag, NSData(data: Data(tag.utf8))), (kSecReturnRef, NSNumber(value: true)),
            ])
            guard SecItemCopyMatching(query, &item) == errSecSuccess, let item, CFGetTypeID(item) == SecKeyGetTypeID()
            else { throw GuardianError(.keyNotFound) }
            // Its type was asked above; a conditional cast of Core Foundation types would not ask at all.
            key = PlatformRSAKey(secKey: unsafeDowncast(item, to: SecKey.self))
            self.tag = tag
        }

        private init(tag: String, key: PlatformRSAKey) {
            self.tag = tag
            self.key = key
        }

        /// Finds the key under this tag, or makes and stores one that is readable after the first unlock and leaves
        /// this device in no backup.
        ///
        /// - Throws: ``GuardianError``, where it could be neither found nor made nor stored
        public static func new(with tag: String) throws -> KeychainRSAPrivateKey {
            if let existing = try? KeychainRSAPrivateKey(tag: tag) { return existing }
            let key: PlatformRSAKey
            do { key = try PlatformRSAKey() } catch { throw GuardianError(.failedKeyCreation, cause: error) }
            let item = attributes([
                (kSecClass, kSecClassKey), (kSecAttrApplicationTag, NSData(data: Data(tag.utf8))),
                (kSecValueRef, key.secKey), (kSecAttrIsPermanent, NSNumber(value: true)),
                (kSecAttrAccessible, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly),
            ])
            guard SecItemAdd(item, nil) == errSecSuccess else { throw GuardianError(.failedKeyStorage) }
            return KeychainRSAPrivateKey(tag: tag, key: key)
        }

        public var algorithm: SigningAlgorithm { .rs256 }
        public func verificationKey() throws -> VerificationKey { VerificationKey(try key.publicKey) }
        public func signature(for message: Data) throws -> Data { try key.signature(for: message) }
    }
#endif
