import CRevision
package import Primitives

extension Release {
    /// A program's name with its version, and with the commit if it was packaged.
    package static func title(_ program: String) -> String {
        let revision = String(cString: countersign_revision())
        return "\(program) \(version)" + (revision.isEmpty ? "" : " (\(revision))")
    }
}
