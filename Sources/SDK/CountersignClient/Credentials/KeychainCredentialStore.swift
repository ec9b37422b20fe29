#if canImport(CryptoKit)
    import ApplePlatform
    public import PlatformFoundation

    /// Stores credentials in the keychain: readable after the first unlock, only on this device, and not in backups.
    public struct KeychainCredentialStore: CredentialStore {
        private let item: KeychainItem

        /// - Parameters:
        ///   - service: The app's name for the item, such as its bundle identifier.
        ///   - account: The account, if the app has several.
        public init(service: String, account: String = "credentials") {
            item = KeychainItem(service: service, account: account)
        }

        public func load() async throws -> Data? { try item.data() }
        public func save(_ data: Data) async throws { try item.store(data) }
        public func clear() async throws { try item.remove() }
    }
#endif
