public import Foundation
import GuardianWire
import Primitives

/// A request that waits for this user's answer.
public struct Notification: Sendable, Hashable {
    /// Origin of the request, as far as the server knows it.
    public struct Source: Sendable, Hashable {
        public let os: Agent?
        public let browser: Agent?
    }

    /// An operating system or browser.
    public struct Agent: Sendable, Hashable {
        public let name: String
        public let version: String?
    }

    /// A place from which the request came, as far as the server knows it.
    public struct Location: Sendable, Hashable {
        public let name: String?
        /// Degrees north.
        public let latitude: Double?
        /// Degrees east.
        public let longitude: Double?
    }

    /// The server's host for display.
    public let domain: String
    /// ``EnrolledDevice/id`` of the addressed device.
    public let enrollmentId: String
    /// Authorises this device to read the consent record and to answer.
    public let transactionToken: String
    /// Id of the consent record. Nil means that there is none.
    public let transactionLinkingId: String?
    /// The challenge that the answer signs.
    public let challenge: String
    /// Nil means that the server does not know it.
    public let source: Source?
    /// Nil means that the server does not know it.
    public let location: Location?
    /// Time when the request was started.
    public let startedAt: Date
    /// True if the phone should make a sound for the request even in the person's quiet hours.
    public let isUrgent: Bool

    init(_ payload: NotificationPayload) {
        domain = payload.host
        enrollmentId = payload.enrollmentID
        transactionToken = payload.transactionToken
        transactionLinkingId = payload.transactionLinkingID
        challenge = payload.challenge
        source = payload.source.map { source in
            Source(os: source.system.map(Agent.init), browser: source.browser.map(Agent.init))
        }
        location = payload.location.map { Location(name: $0.name, latitude: $0.latitude, longitude: $0.longitude) }
        startedAt = Date(payload.date)
        isUrgent = payload.isUrgent
    }

    init?(userInfo: [AnyHashable: Any]) {
        guard let value = JSONValue(foundation: userInfo, depth: 8),
            let payload = try? NotificationPayload(apns: value)
        else { return nil }
        self.init(payload)
    }
}

extension Notification.Agent {
    fileprivate init(_ agent: NotificationPayload.Agent) {
        name = agent.name
        version = agent.version
    }
}

extension Notification: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Omits the token and the challenge, so that it can be logged.
    public var description: String {
        "request \(transactionLinkingId ?? "without consent record") for \(enrollmentId) at \(domain)"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["domain": domain, "enrollmentId": enrollmentId]) }
}

extension Date {
    init(_ timestamp: Timestamp) { self.init(timeIntervalSince1970: Double(timestamp.milliseconds) / 1000) }
}

extension JSONValue {
    /// Converts a property list from the system. Nil means that a value has no JSON form, or that it is nested too
    /// deeply.
    init?(foundation value: Any, depth: Int) {
        guard depth > 0 else { return nil }
        switch value {
        case let text as String: self = .string(text)
        case let dictionary as [AnyHashable: Any]:
            var object = JSONObject()
            for (name, value) in dictionary {
                guard let name = name.base as? String else { return nil }
                object[name] = JSONValue(foundation: value, depth: depth - 1)
            }
            self = .object(object)
        case let array as [Any]: self = .array(array.compactMap { JSONValue(foundation: $0, depth: depth - 1) })
        case let number as NSNumber:
            guard let number = JSONNumber(number.doubleValue) else { return nil }
            self = .number(number)
        case let number as Double:
            guard let number = JSONNumber(number) else { return nil }
            self = .number(number)
        case let number as Int: self = .number(JSONNumber(number))
        case let flag as Bool: self = .bool(flag)
        default: return nil
        }
    }
}
