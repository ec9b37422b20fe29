package import Primitives

/// Counts of one day (UTC).
package struct DailyStatistics: Sendable, Equatable {
    /// Start of the day.
    package let day: Timestamp
    package internal(set) var logins = 0
    package internal(set) var signUps = 0
    /// CIBA requests and the users' decisions.
    package internal(set) var backchannelStarts = 0
    package internal(set) var approvals = 0
    package internal(set) var rejections = 0

    /// True if stores count events of this kind by day.
    package static func counts(_ kind: AuditEvent.Kind) -> Bool {
        switch kind {
        case .loggedIn, .signedUp, .backchannelStarted, .approved, .rejected, .reported, .wrongNumber: true
        default: false
        }
    }

    init(day: Timestamp) { self.day = day }

    /// Format of `/stats/daily`, with additional counts.
    package var json: JSONObject {
        [
            "date": .string(day.iso8601), "logins": .number(JSONNumber(logins)),
            "signups": .number(JSONNumber(signUps)), "leaked_passwords": 0,
            "ciba_starts": .number(JSONNumber(backchannelStarts)), "ciba_approvals": .number(JSONNumber(approvals)),
            "ciba_rejections": .number(JSONNumber(rejections)), "created_at": .string(day.iso8601),
            "updated_at": .string(day.iso8601),
        ]
    }
}
