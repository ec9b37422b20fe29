package import Primitives

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
