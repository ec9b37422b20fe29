#if canImport(CryptoKit)
    import ApplePlatform
    public import Foundation

    /// Keeps credentials in the keychain: readable after the first unlock, on this device alone, and in no backup.
    public struct KeychainCredentialStore: CredentialStore {
        private let item: KeychainItem

        /// - Parameters:
        ///   - service: the app's name for what it keeps, such as its bundle identifier.
        ///   - account: whose credentials, where the app has several.
        public init(service: String, account: String = "credentials") {
            item = KeychainItem(service: service, account: account)
        }

        public func load() async throws -> Data? { try item.data() }
        public func save(_ data: Data) async throws { try item.store(data) }
        public func clear() async throws { try item.remove() }
    }
#endif
