import Primitives

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
