import Flows
import GuardianWire
import Primitives

/// Payload and headers of one message.
struct APNsContent: Sendable {
    let payload: [UInt8]
    let pushType: String
    let priority: Int
    let expiration: Timestamp
    /// Messages with the same id replace each other. A withdrawal replaces its notification.
    let collapseID: String?
}

extension APNsContent {
    /// Maximum bytes of a payload, by Apple's limit.
    private static let limit = 4096

    /// Shortens the text on the lock screen to what fits. Nil if the message is too long without the text.
    init?(_ push: MobilePush) {
        let expiration = push.message.expiresAt
        switch push.content {
        case .notification(let payload):
            guard let bytes = Self.shortened(payload) else { return nil }
            self.init(
                payload: bytes, pushType: "alert", priority: 10, expiration: expiration,
                collapseID: payload.transactionLinkingID)
        case .withdrawal(let payload):
            self.init(
                payload: payload.apns, pushType: "background", priority: 5, expiration: expiration,
                collapseID: payload.transactionLinkingID)
        }
    }

    private static func shortened(_ notification: NotificationPayload) -> [UInt8]? {
        var bytes = notification.apns
        guard bytes.count > limit else { return bytes }
        var payload = notification
        payload.title = payload.title.map { shortened($0, to: 256) }
        let whole = payload.body ?? ""
        payload.body = ""
        var room = limit - payload.apns.count
        repeat {
            guard room >= 0 else { return nil }
            payload.body = shortened(whole, to: room)
            bytes = payload.apns
            // JSON needs at most 6 bytes for each byte of the text.
            room -= max(1, (bytes.count - limit) / 6)
        } while bytes.count > limit
        return bytes
    }

    /// Whole characters of at most `limit` bytes with an ellipsis, if the text is longer.
    private static func shortened(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var kept = ""
        var count = 3
        for character in text {
            count += character.utf8.count
            guard count <= limit else { break }
            kept.append(character)
        }
        return limit >= 3 ? kept + "\u{2026}" : ""
    }
}
