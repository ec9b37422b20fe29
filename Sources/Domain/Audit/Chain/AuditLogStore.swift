package import Primitives

package protocol AuditLogStore: Sendable {
    /// Entries of a lane after a place, of all tenants, in order, unverified.
    func chain(of lane: Int64, after place: Int64, limit: Int) async throws -> [StoredAuditEntry]

    /// The last entries of all tenants and lanes, in the order of their numbers, unverified.
    func lastEntries(_ count: Int) async throws -> [StoredAuditEntry]

    /// The last entry of each lane that has one.
    func auditHeads() async throws -> AuditHeads

    /// Signed tree heads after a number, in order, unverified.
    func treeHeads(after number: Int64, limit: Int) async throws -> [StoredTreeHead]

    /// The tree head of the highest number. Nil if there is none.
    func lastTreeHead() async throws -> StoredTreeHead?

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
    package let place: AuditPlace
    /// Nil if a column cannot be read.
    package let entry: AuditEntry?
    package let hash: Digest256?

    package init(sequence: Int64, place: AuditPlace, entry: AuditEntry?, hash: Digest256?) {
        self.sequence = sequence
        self.place = place
        self.entry = entry
        self.hash = hash
    }
}
