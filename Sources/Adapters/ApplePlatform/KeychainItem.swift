#if canImport(CryptoKit)
    package import Foundation
    import Security

    /// A secret in the keychain: readable after the first unlock, only on this device, and not in backups.
    package struct KeychainItem: Sendable {
        private let service: String
        private let account: String

        /// Service and account together identify the item within the app.
        package init(service: String, account: String) {
            self.service = service
            self.account = account
        }

        /// Data of all items of a service.
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

        /// Nil means that there is no such item.
        package func data() throws -> Data? {
            var item: CFTypeRef?
            let status = SecItemCopyMatching(coreFoundation(name + [(kSecReturnData, NSNumber(value: true))]), &item)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = item as? Data else {
                throw SecurityFailure(status, operation: "read from the keychain")
            }
            return data
        }

        /// Stores `data`, replacing the item's old data.
        package func store(_ data: Data) throws {
            let content: [(CFString, Any)] = [
                (kSecValueData, coreFoundation(Array(data))),
                (kSecAttrAccessible, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly),
            ]
            var status = SecItemUpdate(coreFoundation(name), coreFoundation(content))
            if status == errSecItemNotFound { status = SecItemAdd(coreFoundation(name + content), nil) }
            guard status == errSecSuccess else { throw SecurityFailure(status, operation: "store in the keychain") }
        }

        /// Removes the item. Does nothing if there is none.
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

    /// Selects the newer keychain of macOS, since the older one does not support `kSecAttrAccessible`. It needs a
    /// signed app.
    var dataProtectionKeychain: (CFString, Any) { (kSecUseDataProtectionKeychain, NSNumber(value: true)) }
#endif
