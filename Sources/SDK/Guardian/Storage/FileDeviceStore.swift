#if !os(iOS)
    import Foundation
    import SecretFiles

    /// Stores devices in a file that only its owner can read (mode 0600), and that is replaced as a whole. Several
    /// processes may share it. For programs without a keychain, which include unsigned programs on macOS.
    public struct FileDeviceStore: DeviceStore {
        private struct Content: Codable {
            var devices: [StoredDevice] = []
        }

        public let path: String
        private let file: SecretFile
        private let find: SigningKeyReference.Finder?

        /// - Parameters:
        ///   - path: The file. Its folder is created if it does not exist.
        ///   - find: Finds the app's own keys by name (``SigningKeyReference/named(_:)``).
        public init(path: String, finding find: SigningKeyReference.Finder? = nil) {
            self.path = path
            self.find = find
            file = SecretFile(path: path)
        }

        /// Empty if there is no file. Refuses a file that other users can read.
        public func devices() async throws -> [EnrolledDevice] {
            let data = try await explaining { try await file.contents() }
            return try StoredDevice.devices(try Self.content(data, path).devices, finding: find)
        }

        public func save(_ device: EnrolledDevice) async throws {
            let stored = try StoredDevice(device)
            try await update { devices in
                if let index = devices.firstIndex(where: { $0.id == stored.id }) {
                    devices[index] = stored
                } else {
                    devices.append(stored)
                }
            }
        }

        public func remove(id: String) async throws { try await update { $0.removeAll { $0.id == id } } }

        /// Checks in advance if ``save(_:)`` could write the file, before a ticket is used up, and throws its error
        /// otherwise. Creates the folder if it does not exist.
        public func checkWritable() async throws {
            try await explaining {
                try await file.update { [path] data in
                    _ = try Self.content(data, path)
                    return nil
                }
                try await file.checkWritable()
            }
        }

        private func update(_ change: @escaping @Sendable (inout [StoredDevice]) -> Void) async throws {
            try await explaining {
                try await file.update { [path] data in
                    var content = try Self.content(data, path)
                    change(&content.devices)
                    let encoder = JSONEncoder()
                    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
                    return try encoder.encode(content)
                }
            }
        }

        private static func content(_ data: Data?, _ path: String) throws -> Content {
            guard let data else { return Content() }
            do { return try JSONDecoder().decode(Content.self, from: data) } catch let error as GuardianError {
                throw error
            } catch {
                throw GuardianError(.failedDeviceStorage, cause: error, detail: "\(path) is damaged")
            }
        }

        private func explaining<Value>(_ body: () async throws -> Value) async throws -> Value {
            do { return try await body() } catch let error as GuardianError { throw error } catch {
                throw GuardianError(
                    .failedDeviceStorage, cause: error,
                    detail: (error as? SecretFile.Failure)?.description ?? error.localizedDescription)
            }
        }
    }
#endif
