#if canImport(CryptoKit)
    package import Foundation
    import Security

    /// One secret in the keychain: readable after the first unlock, on this device alone, and in no backup.
    package struct KeychainItem: Sendable {
        private let service: String
        private let account: String

        /// The pair names the item among this app's.
        package init(service: String, account: String) {
            self.service = service
            self.account = account
        }

        /// Data of all items of a service, for every account.
        package static func all(service: String) throws -> [Data] {
            var items: CFTypeRef?
            let query: [(CFString, Any)] = [
                (kSecClass, kSecClassGenericPassword), (kSecAttrService, service as NSString), dataProtectionKeychain,
                (kSecMatchLimit, kSecMatchLimitAll), (kSecReturnData, NSNumber(value: true)),
            ]
            let status = SecItemCopyMatching(coreFoundation(query), &items)
            if status == errSecItemNotFound { return [] }
            guard status == errSecSuccess, let items = items as? [Data] else {
                throw SecurityFailure(status, operation: "read from the keychain")
            }
            return items
        }

        /// Nil where there is no such item.
        package func data() throws -> Data? {
            var item: CFTypeRef?
            let status = SecItemCopyMatching(
                coreFoundation(name + [(kSecReturnData, NSNumber(value: true))]), &item)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = item as? Data else {
                throw SecurityFailure(status, operation: "read from the keychain")
            }
            return data
        }

        /// Puts `data` in the place of what was there.
        package func store(_ data: Data) throws {
            let content: [(CFString, Any)] = [
                (kSecValueData, coreFoundation(Array(data))),
                (kSecAttrAccessible, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly),
            ]
            var status = SecItemUpdate(coreFoundation(name), coreFoundation(content))
            if status == errSecItemNotFound { status = SecItemAdd(coreFoundation(name + content), nil) }
            guard status == errSecSuccess else { throw SecurityFailure(status, operation: "store in the keychain") }
        }

        /// Nothing is no error.
        package func remove() throws {
            let status = SecItemDelete(coreFoundation(name))
            guard status == errSecSuccess || status == errSecItemNotFound else {
                throw SecurityFailure(status, operation: "remove from the keychain")
            }
        }

        private var name: [(CFString, Any)] {
            [
                (kSecClass, kSecClassGenericPassword), (kSecAttrService, service as NSString),
                (kSecAttrAccount, account as NSString), dataProtectionKeychain,
            ]
        }
    }

    /// macOS has an older keychain too, which knows nothing of `kSecAttrAccessible`. For this one an app must be signed.
    var dataProtectionKeychain: (CFString, Any) { (kSecUseDataProtectionKeychain, NSNumber(value: true)) }
#endif
