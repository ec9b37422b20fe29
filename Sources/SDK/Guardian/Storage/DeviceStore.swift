import Foundation

/// Keeps enrolled devices, with their keys or the way to them.
public protocol DeviceStore: Sendable {
    /// All devices that are kept, in no particular order.
    ///
    /// - Throws: ``GuardianError`` where one cannot be read or its key is gone; `info["device"]` names that one, which
    ///   ``remove(id:)`` removes
    func devices() async throws -> [EnrolledDevice]

    /// Adds a device, or replaces the one of the same id. When it returns, the device outlasts a crash, and when it
    /// fails, what was there is still there.
    func save(_ device: EnrolledDevice) async throws

    /// Removes the device of that id; none is no error. A key in the keychain stays there.
    func remove(id: String) async throws
}

extension StoredDevice {
    /// The devices with their keys.
    static func devices(
        _ stored: [StoredDevice], finding find: SigningKeyReference.Finder?
    ) throws -> [EnrolledDevice] {
        try stored.map { stored in
            do { return try stored.device(finding: find) } catch let error as GuardianError {
                throw error.naming(device: stored.id)
            }
        }
    }
}
