package import Audit
package import AuthorizationCore
package import Flows
import JOSE
import Primitives

extension Samples {
    /// A passkey to store. `number` tells passkeys and their challenges apart.
    package static func passkey(
        _ number: UInt8 = 1, of device: DeviceID? = DeviceID("dev_one"), user: String = "auth0|ann", count: UInt32 = 0,
        logsIn: Bool = false, _ event: AuditEvent
    ) throws -> NewPasskey {
        let passkey = Passkey(
            id: [UInt8](repeating: number, count: 20), publicKey: try Keys.signer(.es256, "passkey").publicKey,
            relyingParty: "dev.example", signCount: count)
        return NewPasskey(
            OwnedPasskey(
                passkey, of: UserID(user), handle: [UInt8](repeating: 7, count: 32), device: device,
                name: "Ann's phone",
                logsIn: logsIn, createdAt: event.at),
            challenge: UsedProof(
                hash: hashing.sha256([number, device == nil ? 0 : 1]), expiresAt: event.at + .seconds(300)),
            event: event, notice: nil)
    }
}
