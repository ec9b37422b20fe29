import Primitives

/// What tells of an audit log that somebody altered, beside its entries.
package struct AuditLogState: Sendable, Equatable {
    /// Whether there is a table of entries, as it was made.
    package let isThere: Bool
    /// What refuses to alter and remove entries, and is no longer there as it was made.
    package let missingGuards: [String]
    /// How many tenants there are, of which each left entries when it was made.
    package let tenants: Int
    /// The end of what was archived; nil where all is there.
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
