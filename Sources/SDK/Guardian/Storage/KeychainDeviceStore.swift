#if canImport(CryptoKit)
    import ApplePlatform
    import Foundation

    /// Keeps devices in the keychain, each as an item of its own: readable after the first unlock, on this device
    /// alone, and in no backup. On macOS an app must be signed for that.
    public struct KeychainDeviceStore: DeviceStore {
        private let service: String
        private let find: SigningKeyReference.Finder?

        /// - Parameters:
        ///   - service: the app's name for its devices, such as its bundle identifier with `.devices`. Nothing else is
        ///     kept under it.
        ///   - find: the app's own keys, by their names (``SigningKeyReference/named(_:)``).
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
