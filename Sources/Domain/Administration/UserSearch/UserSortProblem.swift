import AuthorizationCore
import Primitives

package enum UserSortProblem: Error, Sendable, Hashable, CustomStringConvertible {
    case notFieldAndDirection
    case unknownField(String, suggestion: String?)

    package var description: String {
        switch self {
        case .notFieldAndDirection: "not a field and a direction, as in created_at:-1"
        case .unknownField(let name, let suggestion):
            "\(name) is no field to sort by" + (suggestion.map { " (did you mean \($0)?)" } ?? "")
        }
    }
}
