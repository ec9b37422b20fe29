#if canImport(CryptoKit)
    import ApplePlatform
    import Foundation

    /// Stores each device as an item in the keychain: readable after the first unlock, only on this device, and not in
    /// backups. On macOS this needs a signed app.
    public struct KeychainDeviceStore: DeviceStore {
        private let service: String
        private let find: SigningKeyReference.Finder?

        /// - Parameters:
        ///   - service: The app's name for the items, such as its bundle identifier with `.devices`. Use it for nothing
        ///     else.
        ///   - find: Finds the app's own keys by name (``SigningKeyReference/named(_:)``).
        public init(service: String, finding find: SigningKeyReference.Finder? = nil) {
            self.service = service
            self.find = find
        }

        public func devices() async throws -> [EnrolledDevice] {
            let stored = try explaining {
                try KeychainItem.all(service: service).map { try JSONDecoder().decode(StoredDevice.self, from: $0) }
            }
            return try StoredDevice.devices(stored, finding: find)
        }

        public func save(_ device: EnrolledDevice) async throws {
            let stored = try StoredDevice(device)
            try explaining { try item(stored.id).store(try JSONEncoder().encode(stored)) }
        }

        public func remove(id: String) async throws { try explaining { try item(id).remove() } }

        private func item(_ id: String) -> KeychainItem { KeychainItem(service: service, account: id) }

        private func explaining<Value>(_ body: () throws -> Value) throws -> Value {
            do { return try body() } catch let error as GuardianError { throw error } catch {
                throw GuardianError(.failedDeviceStorage, cause: error, detail: error.localizedDescription)
            }
        }
    }
#endif
