import Primitives

/// State of an audit log beside its entries, to detect tampering.
package struct AuditLogState: Sendable, Equatable {
    /// True if the table exists as created.
    package let isThere: Bool
    /// Triggers against changing and deleting entries that are missing or altered.
    package let missingGuards: [String]
    /// Number of tenants. Creating each one left entries.
    package let tenants: Int
    /// End of the archived entries. Nil means none.
    package let archived: ArchivedHead?
    /// True if the stored end cannot be read.
    package let hasUnreadableArchive: Bool

    package init(
        isThere: Bool, missingGuards: [String], tenants: Int, archived: ArchivedHead? = nil,
        hasUnreadableArchive: Bool = false
    ) {
        self.isThere = isThere
        self.missingGuards = missingGuards
        self.tenants = tenants
        self.archived = archived
        self.hasUnreadableArchive = hasUnreadableArchive
    }
}
