import AuthorizationCore
package import Primitives

/// Challenges for registrations of passkeys: MACs over device and time, so none is stored. A challenge registers no second
/// passkey, because a device has one.
package struct PasskeyChallenges: Sendable {
    static let lifetime: Duration = .seconds(300)
    private static let timeSize = 8

    private let key: SecretBytes
    private let hashing: any Hashing

    /// `key` has 32 bytes and no other use.
    package init(key: SecretBytes, hashing: any Hashing) {
        self.key = key
        self.hashing = hashing
    }

    func challenge(for device: Device, at now: Timestamp) -> [UInt8] {
        let time = (1...Self.timeSize).map { UInt8(truncatingIfNeeded: now.milliseconds >> (64 - 8 * $0)) }
        return time + mac(time, device)
    }

    func isValid(_ challenge: [UInt8], for device: Device, at now: Timestamp) -> Bool {
        let time = Array(challenge.prefix(Self.timeSize))
        guard time.count == Self.timeSize,
            constantTimeEquals(Array(challenge.dropFirst(Self.timeSize)), mac(time, device))
        else { return false }
        let made = Timestamp(milliseconds: time.reduce(0) { $0 << 8 | Int64($1) })
        return made <= now && now < made + Self.lifetime
    }

    private func mac(_ time: [UInt8], _ device: Device) -> [UInt8] {
        hashing.hmac(.sha256, key: key.bytes, lengthPrefixed([device.tenant.rawValue, device.id.rawValue]) + time)
    }
}
