import JOSE
import Primitives

/// An archive that somebody has.
package protocol AuditArchiveSource: Sendable {
    /// For people.
    var name: String { get }
    /// Nil where it does not begin as an archive does.
    func header() throws -> AuditArchive.Header?
    /// Shows the entries in their order until `visit` answers false; nil is a line that is no entry.
    func entries(_ visit: (StoredAuditEntry?) throws -> Bool) throws
}
