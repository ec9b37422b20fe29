package import AuthorizationCore
package import GuardianWire
package import Primitives
import Synchronization

/// Reaches devices over their open streams (`GET api/notifications`).
///
/// A device without an open stream needs no message: at its return it asks for pending requests.
package final class DeviceChannel: DeviceEventSource, NotificationProvider {
    /// Undelivered events at which a stream ends. The device then resumes with `Last-Event-ID`.
    static let backlog = 256

    /// Streams that one device holds. The newest displaces the oldest: a phone whose network changed opens a new one
    /// before the server learns that the old one is dead.
    static let streamLimit = 2

    private struct Listeners {
        var nextID: UInt64 = 0
        var byDevice: [DeviceID: [UInt64: AsyncStream<DeviceEvent>.Continuation]] = [:]
    }

    private let listeners = Mutex(Listeners())

    package init() {}

    package let name = "device-channel"
    package let queue = DeliveryQueue.notifications
    package let policy = DeliveryPolicy(
        pace: .instant(batch: 512), attempts: 8, firstDelay: .seconds(1), longestDelay: .seconds(60))

    package func events(for device: DeviceID) -> AsyncStream<DeviceEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DeviceEvent.self, bufferingPolicy: .bufferingOldest(Self.backlog))
        let (id, displaced) = listeners.withLock { listeners in
            listeners.nextID += 1
            var open = listeners.byDevice[device] ?? [:]
            let oldest = open.count < Self.streamLimit ? nil : open.keys.min()
            let displaced = oldest.flatMap { open.removeValue(forKey: $0) }
            open[listeners.nextID] = continuation
            listeners.byDevice[device] = open
            return (listeners.nextID, displaced)
        }
        displaced?.finish()
        continuation.onTermination = { [weak self] _ in self?.remove(id, of: device) }
        return stream
    }

    package func end(for device: DeviceID) { for continuation in open(device) { continuation.finish() } }

    private func open(_ device: DeviceID) -> [AsyncStream<DeviceEvent>.Continuation] {
        listeners.withLock { $0.byDevice[device].map { Array($0.values) } ?? [] }
    }

    package var openStreams: Int { listeners.withLock { $0.byDevice.values.reduce(0) { $0 + $1.count } } }

    package func reaches(_ device: DeviceID) -> Bool { listeners.withLock { $0.byDevice[device] != nil } }

    package func send(_ message: DeviceMessage, now: Timestamp) async -> DeliveryAttempt {
        let open = open(message.device.id)
        guard !open.isEmpty else { return DeliveryAttempt(.unneeded) }
        for continuation in open {
            if case .dropped = continuation.yield(message.event) { continuation.finish() }
        }
        return DeliveryAttempt(.delivered)
    }

    private func remove(_ id: UInt64, of device: DeviceID) {
        listeners.withLock { listeners in
            listeners.byDevice[device]?[id] = nil
            if listeners.byDevice[device]?.isEmpty == true { listeners.byDevice[device] = nil }
        }
    }
}
