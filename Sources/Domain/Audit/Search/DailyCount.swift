import AuthorizationCore
package import Primitives

/// How often something happened on a day.
package struct DailyCount: Sendable, Equatable {
    package let kind: AuditEvent.Kind
    /// Its first moment, in UTC.
    package let day: Timestamp
    package let count: Int

    package init(kind: AuditEvent.Kind, day: Timestamp, count: Int) {
        self.kind = kind
        self.day = day
        self.count = count
    }
}
