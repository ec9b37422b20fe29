package import AuthorizationCore

/// A phone and its factors.
package struct DeviceRecord: Sendable, Equatable {
    package let device: Device
    /// True if it makes one-time passwords.
    package let hasOneTimePasswords: Bool

    package init(device: Device, hasOneTimePasswords: Bool) {
        self.device = device
        self.hasOneTimePasswords = hasOneTimePasswords
    }
}
