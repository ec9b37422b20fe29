package import AuthorizationCore
import Primitives

/// A phone with what it can prove its user by.
package struct DeviceRecord: Sendable, Equatable {
    package let device: Device
    /// Whether it makes one-time passwords, too.
    package let hasOneTimePasswords: Bool

    package init(device: Device, hasOneTimePasswords: Bool) {
        self.device = device
        self.hasOneTimePasswords = hasOneTimePasswords
    }
}
