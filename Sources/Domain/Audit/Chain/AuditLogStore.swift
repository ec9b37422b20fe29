import Primitives

/// What reading the audit log needs of a store.
package protocol AuditLogStore: Sendable {
    /// The next entries of all tenants after the one of that number, in their order, as they are found.
    func chain(after sequence: Int64, limit: Int) async throws -> [StoredAuditEntry]

    /// The last entry, of whichever tenant; nil where there is none.
    func auditHead() async throws -> AuditHead?

    /// What stands around the entries.
    func auditLogState() async throws -> AuditLogState
}
