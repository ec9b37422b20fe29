#if canImport(CryptoKit)
    import Foundation
    import Security

    extension AppleSigner {
        /// Finds the RSA key with a tag in the keychain. Nil means that there is none. Throws an error of
        /// `NSOSStatusErrorDomain` if the keychain is not available, for example before the first unlock.
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
            // The type was checked above. A conditional cast of Core Foundation types always succeeds.
            try self.init(RSAPrivateKey(secKey: unsafeDowncast(item, to: SecKey.self)))
        }

        /// Stores an RSA key in the keychain with a tag: readable after the first unlock, and not in backups.
        package func store(keychainTag tag: String) throws {
            guard let rsa else { throw SecurityFailure(operation: "store a key", reason: "it is not an RSA key") }
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
