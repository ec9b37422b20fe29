import Primitives

/// Store operations for reading the audit log.
package protocol AuditLogStore: Sendable {
    /// Entries of all tenants after `sequence`, in order, unverified.
    func chain(after sequence: Int64, limit: Int) async throws -> [StoredAuditEntry]

    /// The last entry of all tenants. Nil means an empty log.
    func auditHead() async throws -> AuditHead?

    /// State beside the entries.
    func auditLogState() async throws -> AuditLogState
}
