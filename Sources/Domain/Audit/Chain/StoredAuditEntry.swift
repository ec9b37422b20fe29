package import Primitives

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
