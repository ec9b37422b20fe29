import ApprovalWire
package import Audit
package import AuthorizationCore
package import GuardianWire
package import Primitives
import Synchronization

/// Undecided requests for a device that reconnects.
package struct PendingNotifications: Sendable {
    /// Maximum requests sent to a device that reconnects.
    static let limit = 100
    let store: any PendingRequestStore
    let vault: RequestVault
    let composer: NotificationComposer
    let channel: String
    let budgets: AuditBudgets
    var recordBytes: Int = 65_536
    private let noted = Noted()

    /// Last request logged as sent, by device, so that a phone that reconnects repeatedly leaves one entry a request.
    private final class Noted: Sendable {
        static let limit = 10_000
        let last = Mutex<[DeviceID: Int64]>([:])
    }

    /// Requests that are not yet logged as sent to the device.
    private func unnoted(_ requests: [BackchannelRequest], _ device: DeviceID) -> [BackchannelRequest] {
        let before = noted.last.withLock { $0[device] ?? 0 }
        return requests.filter { $0.sequence > before }
    }

    private func note(_ newest: Int64, _ device: DeviceID) {
        noted.last.withLock { last in
            if last.count >= Noted.limit, last[device] == nil { last = [:] }
            last[device] = max(last[device] ?? 0, newest)
        }
    }

    /// Event after which a device resumes. Zero starts over if no event has the id that the device names, as after
    /// restoring a backup.
    package func resumption(after lastEventID: Int64) async throws -> Int64 {
        guard lastEventID > 0, try await store.newestSequence() >= lastEventID else { return 0 }
        return lastEventID
    }

    /// The list of undecided requests, unless they are too many, and notifications of those after `sequence`, oldest
    /// first. Each is logged as sent once a device. `withRecords` adds the records of the first ones, for a device that
    /// authenticated by its key: it may read them anyway, and saves the time of a request.
    package func events(
        for device: Device, after sequence: Int64, withRecords: Bool = false, context: RequestContext
    ) async throws -> [DeviceEvent] {
        func pending(after sequence: Int64) async throws -> (requests: [BackchannelRequest], areAll: Bool) {
            let stored = try await store.pending(
                user: device.user, tenant: device.tenant, after: sequence, now: context.now, limit: Self.limit)
            var requests: [BackchannelRequest] = []
            for sealed in stored {
                if let request = try await vault.open(sealed, for: .notification, context: context) {
                    requests.append(request)
                }
            }
            return (requests, areAll: stored.count < Self.limit)
        }
        let (all, areAll) = try await pending(after: 0)
        let requests = areAll ? all.filter { $0.sequence > sequence } : try await pending(after: sequence).requests
        let fresh = unnoted(requests, device.id)
        if let newest = fresh.last?.sequence {
            let charge = try budgets.draw(on: .device(device.id), context)
            try await store.noteSent(
                fresh, to: device.id,
                events: fresh.map { request in
                    var event = context.event(
                        .notificationSent, charge: charge, user: request.user, client: request.client,
                        device: device.id, consent: request.consentID, details: ["provider": .string(channel)])
                    // As in the delivery queue's entries: the address is not the sender's.
                    event.remoteAddress = nil
                    return event
                }, now: context.now)
            note(newest, device.id)
        }
        let list = DeviceEvent(id: sequence, content: .pending(transactionLinkingIDs: all.map(\.consentID.rawValue)))
        var room = withRecords ? recordBytes : 0
        return (areAll ? [list] : [])
            + requests.map { request in
                let record = request.record.text
                let size = record.utf8.count
                defer { room -= size }
                return DeviceEvent(
                    id: request.sequence,
                    content: .notification(
                        composer.notification(of: request, to: device, configuration: context.configuration)),
                    record: size <= room ? record : nil)
            }
    }
}

/// Store port for resuming a device's stream.
package protocol PendingRequestStore: Sendable {
    /// Undecided, unexpired requests of a user that a device may decide, with a sequence above `sequence`, in ascending
    /// order. Requests in the channels `page` and `email` are not pushed, but a device that the person opens shows them.
    func pending(
        user: UserID, tenant: TenantID, after sequence: Int64, now: Timestamp, limit: Int
    ) async throws -> [SealedRequest]

    /// Notes that a device got requests when it asked, with an entry of the audit log for each, in one transaction. Their
    /// other deliveries are then not the last ones.
    func noteSent(
        _ requests: [BackchannelRequest], to device: DeviceID, events: [AuditEvent], now: Timestamp
    ) async throws

    /// Greatest sequence of any tenant's requests. 0 without requests.
    func newestSequence() async throws -> Int64
}

/// Source of the events of open streams, as they happen.
package protocol DeviceEventSource: Sendable {
    /// Live events of one device until the iteration ends.
    func events(for device: DeviceID) -> AsyncStream<DeviceEvent>

    /// Ends the iterations of a device that is removed.
    func end(for device: DeviceID)
}
