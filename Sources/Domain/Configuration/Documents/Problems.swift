package import Primitives

/// Collects all problems, to report them in one run.
package final class Problems {
    /// At most `limit`.
    package private(set) var list: [DocumentProblem] = []
    /// Problems after which no further ones are collected: a document made to hurt has as many as it has members.
    package static let limit = 10_000
    /// Members of former names, which were taken.
    package private(set) var warnings: [DocumentProblem] = []
    /// Unknown members outside of lists that were kept, at their places.
    package private(set) var kept = JSONObject()
    private let keeps: (_ place: [String]) -> Bool

    /// `keeps` says whether the unknown member at a place is only stored. Others are problems.
    package init(keeping keeps: @escaping (_ place: [String]) -> Bool = { _ in false }) { self.keeps = keeps }

    /// False if the member must be refused.
    func keep(_ value: JSONValue, _ name: String, in place: [String]?) -> Bool {
        guard let place, keeps(place + [name]) else { return false }
        if !value.isNull { kept.set(value, at: place + [name]) }
        return true
    }

    package func add(_ path: String, _ message: String) {
        if list.count < Self.limit { list.append(DocumentProblem(path: path, message: message)) }
    }

    /// Adds a problem of a member as a whole, unless a part of it was refused, which may be why.
    func addUnlessPart(_ path: String, _ message: String) {
        guard !list.contains(where: { $0.path.hasPrefix("\(path)[") || $0.path.hasPrefix("\(path).") }) else { return }
        add(path, message)
    }
    func warn(_ path: String, _ message: String) { warnings.append(DocumentProblem(path: path, message: message)) }
}
