import APIDescription
import HTTPModel
import JSONSchema
import Primitives

enum ManagementAnswer: Sendable {
    /// One object, filtered by `fields`.
    case object(JSONObject, status: Int = 200)
    case list(Listing)
    /// A value that `fields` does not filter.
    case value(JSONValue, status: Int = 200, fields: HTTPFields = [:])
    case nothing(status: Int = 204)

    /// Null if the answer has no body.
    func json(_ projection: Projection) -> JSONValue {
        switch self {
        case .object(let object, _): .object(projection.apply(to: object))
        case .list(let listing): listing.json(projection.apply)
        case .value(let value, _, _): value
        case .nothing: .null
        }
    }
}

/// Selects the members to show (`fields`, `include_fields`).
struct Projection: Sendable {
    static let parameters = [
        Operation.Parameter("fields", in: .query, .text(0...1024), "Members to show or hide, with commas between them"),
        Operation.Parameter("include_fields", in: .query, .boolean, "False hides the `fields` instead; default: true"),
    ]

    /// Nil means all members.
    let names: Set<String>?
    let includes: Bool

    func apply(to object: JSONObject) -> JSONObject {
        guard let names else { return object }
        var shown = JSONObject()
        for (name, value) in object where names.contains(name) == includes { shown[name] = value }
        return shown
    }
}
