import AuthorizationCore
import Flows
import GuardianWire
import Primitives

/// A message to a phone's own app, for any service.
struct MobilePush: Sendable {
    enum Content: Sendable {
        case notification(NotificationPayload)
        case withdrawal(WithdrawalPayload)
    }

    let message: DeviceMessage
    let content: Content

    /// Nil for the list of pending requests, which only the device channel sends.
    init?(_ message: DeviceMessage) {
        self.message = message
        switch message.event.content {
        case .notification(let payload): content = .notification(payload)
        case .withdrawal(let id):
            content = .withdrawal(
                WithdrawalPayload(enrollmentID: message.device.id.rawValue, transactionLinkingID: id))
        case .pending: return nil
        }
    }
}
