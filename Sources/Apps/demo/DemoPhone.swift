import Foundation
import Guardian

/// The demo's phone. It uses the Guardian SDK as an app would.
struct DemoPhone {
    let domain: String
    let device: EnrolledDevice
    let configuration: GuardianConfiguration

    final class Channel {
        private var events: AsyncThrowingStream<DeviceChannelEvent, any Error>.AsyncIterator

        init(_ events: AsyncThrowingStream<DeviceChannelEvent, any Error>) { self.events = events.makeAsyncIterator() }

        func opened() async throws {
            while let event = try await events.next(isolation: #isolation) {
                if case .connected = event { return }
            }
            throw DemoFailure("the device channel did not open")
        }

        /// The next request to decide.
        func next() async throws -> Guardian.Notification {
            while let event = try await events.next(isolation: #isolation) {
                if case .notification(let notification, _) = event { return notification }
            }
            throw DemoFailure("the device channel ended without a request")
        }
    }

    func listen() async throws -> Channel {
        let channel = Channel(Guardian.notifications(forDomain: domain, device: device, configuration: configuration))
        try await channel.opened()
        return channel
    }

    func consent(for notification: Guardian.Notification) async throws -> Consent {
        guard let consentID = notification.transactionLinkingId else {
            throw DemoFailure("the notification names no consent")
        }
        return
            try await Guardian
            .consent(forDomain: domain, device: device, configuration: configuration)
            .fetch(consentId: consentID, notificationToken: notification.transactionToken)
            .start()
    }

    func allow(_ notification: Guardian.Notification, _ consent: Consent) async throws {
        _ = try await Guardian.authentication(forDomain: domain, device: device, configuration: configuration)
            .allow(notification: notification, consent: consent).start()
    }

    func reject(_ notification: Guardian.Notification, reason: String) async throws {
        _ = try await Guardian.authentication(forDomain: domain, device: device, configuration: configuration)
            .reject(notification: notification, withReason: reason).start()
    }
}
