import ApprovalWire
public import Foundation
import GuardianWire
import Primitives

/// A request that waits for this user's answer, as in the list of ``DeviceAPI/pending()``.
public struct PendingRequest: Sendable, Hashable {
    public let notification: Notification
    /// Id of the event that told of it on the device channel.
    public let eventId: String
}

/// A request that the user has answered on any of their devices, or in a browser.
public struct DecidedRequest: Sendable {
    public let id: String
    public let decidedAt: Date
    public let isAllowed: Bool
    /// How it ended: `allowed`, `rejected`, `reported`, `wrong_number`, or an end that a later server tells apart.
    public let outcome: String
    /// The user's own words for a rejection.
    public let reason: String?
    /// Strength of the proof: `user-verified`, `signed-digest`, `signed-challenge`, `session`, or a level of a later server.
    public let evidence: String
    /// The request as it was asked.
    public let consent: Consent
}

/// A page of the requests that the user has answered, the latest first.
public struct RequestHistory: Sendable {
    public let requests: [DecidedRequest]
    /// Passed to ``DeviceAPI/history(before:limit:)`` for earlier requests. Nil means that there are none.
    public let next: String?
}

/// One of the user's devices that answer requests.
public struct UserDevice: Sendable, Hashable {
    /// ``EnrolledDevice/id``.
    public let id: String
    public let name: String
    public let enrolledAt: Date
    /// Its push service: `APNS`, `GCM`, `WEBPUSH`, or a later server's. Nil for a device that listens on the channel.
    public let pushService: String?
    /// True if it has a passkey, which confirms the user before an answer.
    public let hasPasskey: Bool
    /// True for the device that asked.
    public let isCurrent: Bool
}

/// The hours in which the user's devices show requests without a sound, unless a request is urgent.
public struct QuietHours: Sendable, Hashable {
    /// Minutes since midnight, `0..<1440`.
    public let from: Int
    /// Minutes since midnight, `0..<1440`. A time before `from` is on the next day.
    public let to: Int

    /// - Parameters:
    ///   - from: Beginning, such as `22:00`.
    ///   - to: End, such as `07:00`, which may be on the next day.
    /// - Returns: Nil unless both are times of a day, from `00:00` to `23:59`, and differ.
    public init?(from: String, to: String) {
        guard let from = Self.minutes(from), let to = Self.minutes(to), from != to else { return nil }
        self.from = from
        self.to = to
    }

    /// True if the time is within the hours. Each device applies them in its own time zone.
    public func contains(_ date: Date, in timeZone: TimeZone = .current) -> Bool {
        let local = Int(date.timeIntervalSince1970.rounded(.down)) + timeZone.secondsFromGMT(for: date)
        let minute = ((local % 86_400) + 86_400) % 86_400 / 60
        return from < to ? (from..<to).contains(minute) : minute >= from || minute < to
    }

    /// `22:00`.
    public var fromText: String { Self.text(from) }
    /// `07:00`.
    public var toText: String { Self.text(to) }

    private static func minutes(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [bytes[0], bytes[1], bytes[3], bytes[4]].map { Int($0) - 0x30 }
        guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        return hour < 24 && minute < 60 ? hour * 60 + minute : nil
    }

    private static func text(_ minutes: Int) -> String {
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(digits(minutes / 60)):\(digits(minutes % 60))"
    }
}

// MARK: reading

/// Reads a member of a server's answer. Throws for one that is missing or of another kind.
private func required<Value>(
    _ object: JSONObject, _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
) throws(GuardianWireFailure) -> Value {
    guard let value = object[name].flatMap({ $0.isNull ? nil : $0 }) else { throw .missing(name) }
    guard let read = read(value) else { throw .invalid(name, expected: expected) }
    return read
}

private func text(_ object: JSONObject, _ name: String) throws(GuardianWireFailure) -> String {
    try required(object, name, "a string", \.stringValue)
}

private func date(_ object: JSONObject, _ name: String) throws(GuardianWireFailure) -> Date {
    try required(object, name, "a date-time of RFC 3339") { value in
        value.stringValue.flatMap { Timestamp(iso8601: $0) }.map { Date($0) }
    }
}

func answerObject(_ bytes: [UInt8]) throws(GuardianWireFailure) -> JSONObject {
    let value: JSONValue
    do { value = try JSONReader.parse(bytes) } catch { throw .notJSON }
    guard let object = value.objectValue else { throw .invalid("the body", expected: "an object") }
    return object
}

func answerObjects(_ object: JSONObject, _ name: String) throws(GuardianWireFailure) -> [JSONObject] {
    try required(object, name, "an array of objects") { value in
        let objects = value.arrayValue?.compactMap(\.objectValue)
        return objects?.count == value.arrayValue?.count ? objects : nil
    }
}

extension PendingRequest {
    init(_ object: JSONObject) throws {
        notification = Notification(try NotificationPayload(apns: .object(object)))
        eventId = try required(object, "sequence", "a whole number", \.intValue).description
    }
}

extension DecidedRequest {
    init(_ object: JSONObject) throws {
        id = try text(object, "id")
        decidedAt = try date(object, "decided_at")
        isAllowed = try required(object, "decision", "allowed or rejected") { value in
            value.stringValue.flatMap { ApprovalEvidence.Decision(rawValue: $0) }.map { $0 == .allowed }
        }
        outcome = object["outcome"]?.stringValue ?? (isAllowed ? "allowed" : "rejected")
        reason = object["reason"]?.stringValue
        evidence = try text(object, "evidence")
        consent = Consent(try RequestRecord(parsing: try text(object, "record")), detailsID: nil)
        guard consent.consentId == id else { throw ApprovalFailure.invalid("record.id", expected: "the request's id") }
    }
}

extension RequestHistory {
    init(parsing body: [UInt8]) throws {
        let object = try answerObject(body)
        requests = try answerObjects(object, "requests").map { try DecidedRequest($0) }
        next = object["next"]?.stringValue
    }
}

extension UserDevice {
    init(_ object: JSONObject) throws {
        id = try text(object, "id")
        name = try text(object, "name")
        enrolledAt = try date(object, "enrolled_at")
        pushService = object["push"]?.stringValue
        hasPasskey = object["passkey"]?.boolValue ?? false
        isCurrent = object["current"]?.boolValue ?? false
    }
}

extension QuietHours {
    /// Nil means that the user has none.
    static func parse(_ body: [UInt8]) throws -> QuietHours? {
        guard let value = try answerObject(body)["quiet_hours"], !value.isNull else { return nil }
        guard let from = value["from"]?.stringValue, let to = value["to"]?.stringValue,
            let hours = QuietHours(from: from, to: to)
        else { throw GuardianWireFailure.invalid("quiet_hours", expected: "two times such as 22:00, or null") }
        return hours
    }

    static func body(_ hours: QuietHours?) -> [UInt8] {
        let value: JSONValue = hours.map { ["from": .string($0.fromText), "to": .string($0.toText)] } ?? .null
        return JSONWriter.bytes(["quiet_hours": value])
    }
}
