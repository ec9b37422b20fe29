package import HTTPModel

/// An endpoint that callers may expect here and that does not exist, so that they learn more than of a misspelt path.
package struct AbsentEndpoint: Sendable {
    private let methods: Set<HTTPMethod>
    private let segments: [Substring]
    let explanation: String

    /// `path` has parameters in braces. `explanation` is for people, in ASCII.
    package init(methods: [HTTPMethod], path: String, explanation: String) {
        self.methods = Set(methods)
        segments = Self.segments(path[...])
        self.explanation = explanation
    }

    /// Empty segments do not count, as SDKs that join URLs send them.
    private static func segments(_ path: Substring) -> [Substring] { path.split(separator: "/") }

    /// The first one that fits. Only paths without a route are looked up, so a search in the list is quick enough.
    static func first(in all: [AbsentEndpoint], for path: String, _ method: HTTPMethod) -> AbsentEndpoint? {
        let sent = segments(path[...])
        return all.first { endpoint in
            endpoint.methods.contains(method) && endpoint.segments.count == sent.count
                && zip(endpoint.segments, sent).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
    }
}
