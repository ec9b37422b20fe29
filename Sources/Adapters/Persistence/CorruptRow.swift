import Primitives
import SQL

/// A stored value that this program cannot read.
struct CorruptRow: Error {
    let what: String
}

extension JSONValue {
    /// Reads JSON that this program stored.
    init(stored text: String) throws {
        do { self = try JSONReader.parse(text, depthLimit: 64) } catch { throw CorruptRow(what: "JSON: \(error)") }
    }
}

extension Error {
    /// True for a row that somebody else wrote, or that is damaged. It must not keep this program from other rows.
    var isOfUnreadableRow: Bool {
        if self is CorruptRow { return true }
        if case SQLError.mismatch? = self as? SQLError { return true }
        return false
    }
}
