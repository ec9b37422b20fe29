import Flows
import GuardianWire
import Primitives

/// Content of one message, for Firebase and for services that hand it on.
///
/// It has no collapse key: of messages with keys, Firebase keeps those of four keys for a device that is away, and of
/// others a hundred.
struct FCMContent: Sendable {
    let data: JSONObject
    let isUrgent: Bool
    /// Seconds until the message expires.
    let life: Int64

    init(_ push: MobilePush, now: Timestamp) {
        life = push.message.secondsLeft(at: now)
        switch push.content {
        case .notification(let payload): (data, isUrgent) = (payload.fcmData, true)
        case .withdrawal(let payload): (data, isUrgent) = (payload.fcmData, false)
        }
    }

    /// Members of a `Message` of HTTP v1.
    func write(to writer: inout JSONWriter) {
        writer.member("data", .object(data))
        writer.member("android") { writer in
            writer.member("priority", isUrgent ? "high" : "normal")
            writer.member("ttl", "\(life)s")
        }
    }
}
