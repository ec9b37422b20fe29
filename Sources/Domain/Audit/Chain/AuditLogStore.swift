package import Primitives

package protocol AuditLogStore: Sendable {
    /// Entries of all tenants after `sequence`, in order, unverified.
    func chain(after sequence: Int64, limit: Int) async throws -> [StoredAuditEntry]

    /// The last entry of all tenants. Nil means an empty log.
    func auditHead() async throws -> AuditHead?

    /// State beside the entries.
    func auditLogState() async throws -> AuditLogState
}

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

/// An unverified entry, which may have been altered.
package struct StoredAuditEntry: Sendable {
    package let sequence: Int64
    /// Nil if a column cannot be read.
    package let entry: AuditEntry?
    package let hash: Digest256?

    package init(sequence: Int64, entry: AuditEntry?, hash: Digest256?) {
        self.sequence = sequence
        self.entry = entry
        self.hash = hash
    }
}
