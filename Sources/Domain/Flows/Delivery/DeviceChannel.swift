package import AuthorizationCore
package import GuardianWire
package import Primitives
import Synchronization

/// Reaches devices over their open streams (`GET api/notifications`).
///
/// A device without an open stream needs no message: at its return it asks for pending requests. Its stream may be open at
/// another node, which is told.
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
    private let link: any NodeLink

    package init(link: any NodeLink = NoOtherNodes()) { self.link = link }

    package let name = "device-channel"
    package let queue = DeliveryQueue.notifications

    /// With other nodes, one of them takes an entry.
    package var policy: DeliveryPolicy {
        DeliveryPolicy(
            pace: link.hasOthers
                ? .leased(for: .seconds(10), inFlight: 512, perTenant: 512, perRecipient: 8) : .instant(batch: 512),
            attempts: 8, firstDelay: .seconds(1), longestDelay: .seconds(60))
    }

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

    package func end(for device: DeviceID) {
        endHere(for: device)
        link.announce(.streamsEnd(device))
    }

    func endHere(for device: DeviceID) { for continuation in open(device) { continuation.finish() } }

    /// Has every device come back and resume.
    func endAll() {
        let open = listeners.withLock { $0.byDevice.values.flatMap(\.values) }
        for continuation in open { continuation.finish() }
    }

    private func open(_ device: DeviceID) -> [AsyncStream<DeviceEvent>.Continuation] {
        listeners.withLock { $0.byDevice[device].map { Array($0.values) } ?? [] }
    }

    package var openStreams: Int { listeners.withLock { $0.byDevice.values.reduce(0) { $0 + $1.count } } }

    package func reaches(_ device: DeviceID) -> Bool {
        link.hasOthers || listeners.withLock { $0.byDevice[device] != nil }
    }

    package func send(_ message: DeviceMessage, now: Timestamp) async -> DeliveryAttempt {
        link.announce(.event(message.device.id, message.event))
        return DeliveryAttempt(send(message.event, to: message.device.id) ? .delivered : .unneeded)
    }

    /// Returns false if the device has no open stream here.
    @discardableResult
    func send(_ event: DeviceEvent, to device: DeviceID) -> Bool {
        let open = open(device)
        for continuation in open {
            if case .dropped = continuation.yield(event) { continuation.finish() }
        }
        return !open.isEmpty
    }

    private func remove(_ id: UInt64, of device: DeviceID) {
        listeners.withLock { listeners in
            listeners.byDevice[device]?[id] = nil
            if listeners.byDevice[device]?.isEmpty == true { listeners.byDevice[device] = nil }
        }
    }
}
