import AuthorizationCore
import Flows
import Primitives

/// Parameters of `Publish` for one message.
struct SNSPublication: Sendable {
    private let message: String
    private let attributes: [(name: String, type: String, value: String)]

    /// Nil if the message is too long for Apple's push service.
    init?(_ push: MobilePush, _ platform: SNSApplication.Platform, now: Timestamp) {
        let text: [UInt8]
        switch platform {
        case .apple, .appleSandbox:
            guard let content = APNsContent(push) else { return nil }
            text = content.payload
            let life = push.message.secondsLeft(at: now)
            attributes =
                [
                    ("AWS.SNS.MOBILE.APNS.PUSH_TYPE", "String", content.pushType),
                    ("AWS.SNS.MOBILE.APNS.PRIORITY", "String", String(content.priority)),
                    ("AWS.SNS.MOBILE.\(platform.rawValue).TTL", "String", String(life)),
                ] + (content.collapseID.map { [("AWS.SNS.MOBILE.APNS.COLLAPSE_ID", "String", $0)] } ?? [])
        case .google:
            let content = FCMContent(push, now: now)
            text = JSONWriter.object { writer in
                writer.member("fcmV1Message") { writer in
                    writer.member("message") { writer in content.write(to: &writer) }
                }
            }
            attributes = [("AWS.SNS.MOBILE.FCM.TTL", "String", String(content.life))]
        }
        message = JSONWriter.string([
            "default": "Countersign", platform.rawValue: .string(String(decoding: text, as: UTF8.self)),
        ])
    }

    func parameters(to endpoint: String) -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = [
            ("TargetArn", endpoint), ("MessageStructure", "json"), ("Message", message),
        ]
        for (index, attribute) in attributes.enumerated() {
            let prefix = "MessageAttributes.entry.\(index + 1)"
            parameters.append(("\(prefix).Name", attribute.name))
            parameters.append(("\(prefix).Value.DataType", attribute.type))
            parameters.append(("\(prefix).Value.StringValue", attribute.value))
        }
        return parameters
    }
}
