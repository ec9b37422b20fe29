#if canImport(CryptoKit)
    import Foundation
    import Security

    extension AppleSigner {
        /// Finds the RSA key that the keychain has under a tag; nil where it has none. Throws an error of
        /// `NSOSStatusErrorDomain` where it cannot be asked: before the first unlock, for one.
        package init?(keychainTag tag: String) throws {
            var item: CFTypeRef?
            let query = coreFoundation([
                (kSecClass, kSecClassKey), (kSecAttrKeyType, kSecAttrKeyTypeRSA),
                (kSecAttrApplicationTag, coreFoundation(Array(tag.utf8))), (kSecReturnRef, NSNumber(value: true)),
                dataProtectionKeychain,
            ])
            let status = SecItemCopyMatching(query, &item)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let item, CFGetTypeID(item) == SecKeyGetTypeID() else {
                throw SecurityFailure(status, operation: "find a key in the keychain")
            }
            // Its type was asked above; a conditional cast of Core Foundation types would not ask at all.
            try self.init(RSAPrivateKey(secKey: unsafeDowncast(item, to: SecKey.self)))
        }

        /// Stores an RSA key in the keychain under a tag: readable after the first unlock, and in no backup.
        package func store(keychainTag tag: String) throws {
            guard let rsa else { throw SecurityFailure(operation: "store a key", reason: "it is no RSA key") }
            let item = coreFoundation([
                (kSecClass, kSecClassKey), (kSecAttrApplicationTag, coreFoundation(Array(tag.utf8))),
                (kSecValueRef, rsa.secKey), (kSecAttrIsPermanent, NSNumber(value: true)),
                (kSecAttrAccessible, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly), dataProtectionKeychain,
            ])
            let status = SecItemAdd(item, nil)
            guard status == errSecSuccess else { throw SecurityFailure(status, operation: "store a key") }
        }
    }
#endif
