package import AuthorizationCore
package import Flows
package import Primitives

/// A mail that waits, with its tries.
package struct WaitingMail: Sendable, Equatable {
    package let mail: SealedMail
    package let attempts: Int
}

/// A notification that waits.
package struct WaitingNotice: Sendable, Equatable {
    package let notice: DeviceNotice
    package let device: DeviceID
    package let attempts: Int
}

extension DeliveryStore {
    /// Mails that are due and of use, oldest first.
    package func dueMail(now: Timestamp, limit: Int = 99) async throws -> [WaitingMail] {
        try await dueDeliveries(.mail, perLane: limit, limit: limit, now: now).filter {
            $0.delivery.expiresAt > now
        }.map { WaitingMail(mail: SealedMail($0.delivery), attempts: $0.attempts) }
    }

    /// Logouts that clients are to be told of, oldest first.
    package func dueLogouts(now: Timestamp, perClient: Int = 99, limit: Int = 99) async throws -> [LogoutNotice] {
        try await dueDeliveries(.logoutNotices, perLane: perClient, limit: limit, now: now).map {
            try LogoutNotice($0.delivery)
        }
    }

    /// Notifications of a queue that are due, oldest first.
    package func dueNotices(
        _ queue: DeliveryQueue = .notifications, limit: Int = 99, now: Timestamp
    ) async throws -> [WaitingNotice] {
        try await dueDeliveries(queue, perLane: limit, limit: limit, now: now).map { entry in
            WaitingNotice(
                notice: try DeviceNotice(payload: entry.delivery.payload).orThrow("no notice: \(entry)"),
                device: DeviceID(entry.delivery.recipient), attempts: entry.attempts)
        }
    }
}
