package import Primitives

/// What reading the audit log needs of a store.
package protocol AuditLogStore: Sendable {
    /// The next entries of all tenants after the one of that number, in their order, as they are found.
    func chain(after sequence: Int64, limit: Int) async throws -> [StoredAuditEntry]

    /// The last entry, of whichever tenant; nil where there is none.
    func auditHead() async throws -> AuditHead?

    /// What stands around the entries.
    func auditLogState() async throws -> AuditLogState
}

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

/// What a store has in an entry's place, which somebody may have altered.
package struct StoredAuditEntry: Sendable {
    package let sequence: Int64
    /// Nil where a column cannot be read as what it has to be.
    package let entry: AuditEntry?
    package let hash: Digest256?

    package init(sequence: Int64, entry: AuditEntry?, hash: Digest256?) {
        self.sequence = sequence
        self.entry = entry
        self.hash = hash
    }
}
