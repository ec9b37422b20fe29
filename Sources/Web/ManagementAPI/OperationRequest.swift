package import HTTPModel
package import Primitives

/// One request to an operation by its method and path: a program sends it, or a command has it answered in its process.
package struct OperationRequest: Sendable {
    package let method: HTTPMethod
    /// Path below `/api/v2` as the operation declares it, with parameters in braces: `/roles/{id}`.
    package let template: String
    /// Values of the path's parameters, in their order.
    package let values: [String]
    package var query: [ManagementRequest.Pair]
    /// Nil for an operation without a body.
    package var body: JSONValue?
    /// True for an operation that takes the body's members as parts of `multipart/form-data`.
    package var isForm = false
    /// Version that the object must have. Nil takes any.
    package var version: String?

    package init(
        _ method: HTTPMethod, _ path: String, _ values: [String] = [], query: [ManagementRequest.Pair] = [],
        body: JSONValue? = nil
    ) {
        self.method = method
        template = path
        self.values = values
        self.query = query
        self.body = body
    }

    /// The path with its values, percent-encoded, from the root of the host.
    package var filledPath: String {
        var rest = values[...]
        let segments = template.split(separator: "/").map { segment in
            segment.first == "{" ? PercentEncoding.encode(rest.popFirst() ?? "") : String(segment)
        }
        return "\(ManagementAPI.prefix)/\(segments.joined(separator: "/"))"
    }

    /// Nil without parameters.
    package var encodedQuery: String? {
        guard !query.isEmpty else { return nil }
        return query.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
            .joined(separator: "&")
    }

    /// The condition of the version, as a field.
    package var condition: HTTPFields { version.map { ["If-Match": "\"\($0)\""] } ?? [:] }
}
