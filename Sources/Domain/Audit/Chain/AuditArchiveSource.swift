import JOSE
import Primitives

/// An archive to read.
package protocol AuditArchiveSource: Sendable {
    var name: String { get }
    /// Nil if it does not begin with a header.
    func header() throws -> AuditArchive.Header?
    /// Visits the entries in order until `visit` returns false. Nil is an unreadable line.
    func entries(_ visit: (StoredAuditEntry?) throws -> Bool) throws
}
