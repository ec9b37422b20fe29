import AuthorizationCore
import OAuthWire
package import Primitives

/// Gathers everything that is wrong, so that one run tells all of it.
package final class Problems {
    package private(set) var list: [DocumentProblem] = []
    /// Members of objects, outside of lists, that nobody knows, at their places; nil where they are problems.
    package private(set) var unknown: JSONObject?

    package init(keepsUnknown: Bool = false) { unknown = keepsUnknown ? [:] : nil }

    /// False where the member has to be refused.
    func keep(_ value: JSONValue, _ name: String, in place: [String]?) -> Bool {
        guard let place, unknown != nil else { return false }
        unknown?.set(value, at: place + [name])
        return true
    }

    package func add(_ path: String, _ message: String) { list.append(DocumentProblem(path: path, message: message)) }
}
