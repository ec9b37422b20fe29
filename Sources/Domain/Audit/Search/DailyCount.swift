import AuthorizationCore
package import Primitives

/// Number of events of one kind on a day.
package struct DailyCount: Sendable, Equatable {
    package let kind: AuditEvent.Kind
    /// Start of the day in UTC.
    package let day: Timestamp
    package let count: Int

    package init(kind: AuditEvent.Kind, day: Timestamp, count: Int) {
        self.kind = kind
        self.day = day
        self.count = count
    }
}
