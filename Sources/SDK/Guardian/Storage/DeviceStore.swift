import Foundation

/// Stores enrolled devices with their keys or references to them.
public protocol DeviceStore: Sendable {
    /// All stored devices in any order.
    ///
    /// - Throws: ``GuardianError`` if a device cannot be read or its key is lost. `info["device"]` has the id of that
    ///   device, which ``remove(id:)`` can remove.
    func devices() async throws -> [EnrolledDevice]

    /// Adds a device, or replaces the one with the same id. After it returns, the device survives a crash. If it
    /// throws, the old devices are still there.
    func save(_ device: EnrolledDevice) async throws

    /// Removes the device with that id. Does nothing if there is none. A key in the keychain stays there.
    func remove(id: String) async throws
}

extension StoredDevice {
    /// Finds the devices' keys.
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
