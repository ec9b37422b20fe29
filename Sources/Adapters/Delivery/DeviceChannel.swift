package import AuthorizationCore
package import Flows
package import GuardianWire
import Primitives
import Synchronization

/// Reaches devices over the streams they hold open (`GET api/notifications`).
///
/// A device without an open stream counts as told: when it comes back it asks for what is still pending, so nothing
/// is lost and nothing is kept twice.
package final class DeviceChannel: DeviceEventSource, NotificationProvider {
    /// Events a device may be behind before its stream is ended; it then resumes with `Last-Event-ID`.
    static let backlog = 256

    private struct Listeners {
        var nextID: UInt64 = 0
        var byDevice: [DeviceID: [UInt64: AsyncStream<DeviceEvent>.Continuation]] = [:]
    }

    private let listeners = Mutex(Listeners())
    private let configuration: any ConfigurationSource
    private let composer: NotificationComposer

    package init(configuration: any ConfigurationSource, composer: NotificationComposer) {
        self.configuration = configuration
        self.composer = composer
    }

    package var name: String { "device-channel" }

    /// Every device may listen, whatever push service it has besides.
    package var services: Set<PushCredentials.Service>? { nil }

    package func events(for device: DeviceID) -> AsyncStream<DeviceEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DeviceEvent.self, bufferingPolicy: .bufferingOldest(Self.backlog))
        let id = listeners.withLock { listeners in
            listeners.nextID += 1
            listeners.byDevice[device, default: [:]][listeners.nextID] = continuation
            return listeners.nextID
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id, of: device) }
        return stream
    }

    package func end(for device: DeviceID) {
        for continuation in open(device) { continuation.finish() }
    }

    private func open(_ device: DeviceID) -> [AsyncStream<DeviceEvent>.Continuation] {
        listeners.withLock { $0.byDevice[device].map { Array($0.values) } ?? [] }
    }

    /// How many streams are open.
    package var openStreams: Int { listeners.withLock { $0.byDevice.values.reduce(0) { $0 + $1.count } } }

    package func reaches(_ device: DeviceID) -> Bool { listeners.withLock { $0.byDevice[device] != nil } }

    package func deliver(_ entry: OutboxEntry, to device: Device) async -> DeliveryResult {
        guard let tenant = configuration.current.tenant(id: entry.request.tenant) else {
            return .refused(reason: "the tenant is gone")
        }
        let open = open(device.id)
        guard !open.isEmpty else { return .absent }
        let content: DeviceEvent.Content =
            switch entry.kind {
            case .notification:
                .notification(composer.notification(of: entry.request, to: device.id, configuration: tenant))
            case .withdrawal: .withdrawal(transactionLinkingID: entry.request.consentID.rawValue)
            }
        for continuation in open {
            let result = continuation.yield(DeviceEvent(id: entry.request.sequence, content: content))
            if case .dropped = result { continuation.finish() }
        }
        return .delivered
    }

    private func remove(_ id: UInt64, of device: DeviceID) {
        listeners.withLock { listeners in
            listeners.byDevice[device]?[id] = nil
            if listeners.byDevice[device]?.isEmpty == true { listeners.byDevice[device] = nil }
        }
    }
}
