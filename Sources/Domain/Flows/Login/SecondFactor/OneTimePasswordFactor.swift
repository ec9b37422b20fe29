package import AuthorizationCore
import Primitives

/// What second factors need of a store, beside what backchannel requests need.
package protocol MultiFactorStore: Sendable {
    /// The one-time-password secrets of the user's devices.
    func oneTimePasswords(of user: UserID, tenant: TenantID) async throws -> [DeviceOneTimePassword]

    /// Notes that a code of that time step was used. False where it, or a later one, was used before (RFC 6238
    /// clause 5.2): then nothing was stored.
    func useOneTimePassword(_ device: DeviceID, step: Int64, tenant: TenantID) async throws -> Bool
}

/// The secret of a device's one-time passwords, sealed with `sealingContext(tenant:device:)`.
package struct DeviceOneTimePassword: Sendable, Equatable {
    package let device: DeviceID
    package let sealedSecret: [UInt8]

    package init(device: DeviceID, sealedSecret: [UInt8]) {
        self.device = device
        self.sealedSecret = sealedSecret
    }

    package static func sealingContext(tenant: TenantID, device: DeviceID) -> String { "totp/\(tenant)/\(device)" }
}
