import AuthorizationCore
import Primitives

/// An entry and its user's current name.
package struct LoggedEntry: Sendable, Equatable {
    package let entry: AuditEntry
    package let userName: String?

    package init(entry: AuditEntry, userName: String?) {
        self.entry = entry
        self.userName = userName
    }
}
