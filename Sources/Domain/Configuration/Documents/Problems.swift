package import Primitives

/// Collects all problems, to report them in one run.
package final class Problems {
    package private(set) var list: [DocumentProblem] = []
    /// Unknown members outside of lists, at their places. Nil means that they are problems.
    package private(set) var unknown: JSONObject?

    package init(keepsUnknown: Bool = false) { unknown = keepsUnknown ? [:] : nil }

    /// False if the member must be refused.
    func keep(_ value: JSONValue, _ name: String, in place: [String]?) -> Bool {
        guard let place, unknown != nil else { return false }
        if !value.isNull { unknown?.set(value, at: place + [name]) }
        return true
    }

    package func add(_ path: String, _ message: String) { list.append(DocumentProblem(path: path, message: message)) }

    /// Adds a problem of a member as a whole, unless a part of it was refused, which may be why.
    func addUnlessPart(_ path: String, _ message: String) {
        guard !list.contains(where: { $0.path.hasPrefix("\(path)[") || $0.path.hasPrefix("\(path).") }) else { return }
        add(path, message)
    }
}
