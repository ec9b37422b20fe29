package import GuardianWire

/// Entries that one courier delivers. Each lane runs by itself, so that a slow one delays no other.
package enum DeliveryLane: Sendable, Hashable {
    case queue(DeliveryQueue)
    /// Notifications to devices that get their pushes from one of these services.
    case devices(pushedBy: Set<PushCredentials.Service>)
    /// All other notifications, among them those to devices without a push service and to removed ones.
    case otherDevices(than: Set<PushCredentials.Service>)

    package var queue: DeliveryQueue {
        switch self {
        case .queue(let queue): queue
        case .devices, .otherDevices: .notifications
        }
    }
}
