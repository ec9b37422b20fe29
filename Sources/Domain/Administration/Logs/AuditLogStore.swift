public import Primitives

/// What reading the audit log needs of a store.
public protocol AuditLogStore: Sendable {
    /// The next entries of all tenants after the one of that number, in their order, as they are found.
    func chain(after sequence: Int64, limit: Int) async throws -> [StoredAuditEntry]

    /// The last entry, of whichever tenant; nil where there is none.
    func auditHead() async throws -> AuditHead?
}

/// What a store has in an entry's place, which somebody may have altered.
public struct StoredAuditEntry: Sendable {
    public let sequence: Int64
    /// Nil where a column cannot be read as what it has to be.
    public let entry: AuditEntry?
    public let hash: Digest256?

    public init(sequence: Int64, entry: AuditEntry?, hash: Digest256?) {
        self.sequence = sequence
        self.entry = entry
        self.hash = hash
    }
}
